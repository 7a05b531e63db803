/** All of a long text as a thin bar, with a frame around the part that is shown: dragging or arrow keys move it. */

import { cleared, withOpacity } from "./drawing.js";
import { element } from "./element.js";
import { part } from "./labels.js";
import { meanWeight, otherAxis, send, store } from "./store.js";

const HEIGHT = 14;
const FRAME = 2;

export class WindowBar {
    /** @param {"queries"|"keys"} side which line of words it moves */
    constructor(parent, side) {
        this.side = side;
        this.root = element(parent, "div", "mha-window");
        this.root.hidden = true;
        this.earlier = this._button("‹ earlier", -1);
        this.canvas = element(this.root, "canvas", "mha-window-bar");
        this.later = this._button("later ›", 1);
        this.where = element(this.root, "span", "mha-window-part");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "slider");
        this.canvas.addEventListener("pointerdown", (event) => this._press(event));
        this.canvas.addEventListener("pointermove", (event) => this._drag(event));
        this.canvas.addEventListener("pointerup", () => this._drop());
        this.canvas.addEventListener("pointercancel", () => this._cancel());
        this.canvas.addEventListener("keydown", (event) => this._key(event));
        this.canvas.addEventListener("keyup", () => this._drop());
        this.dragged = false;
        // Starts that the server has not answered yet.
        this.asked = [];
        new ResizeObserver(() => this.mark()).observe(this.canvas);
    }

    show(view) {
        this.axis = view[this.side];
        const [start, stop, total] = this.axis?.window ?? [0, 0, 0];
        this.root.hidden = stop - start === total;
        [this.length, this.total] = [stop - start, total];
        const answered = this.asked.indexOf(start);
        this.asked.splice(0, answered < 0 ? this.asked.length : answered + 1);
        const what = { queries: "that look", keys: "that are looked at" }[this.side];
        this.canvas.setAttribute("aria-label", `Part of the text: words${view.same ? "" : ` ${what}`}`);
        // A hand that is moving it is not interrupted, and what was asked for last is on its way.
        this._move(this.dragged || this.asked.length ? this.start : start);
    }

    mark() {
        if (this.root.hidden || !this.canvas.clientWidth) {
            return;
        }
        const { active, view } = store;
        const width = this.canvas.clientWidth;
        const context = cleared(this.canvas, width, HEIGHT);
        const pixels = width / this.total;
        context.fillStyle = view.theme.grid;
        context.fillRect(0, 4, width, HEIGHT - 8);
        if (active && otherAxis() === this.axis) {
            this._tint(context, active.row, pixels);
        }
        context.strokeStyle = view.theme.ink;
        context.lineWidth = FRAME;
        const framed = Math.max(this.length * pixels, 3 * FRAME);
        const left = Math.min(this.start * pixels, width - framed);
        context.strokeRect(left + FRAME / 2, FRAME / 2, framed - FRAME, HEIGHT - FRAME);
    }

    /** One column a position, by the weight that it gets from the active word. */
    _tint(context, row, pixels) {
        const colour = store.view.theme.ramp.at(-2);
        for (let position = 0; position < this.total; position++) {
            const share = meanWeight(row, position);
            if (share) {
                context.fillStyle = withOpacity(colour, share ** 0.5);
                context.fillRect(position * pixels, 0, Math.max(pixels, 1), HEIGHT);
            }
        }
    }

    _button(text, direction) {
        const button = element(this.root, "button", "mha-window-button");
        button.type = "button";
        button.textContent = text;
        button.addEventListener("click", () => {
            this._move(this.start + direction * this.length);
            this._send();
        });
        return button;
    }

    /** Show another start at once; the server is asked when the hand is off. */
    _move(start) {
        const last = this.total - this.length;
        this.start = Math.min(Math.max(Math.round(start), 0), last);
        [this.earlier.disabled, this.later.disabled] = [this.start === 0, this.start === last];
        const text = part([this.start, this.start + this.length, this.total]);
        this.where.textContent = text;
        this.canvas.ariaValueMin = 0;
        this.canvas.ariaValueMax = last;
        this.canvas.ariaValueNow = this.start;
        this.canvas.ariaValueText = text;
        this.mark();
    }

    _send() {
        const { view } = store;
        this.dragged = false;
        if (this.start === (this.asked.at(-1) ?? this.axis.window[0])) {
            return;
        }
        this.asked.push(this.start);
        if (view.same) {
            send({ start: this.start, key_start: null });
        } else {
            const starts = { queries: view.queries.window[0], keys: view.keys.window[0], [this.side]: this.start };
            send({ start: starts.queries, key_start: starts.keys });
        }
    }

    _press(event) {
        this.canvas.setPointerCapture(event.pointerId);
        const at = this._position(event);
        // Inside the frame it is taken where it is held, elsewhere it jumps there.
        const inside = at >= this.start && at < this.start + this.length;
        this.held = inside ? at - this.start : this.length / 2;
        this.dragged = true;
        this._move(at - this.held);
    }

    _drag(event) {
        if (this.dragged && this.canvas.hasPointerCapture(event.pointerId)) {
            this._move(this._position(event) - this.held);
        }
    }

    _drop() {
        if (this.dragged) {
            this._send();
        }
    }

    _cancel() {
        this.dragged = false;
        this._move(this.axis.window[0]);
    }

    _position(event) {
        const frame = this.canvas.getBoundingClientRect();
        return ((event.clientX - frame.left) / frame.width) * this.total;
    }

    _key(event) {
        const step = Math.max(Math.round(this.length / 8), 1);
        const moved = {
            ArrowLeft: this.start - step,
            ArrowDown: this.start - step,
            ArrowRight: this.start + step,
            ArrowUp: this.start + step,
            PageUp: this.start - this.length,
            PageDown: this.start + this.length,
            Home: 0,
            End: this.total,
        }[event.key];
        if (moved !== undefined) {
            event.preventDefault();
            this.dragged = true;
            this._move(moved);
        }
    }
}
