/** What lies over a picture: a canvas for frames, and a label. Neither takes the pointer or any room. */

import { cleared } from "./drawing.js";
import { element } from "./element.js";

export class Overlay {
    /** @param {HTMLElement} host the positioned element that is covered */
    constructor(host) {
        this.host = host;
        this.canvas = element(host, "canvas", "mha-over");
        this.label = element(host, "div", "mha-label");
        this.label.setAttribute("role", "status");
        this.label.hidden = true;
    }

    /** The pen of an empty canvas of this size. */
    clear(width, height) {
        return cleared(this.canvas, width, height);
    }

    /** Say something `away` pixels below the top of a place, or above it where there is no room below. */
    say(text, [left, top], away) {
        const { host, label } = this;
        if (label.textContent !== text) {
            label.textContent = text;
        }
        label.hidden = text === "";
        const fits = top + away + label.offsetHeight <= host.clientHeight;
        label.style.left = `${Math.max(0, Math.min(left, host.clientWidth - label.offsetWidth))}px`;
        label.style.top = `${fits ? top + away : Math.max(0, top - 8 - label.offsetHeight)}px`;
    }

    hush() {
        this.label.hidden = true;
    }
}

/** A frame whose line lies inside the rectangle. */
export function frame(pen, colour, thickness, [left, top, width, height]) {
    pen.strokeStyle = colour;
    pen.lineWidth = thickness;
    pen.strokeRect(
        left + thickness / 2,
        top + thickness / 2,
        Math.max(width - thickness, 0),
        Math.max(height - thickness, 0),
    );
}
