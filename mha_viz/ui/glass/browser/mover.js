/** Moves the window of a matrix that is too large to be shown whole. */

import { element } from "../spotlight/element.js";

export class Mover {
    constructor(parent, what, axis) {
        Object.assign(this, { what, axis });
        this.root = element(parent, "div", "mha-mover");
        this.root.hidden = true;
        this.back = this.button("‹", `earlier ${what}`, -1);
        this.slider = element(this.root, "input");
        this.slider.type = "range";
        this.slider.min = 0;
        this.slider.setAttribute("aria-label", `first of the ${what} that are shown`);
        this.slider.addEventListener("change", () => this.move(Number(this.slider.value)));
        this.ahead = this.button("›", `later ${what}`, 1);
        this.part = element(this.root, "span");
    }

    show({ axes, first, total, rows, columns }, send) {
        const count = [rows, columns][this.axis].length;
        const [start, all] = [first[this.axis], total[this.axis]];
        Object.assign(this, { name: axes[this.axis], start, count, last: all - count, send });
        this.root.hidden = count === all;
        this.slider.max = this.last;
        this.slider.value = start;
        this.back.disabled = start === 0;
        this.ahead.disabled = start === this.last;
        this.part.textContent = `${this.what} ${start}–${start + count - 1} of ${all}`;
    }

    button(text, label, way) {
        const one = element(this.root, "button");
        one.type = "button";
        one.textContent = text;
        one.setAttribute("aria-label", label);
        one.addEventListener("click", () => this.move(this.start + way * this.count));
        return one;
    }

    move(start) {
        this.send({ window: [this.name, Math.min(Math.max(start, 0), this.last)] });
    }
}
