/** One head: a line that says what it does, its words and arcs, and over them what the active word looks at. */

import { Arcs, keptBits } from "./arcs.js";
import { arrowhead, cleared, measuring, spaced, strokeLines, strokeStems, withOpacity, Words } from "./drawing.js";
import { element, pointIn } from "./element.js";
import { arcFigure, binned, idlePen, MARGIN } from "./figure.js";
import { Across } from "./geometry.js";
import { headLine } from "./labels.js";
import { CONFIG, drawWhenSeen, isSeen, plotly } from "./plotly.js";
import { chosenAxis, hover, isInside, leave, otherAxis, pin, store, weight } from "./store.js";

const NUMBER_ROOM = 30;
const NUMBER_FONT = 13;
const LEAST_TINTED = 0.01;
// The others of a word, while one of its arcs is pointed at.
const BESIDE = 0.35;

export class Row {
    /** @param {{queries: WordFigure, keys: WordFigure}} words that all rows share */
    constructor(parent, words) {
        this.lines = words;
        this.element = element(parent, "section", "mha-row");
        const line = element(this.element, "div", "mha-row-line");
        this.name = element(line, "b");
        this.note = element(line, "span");
        this.picture = element(this.element, "div", "mha-row-picture");
        // Read aloud, the words are the strip's, and what they look at is said there.
        this.picture.ariaHidden = "true";
        this.below = element(this.picture, "canvas");
        this.many = element(this.picture, "canvas", "mha-row-arcs");
        this.plot = element(this.picture, "div", "mha-row-plot");
        this.places = {
            queries: element(this.picture, "div", "mha-row-words"),
            keys: element(this.picture, "div", "mha-row-words"),
        };
        this.above = element(this.picture, "canvas");
        this.picture.addEventListener("pointermove", (event) => this._point(event));
        this.picture.addEventListener("pointerleave", leave);
        this.picture.addEventListener("click", (event) => this._press(event));
    }

    /** Take a new view: room is made at once, drawing waits until the row is seen. */
    show(view, index, width) {
        this.view = view;
        this.index = index;
        this.head = view.heads[index];
        if (width !== this.width) {
            // A canvas of another width would stick out of the page, even with nothing on it.
            [this.hasMarks, this.hasMany, this.hasFew] = [true, true, true];
        }
        this.width = width;
        this.stale = true;
        this.name.textContent = this.head.name;
        this.name.style.color = this.head.colour;
        this.picture.style.height = `${this.head.stage.height}px`;
        drawWhenSeen(this.element, () => this._draw());
    }

    /** The active word has changed. */
    mark() {
        if (isSeen(this.element) && !this.stale) {
            this._mark();
        } else {
            drawWhenSeen(this.element, () => this._draw());
        }
    }

    async _draw() {
        if (this.stale) {
            this.stale = false;
            this._lay();
            await this._drawBase();
        }
        this._mark();
    }

    /** Where everything is. */
    _lay() {
        const { view, head } = this;
        const { stage } = head;
        this.across = new Across(view.half, this.width, MARGIN);
        this.arcs = new Arcs(view, this.index);
        const family = view.theme.font;
        this.queries = new Words(view.queries, stage.word_top, false, family, this.across);
        this.keys = view.same
            ? this.queries
            : new Words(view.keys, stage.key_word_top, true, family, this.across);
        const lines = [this.queries, this.keys];
        [this.chosen, this.other] = view.reading === "query" ? lines : lines.reverse();
    }

    async _drawBase() {
        const { view, head, index, width } = this;
        const few = this.arcs.all.length <= view.arcs_plotly;
        const wanted = JSON.stringify([
            view.weights, view.theme, view.half, width, head, view.queries, view.keys, [...keptBits(view, index)],
        ]);
        if (wanted === this.drawn) {
            return;
        }
        this.drawn = wanted;
        await this._drawWords();
        const stems = this._stems();
        this._drawMany(few ? [] : this.arcs.all, few ? [] : stems);
        await this._drawFew(few ? this.arcs.all : [], few ? stems : []);
    }

    async _drawWords() {
        const { view, width, lines, places } = this;
        places.keys.hidden = view.same;
        await lines.queries.place(places.queries, view, this.queries, width);
        if (!view.same) {
            await lines.keys.place(places.keys, view, this.keys, width);
        }
    }

    async _drawFew(arcs, stems) {
        if (!arcs.length && !stems.length && !this.hasFew) {
            return;
        }
        this.hasFew = arcs.length + stems.length > 0;
        const figure = arcFigure(this.view, this.head, arcs, stems, this.width);
        const drawer = await plotly();
        await drawer.react(this.plot, figure.data, figure.layout, CONFIG);
    }

