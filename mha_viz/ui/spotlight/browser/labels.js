/** What is said in words. */

import { chosenAxis, isInside, said } from "./store.js";

/** Beside the name of a head: what it does, or what the active word does in it. */
export function headLine(view, index, active) {
    const head = view.heads[index];
    const chosen = chosenAxis(view);
    if (!active || !isInside(active.row, chosen)) {
        return head.note;
    }
    return said(index, active) || `${chosen.names[active.row - chosen.window[0]]}: no arcs`;
}

/** What is said when the pinned word is elsewhere in the text. */
export function outside(name) {
    return `“${name}” is outside this part.`;
}

/** Which positions a window shows. */
export function part([start, stop, total]) {
    return `${start}–${stop - 1} of ${total.toLocaleString("en")}`;
}
