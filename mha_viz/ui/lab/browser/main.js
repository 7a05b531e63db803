/** Painting: a grid of cells that are filled or empty, a query (a row) by a key (a column). */

import { arrowStep } from "../spotlight/arrow_keys.js";
import { dress, loadStyle } from "../spotlight/colours.js";
import { element } from "../spotlight/element.js";

const mounted = new WeakMap();

/** Show what the server has sent; called again with every change of it. */
export async function mount(_, { data, parentElement, setTriggerValue }) {
    await styled;
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new Grid(parentElement));
    }
    mounted.get(parentElement).show(data, (event) => setTriggerValue("chosen", event));
}

class Grid {
    constructor(parent) {
        this.root = element(parent, "div", "mha-paint");
        this.table = element(this.root, "table");
        this.brush = null;
        // The number of the stroke that the server has not answered yet; null for none.
        this.told = null;
        this.names = "";
        this.table.addEventListener("pointerdown", (event) => this.press(event));
        this.table.addEventListener("pointerover", (event) => this.drag(event));
        window.addEventListener("pointerup", () => this.lift());
        window.addEventListener("pointercancel", () => this.lift());
        this.table.addEventListener("keydown", (event) => this.key(event));
    }

    show({ theme, queries, keys, rows, answered, label, states }, send) {
        dress(this.root, theme);
        this.send = send;
        [this.filled, this.empty] = states;
        this.table.setAttribute("aria-label", label);
        this.strokes ??= answered;
        if (this.told === answered) {
            this.told = null;
        }
        const names = JSON.stringify([queries, keys]);
        const isOther = names !== this.names;
        if (isOther) {
            [this.brush, this.told] = [null, null];
        }
        // What is being painted, or was and is on its way, is newer than what the server knows.
        if (this.brush === null && this.told === null) {
            this.rows = rows.map((row) => [...row]);
        }
        if (isOther) {
            this.names = names;
            this.build(queries, keys);
        }
        this.draw();
    }

    build(queries, keys) {
        this.table.replaceChildren();
        const head = element(this.table, "tr");
        element(head, "td");
        keys.forEach((text, key) => name(head, text, `the whole column ${text}`, { column: key }));
        this.cells = queries.map((text, query) => {
            const row = element(this.table, "tr");
            name(row, text, `the whole row ${text}`, { row: query });
            return keys.map((seen, key) => {
                const cell = element(element(row, "td"), "button", "mha-paint-cell");
                Object.assign(cell.dataset, { query, key });
                cell.type = "button";
                cell.tabIndex = query || key ? -1 : 0;
                cell.title = `${text} → ${seen}`;
                return cell;
            });
        });
    }

    draw() {
        this.cells.forEach((row, query) =>
            row.forEach((cell, key) => {
                const may = this.rows[query][key];
                cell.setAttribute("aria-pressed", may);
                cell.setAttribute("aria-label", `${cell.title}: ${may ? this.filled : this.empty}`);
            }),
        );
    }

    /** A cell begins a stroke; a name turns its whole row or column. */
    press(event) {
        const target = event.target.closest("button");
        if (!target || event.button) {
            return;
        }
        if (target.dataset.query === undefined) {
            this.turnLine(target.dataset);
            return;
        }
        // A touch would hold on to the cell where it began.
        target.releasePointerCapture?.(event.pointerId);
        this.brush = !this.rows[target.dataset.query][target.dataset.key];
        this.fill(target);
    }

    drag(event) {
        const cell = event.target.closest(".mha-paint-cell");
        if (cell && this.brush !== null) {
            this.fill(cell);
        }
    }

    lift() {
        if (this.brush !== null) {
            this.brush = null;
            this.tell();
        }
    }

    fill(cell) {
        this.rows[cell.dataset.query][cell.dataset.key] = this.brush;
        this.draw();
    }

    turnLine({ row, column }) {
        const places = this.rows.flatMap((cells, query) => cells.map((_, key) => [query, key]));
        const line = places.filter(([query, key]) => (row === undefined ? key === Number(column) : query === Number(row)));
        const may = !line.every(([query, key]) => this.rows[query][key]);
        line.forEach(([query, key]) => (this.rows[query][key] = may));
        this.draw();
        this.tell();
    }

    key(event) {
        const target = event.target.closest("button");
        const { query, key } = target.dataset;
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            if (query === undefined) {
                this.turnLine(target.dataset);
                return;
            }
            this.rows[query][key] = !this.rows[query][key];
            this.draw();
            this.tell();
            return;
        }
        const step = arrowStep(event);
        const next = step && query !== undefined && this.cells[Number(query) + step[0]]?.[Number(key) + step[1]];
        if (next) {
            event.preventDefault();
            target.tabIndex = -1;
            next.tabIndex = 0;
            next.focus();
        }
    }

    tell() {
        this.told = ++this.strokes;
        this.send({ stroke: this.told, rows: this.rows.map((row) => row.map((may) => (may ? "1" : "0")).join("")) });
    }
}

/** The name of a row or column, which turns all of it. */
function name(row, text, title, place) {
    const button = element(element(row, "th"), "button", "mha-paint-name");
    Object.assign(button.dataset, place);
    button.type = "button";
    button.tabIndex = -1;
    button.title = title;
    element(button, "span").textContent = text;
}

const styled = loadStyle(new URL("./style.css", import.meta.url).href);
