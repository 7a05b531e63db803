/** What the weights say about the words: single weights, their ranks and means, and a sentence about them. */

import { weightOf } from "./payload.js";
import { store } from "./state.js";

/** The chosen axis: the words that look, or those that are looked at. */
export function chosenAxis(view = store.view) {
    return view.same || view.reading === "query" ? view.queries : view.keys;
}

/** The axis of what the chosen word looks at, or of what looks at it. */
export function otherAxis(view = store.view) {
    return view.same || view.reading === "key" ? view.queries : view.keys;
}

export function isInside(position, { window: [start, stop] }) {
    return position >= start && position < stop;
}

/** Where the weight is among the codes, or -1. */
function place(head, row, column) {
    const { codes, tile: [firstQuery, endQuery, firstKey, endKey] } = store.weights;
    const [query, key] = store.view.reading === "query" ? [row, column] : [column, row];
    if (query < firstQuery || query >= endQuery || key < firstKey || key >= endKey) {
        return -1;
    }
    return (head * codes.shape[1] + query - firstQuery) * codes.shape[2] + key - firstKey;
}

/** Where the weight is among the exact ones, which are there for the word that the server knows to be pinned; or -1. */
function exactPlace(head, row, column) {
    const { exact, pinned } = store.view;
    const other = otherAxis();
    return exact && row === pinned && isInside(column, other)
        ? head * exact.shape[1] + column - other.window[0]
        : -1;
}

/** The weight, of the head that is the `head`-th of those shown; null where it is not known here. */
export function weight(head, row, column) {
    const exact = exactPlace(head, row, column);
    if (exact >= 0) {
        return store.view.exact[exact];
    }
    const at = place(head, row, column);
    return at < 0 ? null : weightOf[store.weights.codes[at]];
}

/** 1 for the heaviest of the row; null where it cannot be told: columns are missing, or have the same code. */
export function rank(head, row, column) {
    const exact = exactPlace(head, row, column);
    if (exact >= 0) {
        return store.view.ranks[exact];
    }
    const total = otherAxis().window[2];
    const first = place(head, row, 0);
    const last = place(head, row, total - 1);
    const at = place(head, row, column);
    if (first < 0 || last < 0) {
        return null;
    }
    const { codes } = store.weights;
    const stride = total > 1 ? (last - first) / (total - 1) : 1;
    let heavier = 0;
    for (let index = first; index <= last; index += stride) {
        if (codes[index] === codes[at] && index !== at) {
            return null;
        }
        heavier += codes[index] > codes[at];
    }
    return heavier + 1;
}

/** The mean over the heads that are shown; null where it is not known here. */
export function meanWeight(row, column) {
    const nHeads = store.view.heads.length;
    let sum = 0;
    for (let head = 0; head < nHeads; head++) {
        const one = weight(head, row, column);
        if (one === null) {
            return null;
        }
        sum += one;
    }
    return sum / nHeads;
}

/** How much each key of a window is looked at, on average over heads and over the queries of their window. */
export function meanWeights({ window: [firstKey, endKey] }) {
    const { codes, tile } = store.weights;
    const [nHeads, nRows, nColumns] = codes.shape;
    const [firstQuery, endQuery] = store.view.queries.window;
    const sums = new Float64Array(endKey - firstKey);
    for (let head = 0; head < nHeads; head++) {
        for (let query = firstQuery; query < endQuery; query++) {
            const start = (head * nRows + query - tile[0]) * nColumns - tile[2];
            for (let key = firstKey; key < endKey; key++) {
                sums[key - firstKey] += weightOf[codes[start + key]];
            }
        }
    }
    return sums.map((sum) => sum / (nHeads * (endQuery - firstQuery)));
}

/** The column with the most weight, of those whose weights are here: of a long text, those of its part. */
function heaviest(head, row) {
    const total = otherAxis().window[2];
    let best = null;
    for (let column = 0, most = 0; column < total; column++) {
        const one = weight(head, row, column);
        if (one > most) {
            [best, most] = [column, one];
        }
    }
    return best;
}

/** Whether the weights of a word are here only in part, as those of a long text are. */
function isInPart() {
    const { tile: [firstQuery, endQuery, firstKey, endKey] } = store.weights;
    const [first, end] = store.view.reading === "query" ? [firstKey, endKey] : [firstQuery, endQuery];
    return end - first < otherAxis().window[2];
}

/** Whether a query may look at nothing. */
function isMasked(head, query) {
    const { queries, heads } = store.view;
    return query !== null && heads[head].masked.includes(query - queries.window[0]);
}

/** What is said of a query that may look at nothing. */
export function saidOfMasked(name) {
    return `${name}: masked, looks at nothing`;
}

function name(axis, position) {
    return isInside(position, axis)
        ? axis.names[position - axis.window[0]]
        : `position ${position}, outside this part,`;
}

/** As "it → cat ≈ 0.63, 1st of 12": the weight that is meant, or the heaviest of the word that is here; "" where there is none. */
export function said(head, active = store.active) {
    const [chosen, other] = [chosenAxis(), otherAxis()];
    if (!active || !isInside(active.row, chosen)) {
        return "";
    }
    const column = active.column ?? heaviest(head, active.row);
    const query = store.view.reading === "query" ? active.row : column;
    if (isMasked(head, query)) {
        return saidOfMasked(name(store.view.queries, query));
    }
    const share = column === null ? null : weight(head, active.row, column);
    if (share === null) {
        return "";
    }
    const names = [name(chosen, active.row), name(other, column)];
    const [looks, looked] = store.view.reading === "query" ? names : names.reverse();
    const about = exactPlace(head, active.row, column) < 0 ? "≈ " : "";
    const place = rank(head, active.row, column);
    return `${looks} → ${looked} ${about}${share.toFixed(2)}${among(place, active)}`;
}

/** Which of the words a weight makes this one: by its rank, or else the heaviest of those that are here. */
function among(place, { column }) {
    if (place !== null) {
        return `, ${ordinal(place)} of ${otherAxis().window[2].toLocaleString("en")}`;
    }
    return column === null && isInPart() ? ", most in this part" : "";
}

/** 1st, 2nd, 3rd, 4th, …, 11th, …, 21st. */
export function ordinal(number) {
    const teen = [11, 12, 13].includes(number % 100);
    return number + ((!teen && { 1: "st", 2: "nd", 3: "rd" }[number % 10]) || "th");
}
