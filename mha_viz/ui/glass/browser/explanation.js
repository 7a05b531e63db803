/** The chosen cell, written out term by term: it stays in sight at the lower edge until it is freed. */

import { dress } from "../spotlight/colours.js";
import { element } from "../spotlight/element.js";
import { plainFormula, writeFormula } from "./formula.js";

export class Explanation {
    constructor(parent) {
        this.space = element(parent, "div", "mha-explained-space");
        this.root = element(parent, "section", "mha-explained");
        this.root.setAttribute("aria-label", "Where the chosen number comes from");
        const first = element(this.root, "div", "mha-explained-first");
        first.setAttribute("aria-live", "polite");
        this.name = element(first, "strong");
        this.where = element(first, "span", "mha-explained-where");
        this.value = element(first, "span", "mha-explained-value");
        this.said = element(first, "span", "mha-explained-said");
        this.close = element(first, "button", "mha-explained-close");
        this.close.type = "button";
        this.close.textContent = "×";
        this.close.setAttribute("aria-label", "Free the cell");
        this.close.addEventListener("click", () => this.free());
        this.sum = element(this.root, "div", "mha-explained-sum");
        this.sum.tabIndex = 0;
        document.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && this.root.isConnected && !this.root.hidden) {
                this.free();
            }
        });
    }

    show(data, send) {
        Object.assign(this, { send, theme: data.theme });
        dress(this.root, data.theme);
        this.root.hidden = this.space.hidden = data.cell === null;
        if (data.cell === null) {
            return;
        }
        writeFormula(this.name, data.label);
        this.name.style.color = data.theme.kinds[data.kind];
        this.where.textContent = `[${data.row}, ${data.column}]`;
        this.value.textContent = `= ${data.value}`;
        this.said.textContent = data.said + (data.editable ? " Double-click it, or press F2, to change it." : "");
        this.write(data);
    }

    write({ terms, over, over_total: overTotal, value }) {
        this.sum.replaceChildren();
        this.sum.hidden = terms.length === 0;
        if (over.length) {
            const fraction = element(this.sum, "div", "mha-fraction");
            this.terms(element(fraction, "div", "mha-numerator"), terms);
            this.terms(element(fraction, "div", "mha-denominator"), over);
            text(this.sum, `= ${terms[0].product} ÷ ${overTotal} = ${value}`, "mha-result");
        } else {
            this.terms(this.sum, terms);
            text(this.sum, `= ${value}`, "mha-result");
        }
    }

    terms(parent, terms) {
        terms.forEach((term, place) => {
            if (place) {
                text(parent, "+", "mha-plus");
            }
            const one = element(parent, "span", "mha-term");
            const factors = element(one, "span", "mha-factors");
            term.factors.forEach((factor, index) => this.factor(factors, factor, index));
            // What one number alone comes to is that number.
            if (term.factors.length > 1 || term.factors[0].of) {
                text(one, term.product, "mha-product");
            }
        });
    }

    factor(parent, factor, index) {
        if (index) {
            text(parent, " × ", "");
        }
        const negative = index > 0 && factor.value.startsWith("−") && !factor.of;
        const shown = factor.of || (negative ? `(${factor.value})` : factor.value);
        const one = text(parent, shown, "mha-factor");
        one.dataset.value = factor.value;
        one.style.color = this.theme.kinds[factor.kind] ?? "";
        one.title = factor.where.length ? `${plainFormula(factor.where[0])} [${factor.where[1]}, ${factor.where[2]}]` : "";
    }

    free() {
        this.send({ free: true });
    }
}

function text(parent, written, className) {
    const one = element(parent, "span", className);
    one.textContent = written;
    return one;
}
