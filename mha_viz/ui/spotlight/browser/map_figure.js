/** One head's map as Plotly draws it. */

import { weightOf } from "./payload.js";
import { store } from "./store.js";

// Pixels that the figure keeps for its title.
const TITLE = 34;

/** The name of a head is text of the page, above its maps: the figure has no title, and no room for one. */
export function withoutTitle({ grid, layout }) {
    const { height, margin } = layout;
    return {
        grid: { ...grid, top: grid.top - TITLE },
        layout: {
            ...layout,
            title: {},
            height: height - TITLE,
            margin: { ...margin, t: margin.t - TITLE },
        },
    };
}

/**
 * @param {object} cells how the weights are drawn, the same for all heads
 * @param {object} head with the end of its scale, and what its map has beside the weights
 * @param {object} layout
 * @param {Float32Array[]} z weights, a row a query
 */
export function mapFigure(cells, head, layout, z) {
    const { zmax, bar: colorbar, draws_bar: showscale, traces } = head;
    const annotations = [...(layout.annotations ?? []), ...head.annotations];
    return {
        data: [{ ...cells, z, zmax, showscale, colorbar }, ...traces],
        layout: { ...layout, annotations },
    };
}

/** The weights that two windows hold, of the head that is the `index`-th of those shown. */
export function weightsIn(index, [firstQuery, endQuery], [firstKey, endKey]) {
    const { codes, tile } = store.weights;
    const [, rows, columns] = codes.shape;
    return Array.from({ length: endQuery - firstQuery }, (_, row) => {
        const start = (index * rows + firstQuery + row - tile[0]) * columns - tile[2];
        const inWindow = codes.subarray(start + firstKey, start + endKey);
        return Float32Array.from(inWindow, (code) => weightOf[code]);
    });
}
