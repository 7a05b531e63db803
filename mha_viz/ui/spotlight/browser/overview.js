/** Every head of the model as a small map: one stitched picture, and over it the active word in all of them. */

import { arrowStep } from "./arrow_keys.js";
import { colourOfCodes } from "./code_colours.js";
import { dress } from "./colours.js";
import { cleared } from "./drawing.js";
import { element, pointIn } from "./element.js";
import { gridFigure, stitched } from "./grid_figure.js";
import { Overlay, frame } from "./overlay.js";
import { unpack } from "./payload.js";
import { CONFIG, drawWhenSeen, isSeen, plotly } from "./plotly.js";
import { hover, leave, store, subscribe } from "./store.js";

const FRAME = 3;
const mounted = new WeakMap();
// The maps come apart from what is drawn around them, so that choosing a head does not send them again.
let smallMaps = null;
let shown = null;

export function receiveSmallMaps({ header, arrays }) {
    smallMaps = { id: header.id, codes: arrays.codes };
    shown?.join();
}

/** Show the small maps; a click on one, or Enter, opens its head. */
export async function mountOverview({ data, parentElement, setTriggerValue }) {
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new Overview(parentElement));
    }
    const overview = mounted.get(parentElement);
    overview.open = ([layer, head]) => setTriggerValue("chosen", { layer, head });
    overview.data = data;
    const { header } = await unpack(data);
    if (overview.data === data) {
        overview.came = header;
        shown = overview;
        overview.join();
    }
}

class Overview {
    constructor(parent) {
        this.root = element(parent, "div", "mha-overview");
        this.root.tabIndex = 0;
        this.root.setAttribute("role", "application");
        this.root.setAttribute("aria-roledescription", "all heads");
        this.below = element(this.root, "canvas", "mha-overview-maps");
        this.plot = element(this.root, "div", "mha-overview-plot");
        this.overlay = new Overlay(this.root);
        // The map that is pointed at or walked to.
        this.current = null;
        this.root.addEventListener("pointermove", (event) => this.point(event));
        this.root.addEventListener("pointerleave", () => this.quit());
        this.root.addEventListener("blur", () => this.quit());
        this.root.addEventListener("click", (event) => this.press(this.under(event)?.map));
        this.root.addEventListener("keydown", (event) => this.walk(event));
        new ResizeObserver(() => this.header && this.arrange()).observe(this.root);
        subscribe(this.root, () => this.mark());
    }

    /** Draw once both have come, the maps and what is drawn around them. */
    join() {
        if (this.came?.codes === smallMaps?.id) {
            this.show(this.came);
        }
    }

    show(header) {
        // The same array tells Plotly that the maps are still the same.
        if (this.header?.codes !== header.codes) {
            this.codes = smallMaps.codes;
            this.z = this.codes.length > header.cells_plotly ? null : stitched(header, this.codes);
        }
        this.header = header;
        this.current = null;
        dress(this.root, header.theme);
        const { maps, layout } = header;
        this.root.style.height = `${layout.height}px`;
        const all = `All ${maps.length} heads, a small map each: layers down, heads across.`;
        this.root.setAttribute("aria-label", `${all} Arrow keys walk the maps, Enter opens one.`);
        this.arrange();
    }

    /** Fit the picture to the width there is. */
    arrange() {
        const { margin, height, xaxis, yaxis } = this.header.layout;
        this.width = this.root.clientWidth;
        this.x = axis(xaxis.range[0], xaxis.range[1], margin.l, this.width - margin.l - margin.r);
        this.y = axis(yaxis.range[1], yaxis.range[0], margin.t, height - margin.t - margin.b);
        this.stale = true;
        drawWhenSeen(this.root, () => this.draw());
    }

    async draw() {
        if (this.stale) {
            this.stale = false;
            await this.drawMaps();
        }
        this.paint();
    }

    async drawMaps() {
        this.below.hidden = this.z !== null;
        if (!this.z) {
            this.paintMaps();
        }
        const figure = gridFigure(this.header, this.z, this.width);
        const Plotly = await plotly();
        await Plotly.react(this.plot, figure.data, figure.layout, CONFIG);
    }

    /** More cells than Plotly can draw in reasonable time, in the same places and colours. */
    paintMaps() {
        const { maps, theme, layout, shape: [rows, columns] } = this.header;
        const pen = cleared(this.below, this.width, layout.height);
        const one = new OffscreenCanvas(columns, rows);
        const pixels = new ImageData(columns, rows);
        const painted = new Uint32Array(pixels.data.buffer);
        const colours = colourOfCodes(theme.ramp, 1);
        maps.forEach((map, index) => {
            const place = this.place(map);
            const codes = this.codes.subarray(index * painted.length, (index + 1) * painted.length);
            codes.forEach((code, cell) => {
                painted[cell] = colours[code];
            });
            one.getContext("2d").putImageData(pixels, 0, 0);
            pen.imageSmoothingEnabled = place[2] < columns;
            pen.drawImage(one, ...place);
        });
    }

