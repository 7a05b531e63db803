/** One map on a canvas: a row a word that looks, a column a word that is looked at. */

import { rampColours } from "../spotlight/colours.js";
import { element, pointIn } from "../spotlight/element.js";
import { saidOfMasked } from "../spotlight/readings.js";

// Pixels.
const MOST_CELL = 26, LEAST_CELL = 5, FONT = 13, LEAST_FONT = 8, MOST_LABEL = 110, GAP = 6;

export class Panel {
    constructor(parent, data, { theme, zmax, lines }, owner) {
        Object.assign(this, { data, theme, zmax, owner, queries: lines[data.queries], keys: lines[data.keys] });
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
        this.colour = rampColours(theme.ramp);
    }

    /** What is under a pointer: a cell, the name of a row or of a column. */
    placeAt(event) {
        const [x, y] = pointIn(this.canvas, event);
        const at = (pixels) => Math.floor((pixels - this.edge) / this.cell);
        const [query, key] = [at(y), at(x)];
        const within = (position, { texts }) => (position >= 0 && position < texts.length ? position : null);
        const place = { query: within(query, this.queries), key: within(key, this.keys) };
        return place.query === null && place.key === null ? null : place;
    }

    draw(place) {
        this.say(place);
        const width = this.root.clientWidth;
        if (!width) {
            return;
        }
        const pen = this.canvas.getContext("2d");
        pen.font = `${FONT}px ${this.theme.font}`;
        const texts = [...this.queries.texts, ...this.keys.texts];
        const longest = Math.max(...texts.map((text) => pen.measureText(text).width));
        this.edge = Math.ceil(Math.min(longest, MOST_LABEL, width / 3)) + GAP;
        this.cell = Math.max(LEAST_CELL, Math.min(MOST_CELL, Math.floor((width - this.edge) / this.keys.texts.length)));
        // The cells' right and lower ends.
        this.right = this.at(this.keys.texts.length);
        this.bottom = this.at(this.queries.texts.length);
        const ratio = window.devicePixelRatio || 1;
        Object.assign(this.canvas, { width: this.right * ratio, height: this.bottom * ratio });
        Object.assign(this.canvas.style, { width: `${this.right}px`, height: `${this.bottom}px` });
        pen.scale(ratio, ratio);
        this.drawCells(pen, place);
        this.drawNames(pen, place);
        this.frame(pen, place);
    }

    drawCells(pen, { query, key }) {
        const gap = this.cell > 10 ? 1 : 0;
        this.data.weights.forEach((row, one) =>
            row.forEach((weight, other) => {
                const lit = (query === null || query === one) && (key === null || query !== null || key === other);
                pen.globalAlpha = lit ? 1 : 0.3;
                pen.fillStyle = `rgb(${this.colour(weight / this.zmax)})`;
                pen.fillRect(this.at(other), this.at(one), this.cell - gap, this.cell - gap);
            }),
        );
        pen.globalAlpha = 1;
        pen.strokeStyle = this.theme.grid;
        pen.strokeRect(this.edge - 0.5, this.edge - 0.5, this.right - this.edge + 1, this.bottom - this.edge + 1);
    }

    drawNames(pen, { query, key }) {
        const size = Math.max(LEAST_FONT, Math.min(FONT, this.cell - 1));
        const room = this.edge - GAP;
        pen.textBaseline = "middle";
        const name = (text, x, y, lit, special) => {
            pen.font = `${lit ? 700 : 400} ${size}px ${this.theme.font}`;
            pen.fillStyle = lit ? this.theme.accent : special ? this.theme.muted : this.theme.ink;
            pen.fillText(text, x, y, room);
        };
        pen.textAlign = "right";
        this.queries.texts.forEach((text, position) =>
            name(text, room, this.at(position) + this.cell / 2, position === query, this.queries.special.includes(position)),
        );
        pen.textAlign = "left";
        this.keys.texts.forEach((text, position) => {
            pen.save();
            pen.translate(this.at(position) + this.cell / 2, room);
            pen.rotate(-Math.PI / 2);
            name(text, 0, 0, position === key, this.keys.special.includes(position));
            pen.restore();
        });
    }

    frame(pen, { query, key }) {
        const row = query !== null && query >= 0;
        pen.strokeStyle = this.theme.accent;
        pen.lineWidth = 2;
        if (row) {
            pen.strokeRect(this.edge, this.at(query), this.right - this.edge - 1, this.cell);
        }
        if (key !== null && key >= 0) {
            const top = row ? this.at(query) : this.edge;
            pen.strokeRect(this.at(key), top, this.cell, row ? this.cell : this.bottom - top - 1);
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
        const looks = this.queries.texts, seen = this.keys.texts;
        if (this.data.masked.includes(query)) {
            return saidOfMasked(looks[query]);
        }
        if (query !== null && key !== null) {
            return `${looks[query]} → ${seen[key]} ${this.data.weights[query][key].toFixed(2)}`;
        }
        if (query !== null) {
            const row = this.data.weights[query], most = row.indexOf(Math.max(...row));
            return `${looks[query]} looks most at ${seen[most]} ${row[most].toFixed(2)}`;
        }
        if (key !== null) {
            const column = this.data.weights.map((row) => row[key]), most = column.indexOf(Math.max(...column));
            return `${seen[key]} gets most from ${looks[most]} ${column[most].toFixed(2)}`;
        }
        return this.data.note;
    }
}
