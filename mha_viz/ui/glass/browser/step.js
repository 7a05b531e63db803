/** One of the four steps: lines of matrices with the signs between them. */

import { dress } from "../spotlight/colours.js";
import { element } from "../spotlight/element.js";
import { writeFormula } from "./formula.js";
import { MatrixView } from "./matrix.js";

export class Step {
    constructor(parent) {
        this.root = element(parent, "div", "mha-glass");
        this.lines = [];
    }

    show({ theme, lines }, send) {
        dress(this.root, theme);
        fit(this.lines, lines.length, () => new LineView(this.root));
        lines.forEach((parts, index) => this.lines[index].show(parts, theme, send));
    }
}

class LineView {
    constructor(parent) {
        this.root = element(parent, "div", "mha-glass-line");
        this.parts = [];
    }

    show(parts, theme, send) {
        fit(this.parts, parts.length, () => new PartView(this.root));
        parts.forEach((part, index) => this.parts[index].show(part, theme, send));
    }

    remove() {
        this.root.remove();
    }
}

class PartView {
    constructor(parent) {
        this.root = element(parent, "div", "mha-glass-part");
        this.sign = element(this.root, "div", "mha-glass-sign");
        this.matrix = new MatrixView(this.root);
    }

    show(part, theme, send) {
        writeFormula(this.sign, part.sign);
        this.sign.hidden = !part.sign;
        this.matrix.show(part, theme, send);
    }

    remove() {
        this.root.remove();
    }
}

/** As many views as there are things to show: those that stay keep their cells, and with them the focus. */
function fit(views, count, make) {
    while (views.length > count) {
        views.pop().remove();
    }
    while (views.length < count) {
        views.push(make());
    }
}
