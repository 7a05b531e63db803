/** The figures of a row as Plotly draws them: a line of words, and the arcs of a head with nothing chosen. */

import { withOpacity } from "./drawing.js";
import { between } from "./geometry.js";

export const MARGIN = 12;

/** Lines in a few steps of weight: a trace has one thickness, and one trace an arc would be slow. */
export function binned(arcs, curves) {
    const bins = Map.groupBy(arcs, ({ weight }) =>
        Math.min(Math.floor(weight * curves.bins), curves.bins - 1),
    );
    return [...bins]
        .sort(([one], [other]) => one - other)
        .map(([bin, inBin]) => ({ weight: (bin + 0.5) / curves.bins, arcs: inBin }));
}

/** The pen of a head with nothing chosen. */
export function idlePen(view, head) {
    return { colour: head.colour, opacity: view.curves.opacity, scale: head.stage.pen };
}

/**
 * @param {object} view
 * @param {object} head of the view
 * @param {Array} arcs to be drawn by Plotly
 * @param {Array} stems [x, top, bottom] of thin lines, x in the view's coordinates
 */
export function arcFigure(view, head, arcs, stems, width) {
    const pen = idlePen(view, head);
    const data = stems.length ? [stemLines(stems, view.theme.grid)] : [];
    if (arcs.length) {
        data.push(...arcLines(arcs, view.curves, pen), arrowheads(arcs, view.curves, pen));
    }
    return { data, layout: layout(view, width, head.stage.height) };
}

/** @param {object} line of words, at the upper edge of the figure */
export function wordFigure(view, line, width) {
    return { data: [], layout: { ...layout(view, width, line.height), annotations: line.words } };
}

function layout(view, width, height) {
    const axis = { visible: false, fixedrange: true, zeroline: false };
    return {
        width,
        height,
        margin: { l: MARGIN, r: MARGIN, t: 0, b: 0, pad: 0, autoexpand: false },
        font: { family: view.theme.font, size: 14, color: view.theme.ink },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        showlegend: false,
        xaxis: { ...axis, range: [-view.half, view.half] },
        yaxis: { ...axis, range: [height, 0] },
    };
}

function arcLines(arcs, curves, pen) {
    return binned(arcs, curves).map(({ weight, arcs: inBin }) => {
        const points = inBin.flatMap(({ curve }) => [...curve.points(), [null, null]]);
        return {
            x: points.map(([x]) => x),
            y: points.map(([, y]) => y),
            mode: "lines",
            line: {
                color: withOpacity(pen.colour, between(pen.opacity, weight)),
                width: between(curves.thickness, weight) * pen.scale,
                shape: "spline",
            },
            connectgaps: false,
            hoverinfo: "skip",
        };
    });
}

function arrowheads(arcs, curves, pen) {
    return {
        x: arcs.map(({ curve }) => curve.end),
        y: arcs.map(({ curve }) => curve.tip + (curve.upwards ? 2 : -2)),
        mode: "markers",
        marker: {
            symbol: arcs.map(({ curve }) => (curve.upwards ? "triangle-up" : "triangle-down")),
            size: arcs.map(({ weight }) => between(curves.arrow, weight) * pen.scale ** 0.5),
            color: arcs.map(({ weight }) => withOpacity(pen.colour, between(pen.opacity, weight))),
            // Opacity is in the colours.
            opacity: 1,
            line: { width: 0 },
        },
        cliponaxis: false,
        hoverinfo: "skip",
    };
}

function stemLines(stems, colour) {
    return {
        x: stems.flatMap(([x]) => [x, x, null]),
        y: stems.flatMap(([, top, bottom]) => [top, bottom, null]),
        mode: "lines",
        line: { color: colour, width: 1 },
        hoverinfo: "skip",
    };
}