    /** Where a map is, in pixels. */
    place([layer, head]) {
        const side = this.header.map;
        return [
            this.x.pixel(head - side / 2),
            this.y.pixel(layer - side / 2),
            side * this.x.unit,
            side * this.y.unit,
        ];
    }

    /** The active word or the map that is meant has changed. */
    mark() {
        if (this.header && isSeen(this.root)) {
            this.paint();
        } else if (this.header) {
            drawWhenSeen(this.root, () => this.draw());
        }
    }

    paint() {
        const { theme, maps, layout } = this.header;
        const pen = this.overlay.clear(this.width, layout.height);
        const cell = this.activeCell();
        if (cell !== null) {
            pen.strokeStyle = theme.accent;
            pen.lineWidth = 1;
            for (const map of maps) {
                pen.strokeRect(...this.band(this.place(map), cell));
            }
        }
        if (this.current) {
            const place = this.place(this.current);
            const [left, top, width, height] = place;
            const [layer, head, sentence] = this.current;
            const around = [left - FRAME, top - FRAME, width + 2 * FRAME, height + 2 * FRAME];
            frame(pen, theme.ink, FRAME, around);
            this.overlay.say(`L${layer} H${head} · ${sentence}`, place, height + 8);
        } else {
            this.overlay.hush();
        }
    }

    /** Which row, or for the reading "key" which column, of each small map the active word is in. */
    activeCell() {
        const { first, pooled, shape } = this.header;
        if (first === null || !store.active) {
            return null;
        }
        const cell = Math.floor((store.active.row - first) / pooled);
        return cell >= 0 && cell < shape[this.alongRows() ? 0 : 1] ? cell : null;
    }

    alongRows() {
        return store.view?.reading !== "key";
    }

    /** A line above and one below the row's cells, which stay to be seen. */
    band([left, top, width, height], cell) {
        const [rows, columns] = this.header.shape;
        return this.alongRows()
            ? [left, top + (cell / rows) * height - 0.5, width, height / rows + 1]
            : [left + (cell / columns) * width - 0.5, top, width / columns + 1, height];
    }

    /** The map under the pointer, and which of its rows and columns. */
    under(event) {
        const [pixelsAcross, pixelsDown] = pointIn(this.root, event);
        const [x, y] = [this.x.at(pixelsAcross), this.y.at(pixelsDown)];
        const map = this.find(Math.round(y), Math.round(x));
        const { map: side, shape } = this.header;
        const [down, across] = [y - Math.round(y), x - Math.round(x)].map((off) => off / side + 0.5);
        if (!map || Math.min(down, across) < 0 || Math.max(down, across) >= 1) {
            return null;
        }
        return { map, row: Math.floor(down * shape[0]), column: Math.floor(across * shape[1]) };
    }

    find(layer, head) {
        return this.header.maps.find((map) => map[0] === layer && map[1] === head) ?? null;
    }

    point(event) {
        const place = this.under(event);
        this.turnTo(place?.map ?? null);
        const { first, pooled } = this.header;
        if (place && first !== null) {
            hover(first + pooled * (this.alongRows() ? place.row : place.column));
        } else {
            leave();
        }
    }

    press(map) {
        if (map) {
            this.open(map);
        }
    }

    quit() {
        this.turnTo(null);
        leave();
    }

    walk(event) {
        const step = arrowStep(event);
        if (step) {
            event.preventDefault();
            this.turnTo(this.current ? this.next(step) : this.firstMap());
        } else if (event.key === "Enter") {
            this.press(this.current);
        }
    }

    firstMap() {
        const { selected, maps } = this.header;
        return selected.length ? this.find(...selected[0]) : maps[0];
    }

    /** The next map that way; a layer without attention is stepped over. */
    next([down, right]) {
        const { n_layers, n_heads } = this.header;
        let [layer, head] = this.current;
        do {
            [layer, head] = [layer + down, head + right];
            const map = this.find(layer, head);
            if (map) {
                return map;
            }
        } while (layer >= 0 && layer < n_layers && head >= 0 && head < n_heads);
        return this.current;
    }

    turnTo(map) {
        if (map !== this.current) {
            this.current = map;
            this.mark();
        }
    }
}

/** From places among maps to pixels and back. */
function axis(first, last, start, length) {
    const unit = length / (last - first);
    return {
        unit,
        pixel: (place) => start + (place - first) * unit,
        at: (pixel) => first + (pixel - start) / unit,
    };
}
