/** Maps side by side on one scale: a word that is pointed at in one of them lights up in all. Nothing is sent. */

import { dress } from "../spotlight/colours.js";
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
        this.pinned = null;
        new ResizeObserver(() => this.draw()).observe(this.root);
        this.root.addEventListener("keydown", (event) => this.key(event));
    }

    show(data) {
        dress(this.root, data.theme);
        const words = JSON.stringify(data.lines);
        if (words !== this.words) {
            [this.words, this.pinned] = [words, null];
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
        const same = this.pinned && JSON.stringify(this.pinned) === JSON.stringify([panel.data.line, place]);
        this.pinned = same || place === null ? null : [panel.data.line, place];
        this.light(panel, place);
    }

    light(panel, place) {
        this.lit = place && { line: panel.data.line, ...place };
        this.draw();
    }

    /** Where a panel has the words that are lit; -1 for one that it does not have. */
    placeIn(line) {
        if (!this.lit) {
            return NOWHERE;
        }
        const partners = this.data.links[this.lit.line][line];
        const partner = (position) => (position === null ? null : (partners[position] ?? -1));
        return { query: partner(this.lit.query), key: partner(this.lit.key) };
    }

    word(name) {
        return this.data.lines[this.lit.line].texts[this.lit[name]];
    }

    draw() {
        this.panels?.forEach((panel) => panel.draw(this.placeIn(panel.data.line)));
    }

    key(event) {
        if (event.key === "Escape") {
            this.pinned = null;
            this.light(null, null);
            return;
        }
        const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
        const panel = this.panels.find(({ canvas }) => canvas === event.target);
        if (step && panel) {
            event.preventDefault();
            const { query, key } = this.placeIn(panel.data.line);
            const last = panel.texts.length - 1;
            const moved = (position, by) => Math.min(Math.max((position ?? 0) + by, 0), last);
            this.pinned = null;
            this.pin(panel, { query: moved(query, step[0]), key: step[1] || key !== null ? moved(key, step[1]) : null });
        }
    }
}

const styled = new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL("./style.css", import.meta.url).href;
    // Without its style the page is still better than none.
    link.onload = link.onerror = resolve;
    document.head.append(link);
});
