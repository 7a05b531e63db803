/** A head's map of all of a long text, small: it shows where the part below lies, and moves it. */

import { arrowStep } from "./arrow_keys.js";
import { colourOfCodes } from "./code_colours.js";
import { element, pointIn } from "./element.js";
import { Overlay, frame } from "./overlay.js";
import { isInside, store } from "./store.js";

const BOX = 2;
const SMALLEST = 8;

export class WholeMap {
    /**
     * @param {HTMLElement} host
     * @param {(event: object) => void} send tells the server where the windows shall start
     */
    constructor(host, send) {
        this.send = send;
        this.root = element(host, "div", "mha-whole");
        this.body = element(this.root, "div", "mha-whole-body");
        this.body.tabIndex = 0;
        this.body.setAttribute("role", "application");
        this.body.setAttribute("aria-roledescription", "map of the whole text");
        this.image = element(this.body, "canvas");
        this.overlay = new Overlay(this.body);
        this.caption = element(this.root, "p", "mha-whole-caption");
        this.body.addEventListener("pointermove", (event) => this.point(event));
        this.body.addEventListener("pointerleave", () => this.overlay.hush());
        this.body.addEventListener("click", (event) => this.centre(this.under(event)));
        this.body.addEventListener("keydown", (event) => this.walk(event));
    }

    show(header, index) {
        this.root.hidden = !header.whole;
        this.whole = header.whole;
        if (!header.whole) {
            return;
        }
        const { size, n_query, n_key, unit } = header.whole;
        const { queries, keys } = store.view;
        const head = header.heads[index];
        Object.assign(this, { header, index, head, queries, keys: keys ?? queries });
        this.start = [queries.window[0], this.keys.window[0]];
        this.scale = size / Math.max(n_query, n_key);
        this.pooled = Math.ceil(1 / (this.scale * this.given().pooled)) * this.given().pooled;
        const { width, height } = this.size;
        Object.assign(this.body.style, { width: `${width}px`, height: `${height}px` });
        const all = `All ${n_query} × ${n_key} ${unit}s`;
        const points = `Each point is the largest of ${this.pooled} × ${this.pooled} weights.`;
        const lines = [`${all}; the box is the part below.`, "Click to move it."];
        this.caption.textContent = [...lines, ...(this.pooled > 1 ? [points] : [])].join(" ");
        this.body.setAttribute("aria-label", `${head.name}. ${all}. Arrow keys move the part below.`);
    }

    get size() {
        const { n_query, n_key } = this.whole;
        return { width: n_key * this.scale, height: n_query * this.scale };
    }

    /** The codes of all of the text, as the server sent them. */
    given() {
        const { whole, codes, pooled } = store.weights;
        return { codes: whole ?? codes, pooled: whole ? pooled : 1 };
    }

    draw() {
        const { header, whole, head, index } = this;
        const wanted = JSON.stringify([header?.weights, whole, index, head?.zmax, header?.theme.ramp]);
        if (!whole || wanted === this.drawn) {
            return;
        }
        this.drawn = wanted;
        const { codes, rows, columns } = this.points();
        const pixels = new ImageData(columns, rows);
        const colours = colourOfCodes(header.theme.ramp, head.zmax);
        const painted = new Uint32Array(pixels.data.buffer);
        codes.forEach((code, place) => {
            painted[place] = colours[code];
        });
        Object.assign(this.image, { width: columns, height: rows });
        this.image.style.width = `${columns * this.pooled * this.scale}px`;
        this.image.style.height = `${rows * this.pooled * this.scale}px`;
        this.image.getContext("2d").putImageData(pixels, 0, 0);
    }

    /** A code a point; where there are more codes than points, the largest. */
    points() {
        const { codes, pooled } = this.given();
        const [, nRows, nColumns] = codes.shape;
        const factor = this.pooled / pooled;
        const [rows, columns] = [Math.ceil(nRows / factor), Math.ceil(nColumns / factor)];
        const points = new Uint8Array(rows * columns);
        for (let row = 0; row < nRows; row++) {
            const start = (this.index * nRows + row) * nColumns;
            const target = Math.floor(row / factor) * columns;
            for (let column = 0; column < nColumns; column++) {
                const place = target + Math.floor(column / factor);
                points[place] = Math.max(points[place], codes[start + column]);
            }
        }
        return { codes: points, rows, columns };
    }

    /** The box of the part below, and a line for the active word. */
    mark() {
        if (!this.whole) {
            return;
        }
        const { scale, queries, keys, header } = this;
        const { width, height } = this.size;
        const pen = this.overlay.clear(width, height);
        const { active } = store;
        if (active) {
            const at = (active.row + 0.5) * scale;
            pen.fillStyle = header.theme.accent;
            const looks = store.view.reading === "query";
            pen.fillRect(...(looks ? [0, at - 0.5, width, 1] : [at - 0.5, 0, 1, height]));
        }
        const [wide, high] = [keys, queries].map((axis) => Math.max(length(axis) * scale, SMALLEST));
        const [top, left] = this.start.map((start) => start * scale);
        const box = [Math.min(left, width - wide), Math.min(top, height - high), wide, high];
        frame(pen, header.theme.surface, 2 * BOX, box);
        frame(pen, header.theme.ink, BOX, box);
    }

    under(event) {
        const { n_query, n_key } = this.whole;
        const [across, down] = pointIn(this.body, event);
        const at = (pixels, total) => clamp(Math.floor(pixels / this.scale), total - 1);
        return [at(down, n_query), at(across, n_key)];
    }

    point(event) {
        const [query, key] = this.under(event);
        const [across, down] = pointIn(this.body, event);
        const said = `${named(this.queries, query, "query")} → ${named(this.keys, key, "key")}`;
        this.overlay.say(said, [across + 8, down], 18);
    }

    /** Put the box around a query and a key: on the diagonal, if the key is there too. */
    centre([query, key]) {
        const start = clamp(query - Math.floor(length(this.queries) / 2), room(this.queries));
        const near = key >= start && key < start + length(this.keys);
        const aside = clamp(key - Math.floor(length(this.keys) / 2), room(this.keys));
        this.move(start, near && start <= room(this.keys) ? start : aside);
    }

    walk(event) {
        const step = arrowStep(event);
        if (step) {
            event.preventDefault();
            const [query, key] = [this.queries, this.keys].map((axis, place) =>
                clamp(this.start[place] + step[place] * Math.ceil(length(axis) / 2), room(axis)),
            );
            this.move(query, key);
        }
    }

    /** The box is there at once; the part below follows as soon as the server answers. */
    move(query, key) {
        this.start = [query, key];
        this.mark();
        this.send({ start: query, key_start: query === key ? null : key });
    }
}

function length({ window: [start, stop] }) {
    return stop - start;
}

/** The last place where a window can start. */
function room(axis) {
    return axis.window[2] - length(axis);
}

function clamp(position, last) {
    return Math.max(0, Math.min(position, last));
}

/** What a word is called: only those of the part below are known. */
function named(axis, position, kind) {
    const name = isInside(position, axis) ? ` ${axis.names[position - axis.window[0]]}` : "";
    return `${kind} ${position}${name}`;
}
