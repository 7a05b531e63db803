/** One map on a canvas: a row a word that looks, a column a word that is looked at. */

import { element, pointIn } from "../spotlight/element.js";

// Pixels.
const MOST_CELL = 26, LEAST_CELL = 5, FONT = 13, LEAST_FONT = 8, MOST_LABEL = 110, GAP = 6;

export class Panel {
    constructor(parent, data, { theme, zmax, lines }, owner) {
        Object.assign(this, { data, theme, zmax, owner, ...lines[data.line] });
        this.root = element(parent, "div", "mha-compare-panel");
        element(this.root, "div", "mha-compare-name").textContent = data.name;
        this.said = element(this.root, "div", "mha-compare-said");
        this.said.setAttribute("aria-live", "polite");
        this.canvas = element(this.root, "canvas");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", `${data.name}: ${data.note}. Arrow keys go from word to word.`);
        this.canvas.addEventListener("pointermove", (event) => owner.point(this, this.placeAt(event)));
        this.canvas.addEventListener("pointerleave", () => owner.point(this, null));
        this.canvas.addEventListener("click", (event) => owner.pin(this, this.placeAt(event)));
        this.colour = colours(theme.ramp);
    }

    /** What is under a pointer: a cell, the name of a row or of a column. */
    placeAt(event) {
        const [x, y] = pointIn(this.canvas, event);
        const at = (pixels) => Math.floor((pixels - this.edge) / this.cell);
        const [query, key] = [at(y), at(x)];
        const inside = (position) => position >= 0 && position < this.texts.length;
        if (!inside(query) && !inside(key)) {
            return null;
        }
        return { query: inside(query) ? query : null, key: inside(key) ? key : null };
    }

    draw(place) {
        this.say(place);
        const count = this.texts.length, width = this.root.clientWidth;
        if (!width) {
            return;
        }
        const pen = this.canvas.getContext("2d");
        pen.font = `${FONT}px ${this.theme.font}`;
        const longest = Math.max(...this.texts.map((text) => pen.measureText(text).width));
        this.edge = Math.ceil(Math.min(longest, MOST_LABEL, width / 3)) + GAP;
        this.cell = Math.max(LEAST_CELL, Math.min(MOST_CELL, Math.floor((width - this.edge) / count)));
        const side = this.edge + this.cell * count, ratio = window.devicePixelRatio || 1;
        Object.assign(this.canvas, { width: side * ratio, height: side * ratio });
        Object.assign(this.canvas.style, { width: `${side}px`, height: `${side}px` });
        pen.scale(ratio, ratio);
        this.drawCells(pen, place);
        this.drawNames(pen, place);
        this.frame(pen, place, side);
    }

    drawCells(pen, { query, key }) {
        const gap = this.cell > 10 ? 1 : 0;
        this.data.weights.forEach((row, one) =>
            row.forEach((weight, other) => {
                const lit = (query === null || query === one) && (key === null || query !== null || key === other);
                pen.globalAlpha = lit ? 1 : 0.3;
                pen.fillStyle = this.colour(weight / this.zmax);
                pen.fillRect(this.at(other), this.at(one), this.cell - gap, this.cell - gap);
            }),
        );
        pen.globalAlpha = 1;
        pen.strokeStyle = this.theme.grid;
        pen.strokeRect(this.edge - 0.5, this.edge - 0.5, this.cell * this.texts.length + 1, this.cell * this.texts.length + 1);
    }

    drawNames(pen, { query, key }) {
        const size = Math.max(LEAST_FONT, Math.min(FONT, this.cell - 1));
        const room = this.edge - GAP;
        pen.textBaseline = "middle";
        this.texts.forEach((text, position) => {
            const middle = this.at(position) + this.cell / 2;
            const name = (lit) => {
                pen.font = `${lit ? 700 : 400} ${size}px ${this.theme.font}`;
                pen.fillStyle = lit ? this.theme.accent : this.special.includes(position) ? this.theme.muted : this.theme.ink;
            };
            name(position === query);
            pen.textAlign = "right";
            pen.fillText(text, room, middle, room);
            name(position === key);
            pen.textAlign = "left";
            pen.save();
            pen.translate(middle, room);
            pen.rotate(-Math.PI / 2);
            pen.fillText(text, 0, 0, room);
            pen.restore();
        });
    }

    frame(pen, { query, key }, side) {
        pen.strokeStyle = this.theme.accent;
        pen.lineWidth = 2;
        const length = side - this.edge;
        if (query !== null && query >= 0) {
            pen.strokeRect(this.edge, this.at(query), length - 1, this.cell);
        }
        if (key !== null && key >= 0) {
            const row = query !== null && query >= 0;
            pen.strokeRect(this.at(key), row ? this.at(query) : this.edge, this.cell, row ? this.cell : length - 1);
        }
    }

    at(position) {
        return this.edge + this.cell * position;
    }

    /** The numbers of what is lit, in words; else what the head does. */
    say({ query, key }) {
        this.said.toggleAttribute("data-active", query !== null || key !== null);
        this.said.textContent = this.sentence(query, key);
    }

    sentence(query, key) {
        const missing = query === -1 ? "query" : key === -1 ? "key" : null;
        if (missing) {
            return `“${this.owner.word(missing)}” has no partner here`;
        }
        if (query !== null && key !== null) {
            return `${this.texts[query]} → ${this.texts[key]} ${this.data.weights[query][key].toFixed(2)}`;
        }
        if (query !== null) {
            const row = this.data.weights[query], most = row.indexOf(Math.max(...row));
            return `${this.texts[query]} looks most at ${this.texts[most]} ${row[most].toFixed(2)}`;
        }
        if (key !== null) {
            const column = this.data.weights.map((row) => row[key]), most = column.indexOf(Math.max(...column));
            return `${this.texts[key]} gets most from ${this.texts[most]} ${column[most].toFixed(2)}`;
        }
        return this.data.note;
    }
}

/** A colour for a share of the scale. */
function colours(ramp) {
    const stops = ramp.map((colour) => [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16)));
    return (share) => {
        const place = Math.max(0, Math.min(share, 1)) * (stops.length - 1);
        const before = Math.min(Math.floor(place), stops.length - 2);
        const mixed = stops[before].map((part, channel) => part + (place - before) * (stops[before + 1][channel] - part));
        return `rgb(${mixed.map(Math.round).join()})`;
    };
}
