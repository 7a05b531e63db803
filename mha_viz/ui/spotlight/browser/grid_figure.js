/** The small maps of all heads as Plotly draws them: one stitched map, and frames. */

import { weightOf } from "./payload.js";

const FRAME = { all: 1, shown: 3 };
// From the cells to the middle of the line around a map, in maps.
const AROUND = 0.01;
const bytes = Uint8Array.from(weightOf, (weight) => Math.round(255 * weight));

/** @param {Uint8Array[]|null} z as `stitched` makes it of the codes; null where the maps are drawn below the figure */
export function gridFigure({ cells, layout, map, maps, selected, theme }, z, width) {
    // One cell that lets all below it show through keeps the bar of colours.
    const drawn = z ? { ...cells, z } : { ...cells, x: ends(cells.x), y: ends(cells.y), z: [[0]] };
    const shown = selected.map(([layer, head, colour]) =>
        frames([[layer, head]], map, colour, FRAME.shown),
    );
    return {
        data: [drawn, frames(maps, map, theme.grid, FRAME.all), ...shown],
        layout: { ...layout, width },
    };
}

function ends(edges) {
    return [edges.at(0), edges.at(-1)];
}

/** All maps in one, a byte a cell, with a free row and a free column between two maps. */
export function stitched({ maps, n_layers, n_heads, shape: [rows, columns] }, codes) {
    const width = n_heads * (columns + 1) - 1;
    const z = Array.from({ length: n_layers * (rows + 1) - 1 }, () => new Uint8Array(width));
    maps.forEach(([layer, head], index) => {
        for (let row = 0; row < rows; row++) {
            const start = (index * rows + row) * columns;
            const line = z[layer * (rows + 1) + row];
            for (let column = 0; column < columns; column++) {
                line[head * (columns + 1) + column] = bytes[codes[start + column]];
            }
        }
    });
    return z;
}

/** Frames around maps, all in one line with gaps. */
function frames(maps, side, colour, width) {
    const reach = side / 2 + AROUND;
    const around = (middle, steps) => [...steps.map((step) => middle + step * reach), null];
    return {
        type: "scatter",
        mode: "lines",
        x: maps.flatMap(([, head]) => around(head, [-1, 1, 1, -1, -1])),
        y: maps.flatMap(([layer]) => around(layer, [-1, -1, 1, 1, -1])),
        line: { color: colour, width },
        hoverinfo: "skip",
    };
}
