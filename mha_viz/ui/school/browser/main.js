/** A figure that changes in place: Plotly moves what is new about it, and nothing blinks. */

import { element } from "../spotlight/element.js";
import { plotly } from "../spotlight/plotly.js";

const mounted = new WeakMap();

/** Show what the server has sent; called again with every change of it. */
export function mount(_, { data, parentElement, setTriggerValue }) {
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new Figure(parentElement));
    }
    const choose = (event) => setTriggerValue("chosen", event);
    mounted.get(parentElement).show(data, choose);
}

class Figure {
    constructor(parent) {
        this.root = element(parent, "div", "mha-figure");
        this.root.setAttribute("role", "img");
        this.plot = element(this.root, "div");
        // Its own width is what may change; what stands around it keeps its place.
        new ResizeObserver(() => this.draw()).observe(this.root);
    }

    show({ figure, alt, config }, choose) {
        this.root.setAttribute("aria-label", alt);
        this.choose = choose;
        if (figure !== this.sent) {
            this.sent = figure;
            this.figure = JSON.parse(figure);
            this.config = config;
            this.root.style.height = `${this.figure.layout.height}px`;
            this.drawn = null;
            this.draw();
        }
    }

    async draw() {
        const Plotly = await plotly();
        const width = this.figure?.layout.width ?? this.root.clientWidth;
        if (!width || width === this.drawn) {
            return;
        }
        this.drawn = width;
        const { data, layout } = this.figure;
        await Plotly.react(this.plot, data, { ...layout, width }, this.config);
        if (!this.listens) {
            this.listens = true;
            this.plot.on("plotly_click", ({ points }) => this.pick(points[0]));
        }
    }

    pick(point) {
        if (point?.customdata) {
            this.choose({ point: point.customdata.slice(0, 2) });
        }
    }
}
