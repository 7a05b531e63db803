/** A matrix as a table of coloured numbers: a click or Enter explains a cell, arrow keys walk, typing edits. */

import { arrowStep } from "../spotlight/arrow_keys.js";
import { withOpacity } from "../spotlight/drawing.js";
import { element } from "../spotlight/element.js";
import { CellInput } from "./cell_input.js";
import { plainFormula, writeFormula } from "./formula.js";
import { Mover } from "./mover.js";

// How strong the colour of the largest number is: ink on it can still be read.
const FULL_TINT = 0.5;
const LONG_LABEL = 5;

export class MatrixView {
    constructor(parent) {
        this.root = element(parent, "figure", "mha-matrix");
        this.caption = element(this.root, "figcaption");
        this.name = element(this.caption, "span", "mha-matrix-name");
        this.shape = element(this.caption, "span", "mha-matrix-shape");
        this.scroller = element(this.root, "div", "mha-matrix-scroller");
        this.table = element(this.scroller, "table");
        this.table.setAttribute("role", "grid");
        this.movers = [new Mover(this.root, "rows", 0), new Mover(this.root, "columns", 1)];
        this.current = [0, 0];
        this.cells = [];
        this.table.addEventListener("click", (event) => this.press(event));
        this.table.addEventListener("dblclick", (event) => this.at(event) && this.edit());
        this.table.addEventListener("keydown", (event) => this.key(event));
        this.table.addEventListener("focusin", (event) => this.at(event));
    }

    show(part, theme, send) {
        Object.assign(this, { part, theme, send });
        writeFormula(this.name, part.label);
        this.name.style.color = theme.kinds[part.kind];
        this.shape.textContent = `${part.total[0]} × ${part.total[1]}`;
        const edits = part.editable ? ", F2 or typing edits" : "";
        this.table.setAttribute(
            "aria-label",
            `${plainFormula(part.label)}, ${part.total.join(" × ")}: arrow keys walk, Enter explains${edits}`,
        );
        this.table.dataset.name = part.name;
        this.table.classList.toggle("mha-editable", part.editable);
        this.movers.forEach((mover) => mover.show(part, send));
        this.build();
        this.fill();
        this.mark();
    }

    /** Rows and columns, if there are not as many as before. */
    build() {
        const { rows, columns } = this.part;
        if (this.cells.length === rows.length && this.cells[0]?.length === columns.length) {
            return;
        }
        this.table.replaceChildren();
        const head = element(element(this.table, "thead"), "tr");
        element(head, "td", "mha-corner");
        this.heads = columns.map(() => label(head, "col"));
        const body = element(this.table, "tbody");
        this.sides = [];
        this.cells = rows.map(() => {
            const row = element(body, "tr");
            this.sides.push(label(row, "row"));
            return columns.map(() => cell(row));
        });
        this.current = [0, 0];
        this.cells[0][0].tabIndex = 0;
    }

    fill() {
        const { rows, columns, values, decimals, largest, kind } = this.part;
        const tilted = columns.some((text) => text.length > LONG_LABEL);
        this.table.classList.toggle("mha-tilted", tilted);
        this.heads.forEach((head, place) => name(head, columns[place]));
        this.sides.forEach((side, place) => name(side, rows[place]));
        const colour = this.theme.kinds[kind];
        values.forEach((numbers, row) =>
            numbers.forEach((number, column) => {
                const one = this.cells[row][column];
                one.firstChild.textContent = short(number, decimals);
                one.title = `${rows[row]} · ${columns[column]}: ${long(number)}`;
                one.classList.toggle("mha-forbidden", number === null);
                const share = number === null || !largest ? 0 : Math.min(1, Math.abs(number) / largest);
                one.style.background = withOpacity(number < 0 ? this.theme.muted : colour, FULL_TINT * share);
            }),
        );
    }

    mark() {
        const { chosen, lit, edited } = this.part;
        for (const [kind, places] of Object.entries({ chosen, lit, edited })) {
            const marked = new Set(places.map(([row, column]) => this.cells[row][column]));
            this.cells.flat().forEach((one) => one.classList.toggle(`mha-${kind}`, marked.has(one)));
        }
        this.cells.flat().forEach((one) => one.setAttribute("aria-selected", one.classList.contains("mha-chosen")));
    }

    /** Make the cell that an event is about the current one; false if it is about none. */
    at({ target }) {
        const one = target.closest("td.mha-cell");
        const row = this.cells.findIndex((cells) => cells.includes(one));
        if (!one || row < 0) {
            return false;
        }
        this.turnTo(row, this.cells[row].indexOf(one));
        return true;
    }

    turnTo(row, column) {
        const [oldRow, oldColumn] = this.current;
        this.cells[oldRow][oldColumn].tabIndex = -1;
        this.current = [row, column];
        this.cells[row][column].tabIndex = 0;
    }

    press(event) {
        if (!this.input?.isOpen && this.at(event)) {
            this.explain();
        }
    }

    /** Where the current cell is in the whole matrix. */
    get place() {
        return this.current.map((place, axis) => this.part.first[axis] + place);
    }

    explain() {
        this.send({ cell: [this.part.name, ...this.place] });
    }

    edit(typed = null) {
        if (this.part.editable) {
            const [row, column] = this.current;
            const number = this.part.values[row][column];
            const place = this.place;
            this.input = new CellInput(this.cells[row][column], typed ?? long(number), (text) =>
                this.send({ edit: [this.part.name, ...place, text] }),
            );
        }
    }

    key(event) {
        if (this.input?.isOpen) {
            return;
        }
        const step = arrowStep(event);
        if (step) {
            event.preventDefault();
            this.walk(step);
        } else if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            this.explain();
        } else if (event.key === "F2" || (/^[-−\d.,]$/.test(event.key) && !event.ctrlKey && !event.metaKey)) {
            event.preventDefault();
            this.edit(event.key === "F2" ? null : event.key);
        }
    }

    /** To the next cell that way; at the edge of the window, the window moves. */
    walk(step) {
        const shown = [this.cells.length, this.cells[0].length];
        const next = this.current.map((place, axis) => place + step[axis]);
        const axis = step[0] ? 0 : 1;
        if (next[axis] >= 0 && next[axis] < shown[axis]) {
            this.turnTo(...next);
            this.cells[next[0]][next[1]].focus();
            return;
        }
        const start = this.part.first[axis] + step[axis];
        if (start >= 0 && start + shown[axis] <= this.part.total[axis]) {
            this.send({ window: [this.part.axes[axis], start] });
        }
    }
}

function label(row, scope) {
    const one = element(row, "th");
    one.scope = scope;
    element(one, "span");
    return one;
}

function name(head, text) {
    head.firstChild.textContent = text;
    head.firstChild.dir = "auto";
    head.title = text;
}

function cell(row) {
    const one = element(row, "td", "mha-cell");
    one.setAttribute("role", "gridcell");
    one.tabIndex = -1;
    element(one, "span");
    return one;
}

function short(number, decimals) {
    if (number === null) {
        return "−∞";
    }
    const text = number.toFixed(Math.abs(number) >= 100 ? 1 : decimals);
    return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** With nine digits. */
function long(number) {
    return number === null ? "−∞" : String(number).replace("-", "−");
}
