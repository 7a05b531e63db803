/** Maps side by side on one scale: a word that is pointed at in one of them lights up in all. Nothing is sent. */

import { arrowStep } from "../spotlight/arrow_keys.js";
import { dress, loadStyle } from "../spotlight/colours.js";
import { element } from "../spotlight/element.js";
import { Panel } from "./panel.js";

const mounted = new WeakMap();
const NOWHERE = { query: null, key: null };
// The narrowest that panels may get before they stand below each other.
const FEW = 4, WIDE = 320, NARROW = 250;

/** Show what the server has sent; called again with every change of it. */
export async function mount(_, { data, parentElement }) {
    await styled;
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new Panels(parentElement));
    }
    mounted.get(parentElement).show(data);
}

class Panels {
    constructor(parent) {
        this.root = element(parent, "div", "mha-compare");
        this.grid = element(this.root, "div", "mha-compare-panels");
        this.scale = element(this.root, "div", "mha-compare-scale");
        [this.pinned, this.lit] = [null, null];
        new ResizeObserver(() => this.draw()).observe(this.root);
        this.root.addEventListener("keydown", (event) => this.key(event));
    }

    show(data) {
        dress(this.root, data.theme);
        const words = JSON.stringify(data.lines);
        if (words !== this.words) {
            // What is lit are places in the lines of words.
            [this.words, this.pinned, this.lit] = [words, null, null];
        }
        this.data = data;
        const least = data.panels.length > FEW ? NARROW : WIDE;
        this.grid.style.gridTemplateColumns = `repeat(auto-fit, minmax(min(${least}px, 100%), 1fr))`;
        this.grid.replaceChildren();
        this.panels = data.panels.map((panel) => new Panel(this.grid, panel, data, this));
        this.drawScale(data);
        this.draw();
    }

    drawScale({ theme, zmax }) {
        this.scale.replaceChildren();
        element(this.scale, "span").textContent = "weight 0.00";
        element(this.scale, "span", "mha-compare-bar").style.background = `linear-gradient(to right, ${theme.ramp.join()})`;
        element(this.scale, "span").textContent =
            `${zmax.toFixed(2)}, one scale for all panels. A row is a word that looks; click keeps a word, Escape lets go.`;
    }

    /** Point at a place of a panel, {query, key}, each a position or null; a pinned one stays. */
    point(panel, place) {
        if (!this.pinned) {
            this.light(panel, place);
        }
    }

    pin(panel, place) {
        const pinned = JSON.stringify([panel.data.queries, panel.data.keys, place]);
        this.pinned = pinned === this.pinned || place === null ? null : pinned;
        this.light(panel, place);
    }

    light(panel, place) {
        this.lit = place && { ...place, lines: { query: panel.data.queries, key: panel.data.keys } };
        this.draw();
    }

    /** Where a panel has the words that are lit; -1 for one that it does not have. */
    placeIn({ data: { queries, keys } }) {
        if (!this.lit) {
            return NOWHERE;
        }
        const partner = (name, line) => {
            const position = this.lit[name];
            return position === null ? null : (this.data.links[this.lit.lines[name]][line][position] ?? -1);
        };
        return { query: partner("query", queries), key: partner("key", keys) };
    }

    word(name) {
        return this.data.lines[this.lit.lines[name]].texts[this.lit[name]];
    }

    draw() {
        this.panels?.forEach((panel) => panel.draw(this.placeIn(panel)));
    }

    key(event) {
        if (event.key === "Escape") {
            this.pinned = null;
            this.light(null, null);
            return;
        }
        const step = arrowStep(event);
        const panel = this.panels.find(({ canvas }) => canvas === event.target);
        if (step && panel) {
            event.preventDefault();
            const { query, key } = this.placeIn(panel);
            const moved = (position, by, { texts }) => Math.min(Math.max((position ?? 0) + by, 0), texts.length - 1);
            this.pinned = null;
            this.pin(panel, {
                query: moved(query, step[0], panel.queries),
                key: step[1] || key !== null ? moved(key, step[1], panel.keys) : null,
            });
        }
    }
}

const styled = loadStyle(new URL("./style.css", import.meta.url).href);
