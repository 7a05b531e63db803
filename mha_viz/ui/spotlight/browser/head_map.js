/** One head's map: Plotly draws the weights, a canvas over them marks the active word. */

import { arrowStep } from "./arrow_keys.js";
import { withOpacity } from "./drawing.js";
import { element, pointIn } from "./element.js";
import { mapFigure, weightsIn, withoutTitle } from "./map_figure.js";
import { Overlay, frame } from "./overlay.js";
import { CONFIG, drawWhenSeen, isSeen, plotly } from "./plotly.js";
import { chosenAxis, hover, isInside, leave, otherAxis, pin, said, store, weight } from "./store.js";
import { WholeMap } from "./whole.js";

const VEIL = 0.45;
const FRAME = 2.5;
const CELL_FOR_NUMBERS = 28;

export class HeadMap {
    /**
     * @param {HTMLElement} host
     * @param {(event: object) => void} send tells the server where the windows shall start
     */
    constructor(host, send) {
        this.root = element(host, "section", "mha-map");
        const title = element(this.root, "div", "mha-map-title");
        this.name = element(title, "b");
        this.note = element(title, "span");
        this.whole = new WholeMap(this.root, send);
        this.body = element(this.root, "div", "mha-map-body");
        this.body.tabIndex = 0;
        this.body.setAttribute("role", "application");
        this.body.setAttribute("aria-roledescription", "map of weights");
        this.plot = element(this.body, "div");
        this.overlay = new Overlay(this.body);
        this.body.addEventListener("pointermove", (event) => this.point(event));
        this.body.addEventListener("pointerleave", () => this.quit());
        this.body.addEventListener("blur", () => this.quit());
        this.body.addEventListener("click", (event) => this.press(event));
        this.body.addEventListener("keydown", (event) => this.walk(event));
    }

    /** Keep room for the map, which is drawn as soon as it is near the screen. */
    show(header, index) {
        const head = header.heads[index];
        const { queries, keys } = store.view;
        const { grid, layout } = withoutTitle(header);
        Object.assign(this, { header, index, head, layout, queries, keys: keys ?? queries });
        this.grid = {
            ...grid,
            width: (layout.xaxis.range[1] - layout.xaxis.range[0]) * grid.cell,
            height: (layout.yaxis.range[0] - layout.yaxis.range[1]) * grid.cell,
        };
        this.name.textContent = head.name;
        this.name.style.color = head.colour;
        this.note.textContent = head.note;
        this.body.setAttribute("aria-label", `${head.name}: ${head.note}. Arrow keys walk the cells.`);
        // Whole pixels: a canvas between two would be blurred.
        this.body.style.width = `${Math.ceil(layout.width)}px`;
        this.body.style.height = `${Math.ceil(layout.height)}px`;
        this.whole.show(header, index);
        drawWhenSeen(this.root, () => this.draw());
    }

    async draw() {
        this.whole.draw();
        await this.drawWeights();
        this.paint();
    }

    async drawWeights() {
        const { header, head, index, layout } = this;
        const windows = [this.queries.window, this.keys.window];
        const wanted = JSON.stringify([header.weights, windows, index, head, layout, header.cells]);
        if (wanted === this.drawn) {
            return;
        }
        this.drawn = wanted;
        const figure = mapFigure(header.cells, head, layout, weightsIn(index, ...windows));
        const Plotly = await plotly();
        await Plotly.react(this.plot, figure.data, figure.layout, CONFIG);
    }

    /** The active word has changed. */
    mark() {
        if (!this.header) {
            return;
        }
        if (isSeen(this.root)) {
            this.paint();
        } else {
            drawWhenSeen(this.root, () => this.draw());
        }
    }

    /** Frame the active word, and the cell that is meant; veil what belongs to other words. */
    paint() {
        this.whole.mark();
        const { grid, layout } = this;
        const { theme } = this.header;
        const pen = this.overlay.clear(layout.width, layout.height);
        this.overlay.hush();
        const { active } = store;
        if (!active || !isInside(active.row, chosenAxis())) {
            return;
        }
        const { row, column } = active;
        const band = this.cell(row, null);
        pen.beginPath();
        pen.rect(grid.left, grid.top, grid.width, grid.height);
        pen.rect(...band);
        pen.fillStyle = withOpacity(theme.surface, VEIL);
        pen.fill("evenodd");
        if (grid.cell >= CELL_FOR_NUMBERS) {
            this.print(pen, row);
        }
        frame(pen, theme.accent, FRAME, band);
        const meant = column !== null && isInside(column, otherAxis());
        const cell = meant ? this.cell(row, column) : band;
        if (meant) {
            frame(pen, theme.ink, FRAME, cell);
        }
        if (this.attended) {
            this.overlay.say(this.toSink(row) ?? said(this.index, active), cell, grid.cell + 6);
        }
    }