    /** More arcs than Plotly can draw in reasonable time. */
    _drawMany(arcs, stems) {
        if (!arcs.length && !this.hasMany) {
            return;
        }
        this.hasMany = arcs.length > 0;
        const { view, head, across } = this;
        const context = cleared(this.many, this.width, head.stage.height);
        strokeStems(context, stems, across, view.theme.grid);
        const pen = idlePen(view, head);
        for (const { weight: binWeight, arcs: inBin } of binned(arcs, view.curves)) {
            strokeLines(context, inBin.map(({ curve }) => curve), binWeight, across, view.curves, pen);
        }
        for (const one of arcs) {
            arrowhead(context, one.curve, one.weight, across, view.curves, pen);
        }
    }

    /** Thin lines from the end of upright words down to their arcs below. */
    _stems() {
        const { angle, centres } = this.view.queries.line;
        if (angle !== -90 || !this.view.same) {
            return [];
        }
        const ahead = this.arcs.all.filter(({ query, key }) => key > query);
        const places = new Set(ahead.flatMap(({ query, key }) => [query, key]));
        return [...places].map((place) => [centres[place], ...this._stem(place)]);
    }

    _stem(place) {
        const { stage } = this.head;
        return [stage.word_top + this.queries.width(measuring, place) + 8, stage.number_top];
    }

    _mark() {
        const { view, head, index } = this;
        const active = store.active;
        this.note.textContent = headLine(view, index, active);
        const here = active !== null && isInside(active.row, chosenAxis(view));
        this.picture.classList.toggle("mha-fades", here);
        if (!here && !this.hasMarks) {
            return;
        }
        this.hasMarks = here;
        const below = cleared(this.below, this.width, head.stage.height);
        const above = cleared(this.above, this.width, head.stage.height);
        if (!here) {
            return;
        }
        const arcs = this.arcs.of(active);
        this._drawArcs(above, arcs, active);
        this._tint(below, above, active);
        this._number(above, arcs, active);
        const place = active.row - chosenAxis(view).window[0];
        this.chosen.paint(above, place, [view.theme.accent], view.theme.on_accent, 600);
    }

    _drawArcs(context, arcs, { column }) {
        const { view, head, across } = this;
        const pen = { colour: head.colour, opacity: view.curves.stressed, scale: head.stage.pen ** 0.5 };
        for (const one of arcs) {
            context.globalAlpha = column === null || column === one.column ? 1 : BESIDE;
            strokeLines(context, [one.curve], one.weight, across, view.curves, pen);
            arrowhead(context, one.curve, one.weight, across, view.curves, pen);
        }
        context.globalAlpha = 1;
    }

    /** A tint behind each word by its weight; muted words are written again, for on a tint they could not be read. */
    _tint(below, above, { row }) {
        const { view, head, index, other } = this;
        const [first, stop] = otherAxis(view).window;
        for (let column = first; column < stop; column++) {
            const share = weight(index, row, column) ?? 0;
            const place = column - first;
            if (share < LEAST_TINTED || !other.isWritten(place) || (view.same && column === row)) {
                continue;
            }
            const tint = withOpacity(head.colour, share * view.curves.tint);
            if (other.special.has(place)) {
                other.paint(above, place, [view.theme.surface, tint], view.theme.ink);
            } else {
                other.paint(below, place, [tint]);
            }
        }
    }

    /** The weights of the word's arcs, each at its other end, and the words there that are left out for want of room. */
    _number(context, arcs, { row, column }) {
        const { view, head, other } = this;
        const { number_top: keysTop, number_height: height } = head.stage;
        // There is room above the keys of two lines, and below the queries.
        const top = view.same || view.reading === "query" ? keysTop : other.bottom;
        const first = otherAxis(view).window[0];
        const foremost = [...arcs].sort(
            (one, two) => (two.column === column) - (one.column === column) || two.weight - one.weight,
        );
        const numbers = foremost.map((one) => [other.x(one.column - first), one]);
        context.textAlign = "center";
        context.textBaseline = "middle";
        for (const [x, one] of spaced(numbers, NUMBER_ROOM)) {
            const place = one.column - first;
            if (!other.isWritten(place) && one.column !== row) {
                const tint = withOpacity(head.colour, one.weight * view.curves.tint);
                other.paint(context, place, [view.theme.surface, tint], view.theme.ink);
            }
            context.font = `600 ${NUMBER_FONT}px ${view.theme.font}`;
            context.fillStyle = head.colour;
            context.fillText(one.weight.toFixed(2), x, top + height / 2);
        }
    }

    _point(event) {
        const found = this._at(event);
        this.picture.classList.toggle("mha-pointed", found !== null);
        if (found) {
            hover(found.row, found.column);
        } else {
            leave();
        }
    }

    _press(event) {
        const found = this._at(event);
        if (found) {
            pin(found.row);
        }
    }

    /** The word or the arc at the pointer. */
    _at(event) {
        if (this.stale) {
            return null;
        }
        const [x, y] = pointIn(this.picture, event);
        const place = this.chosen.at(measuring, x, y);
        if (place !== null) {
            return { row: place + chosenAxis(this.view).window[0], column: null };
        }
        return this.arcs.nearest(x, y, this.across);
    }
}
