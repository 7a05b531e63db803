/** The arcs of one head that are drawn, lightest first, and those of one word among them. */

import { curve } from "./geometry.js";
import { isInside, otherAxis, weight } from "./store.js";

const NEAR = 6;

/** One arc: its ends as positions of the text, on the chosen axis and on the other. */
function arc(view, index, row, column) {
    const [query, key] = view.reading === "query" ? [row, column] : [column, row];
    const keys = view.same ? view.queries : view.keys;
    const stage = view.heads[index].stage;
    return {
        row,
        column,
        query: query - view.queries.window[0],
        key: key - keys.window[0],
        weight: weight(index, row, column) ?? 0,
        curve: curve(view, stage, query - view.queries.window[0], key - keys.window[0]),
    };
}

export class Arcs {
    constructor(view, index) {
        this.view = view;
        this.index = index;
        this.all = [...kept(view, index)]
            .map(([row, column]) => arc(view, index, row, column))
            .sort((one, other) => one.weight - other.weight);
        this.byRow = Map.groupBy(this.all, ({ row }) => row);
    }

    /** The arcs of the active word; and the one that is pointed at, even if it is too weak to be drawn otherwise. */
    of({ row, column }) {
        const arcs = this.byRow.get(row) ?? [];
        const pointed = column === null ? null : arcs.find((one) => one.column === column);
        const other = otherAxis(this.view);
        if (column === null || pointed || !isInside(column, other)) {
            return arcs;
        }
        const weak = arc(this.view, this.index, row, column);
        return weak.weight > 0 ? [weak, ...arcs] : arcs;
    }

    /** The arc under a point, if one is near. */
    nearest(x, y, across) {
        let found = null;
        let least = NEAR;
        for (const one of this.all) {
            const distance = one.curve.distance(x, y, across);
            if (distance < least) {
                [found, least] = [one, distance];
            }
        }
        return found;
    }
}

/** Row and column of each arc that the server keeps: one bit a cell, the first cell in the highest bit. */
function* kept(view, index) {
    const bits = keptBits(view, index);
    const [firstQuery, endQuery] = view.queries.window;
    const [firstKey, endKey] = (view.same ? view.queries : view.keys).window;
    let cell = 0;
    for (let query = firstQuery; query < endQuery; query++) {
        for (let key = firstKey; key < endKey; key++, cell++) {
            if (bits[cell >> 3] & (128 >> (cell & 7))) {
                yield view.reading === "query" ? [query, key] : [key, query];
            }
        }
    }
}

/** The bits of one head. */
export function keptBits(view, index) {
    const { kept: all } = view;
    return all.subarray(index * all.shape[1], (index + 1) * all.shape[1]);
}