    /** The column of the model's sink, if it has one; only words that look give something to it. */
    get sink() {
        const looks = store.view.reading === "query";
        return looks ? this.head.traces.find(({ type }) => type === "heatmap") : undefined;
    }

    /** What a word gives to the sink, where that is pointed at; null elsewhere. */
    toSink(row) {
        if (!this.sink || !this.beyondKeys) {
            return null;
        }
        const place = row - this.queries.window[0];
        const share = this.sink.z[place][0].toFixed(2);
        return `${this.queries.names[place]} → the model’s sink (no word) ${share}`;
    }

    /** The weights of a word, as numbers in its cells. */
    print(pen, row) {
        const { theme } = this.header;
        Object.assign(pen, { font: `12px ${theme.font}`, textAlign: "center", textBaseline: "middle" });
        for (const [[left, top, width, height], one] of this.numbers(row)) {
            pen.fillStyle = one > this.head.zmax / 2 ? theme.surface : theme.ink;
            pen.fillText(one.toFixed(2), left + width / 2, top + height / 2);
        }
    }

    /** Cells of a word and their weights; a query that may look at nothing has none. */
    numbers(row) {
        const masked = new Set(store.view.heads[this.index].masked);
        const [first, stop] = otherAxis().window;
        const place = row - chosenAxis().window[0];
        const numbers = [];
        for (let column = first; column < stop; column++) {
            if (!masked.has(store.view.reading === "query" ? place : column - first)) {
                numbers.push([this.cell(row, column), weight(this.index, row, column)]);
            }
        }
        if (this.sink && !masked.has(place)) {
            const column = first + this.sink.x0;
            numbers.push([this.cell(row, column), this.sink.z[place][0]]);
        }
        return numbers;
    }

    /** Left, top, width and height of a cell, or with a column of null of all cells of a word. */
    cell(row, column) {
        const { left, top, cell, width, height } = this.grid;
        const across = (row - chosenAxis().window[0]) * cell;
        const along = column === null ? 0 : (column - otherAxis().window[0]) * cell;
        const looks = store.view.reading === "query";
        if (column !== null) {
            return [left + (looks ? along : across), top + (looks ? across : along), cell, cell];
        }
        return looks ? [left, top + across, width, cell] : [left + across, top, cell, height];
    }

    /** The word under the pointer, on its cells or beside them, and the column if it is on a cell. */
    under(event) {
        const { left, top, cell, height } = this.grid;
        const [x, y] = pointIn(this.body, event);
        if (y > top + height) {
            return null;
        }
        const query = this.queries.window[0] + Math.floor((y - top) / cell);
        const key = this.keys.window[0] + Math.floor((x - left) / cell);
        const [row, column] = store.view.reading === "query" ? [query, key] : [key, query];
        if (!isInside(row, chosenAxis())) {
            return null;
        }
        return {
            row,
            column: isInside(column, otherAxis()) ? column : null,
            beyondKeys: key >= this.keys.window[1],
        };
    }

    point(event) {
        const place = this.under(event);
        this.attended = Boolean(place);
        if (place) {
            this.beyondKeys = place.beyondKeys;
            hover(place.row, place.column);
        } else {
            leave();
        }
    }

    quit() {
        this.attended = false;
        leave();
    }

    press(event) {
        const place = this.under(event);
        if (place) {
            pin(place.row);
        }
    }

    walk(event) {
        const step = arrowStep(event);
        if (step) {
            event.preventDefault();
            const [down, right] = store.view.reading === "query" ? step : step.toReversed();
            const { row, column } = store.active ?? { row: null, column: null };
            this.attended = true;
            this.beyondKeys = false;
            hover(within(chosenAxis(), row, down), within(otherAxis(), column, right));
        } else if (event.key === "Enter" && store.active) {
            pin(store.active.row);
        }
    }
}

/** A step along an axis that does not leave its window; the first step goes to its start. */
function within({ window: [start, stop] }, position, step) {
    return position === null ? start : Math.max(start, Math.min(position + step, stop - 1));
}
