/** Names such as W_{0}^{Q} as letters with sub- and superscripts. */

import { element } from "../spotlight/element.js";

const PIECE = /([_^])\{([^}]*)\}|\\mathrm\{([^}]*)\}|([^_^\\]+|[_^\\])/g;
const TAGS = { _: "sub", "^": "sup" };

/** Write a name into an element, in the place of what it holds. */
export function writeFormula(target, latex) {
    if (target.dataset.latex === latex) {
        return;
    }
    target.dataset.latex = latex;
    target.replaceChildren();
    for (const [, script, inner, upright, plain] of latex.matchAll(PIECE)) {
        const piece = element(target, script ? TAGS[script] : "span");
        piece.textContent = (script ? inner : (upright ?? plain)).replaceAll("'", "′").replace("\\top", "⊤");
    }
}

/** The same name for a screen reader and for tooltips. */
export function plainFormula(latex) {
    return [...latex.matchAll(PIECE)]
        .map(([, script, inner, upright, plain]) => (script ? ` ${inner}` : (upright ?? plain)))
        .join("")
        .replaceAll("'", "′")
        .replace("\\top", "⊤");
}
