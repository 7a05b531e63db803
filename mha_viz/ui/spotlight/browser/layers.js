/** The layers as a row of switches: another layer is drawn here at once, and the server hears of it after. */

import { ask, draw } from "./ahead.js";
import { element } from "./element.js";

const mounted = new WeakMap();

/** @param {object} component with `data`: `layers` that have attention, and which is `chosen` */
export function mountLayers(component) {
    const { data, parentElement, setTriggerValue } = component;
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new Layers(parentElement));
    }
    const layers = mounted.get(parentElement);
    layers.send = (layer) => setTriggerValue("chosen", { layer });
    layers.show(data);
}

class Layers {
    constructor(parent) {
        this.root = element(parent, "fieldset", "mha-layers");
        element(this.root, "legend").textContent = "Layer";
        this.list = element(this.root, "div", "mha-layers-list");
        // The one that was chosen here, until the server is told.
        this.asked = null;
        this.root.addEventListener("change", (event) => this.choose(Number(event.target.value)));
        this.root.addEventListener("pointerover", (event) => this.prepare(event));
    }

    show({ layers, chosen }) {
        if (JSON.stringify(layers) !== JSON.stringify(this.layers)) {
            this.layers = layers;
            this.list.replaceChildren(...layers.map((layer) => this.option(layer)));
        }
        const wanted = layers.includes(this.asked) ? this.asked : chosen;
        this.root.querySelector(`input[value="${wanted}"]`).checked = true;
    }

    option(layer) {
        const label = document.createElement("label");
        const input = element(label, "input");
        Object.assign(input, { type: "radio", name: "layer", value: layer });
        element(label, "span").textContent = layer;
        return label;
    }

    /** Fetch what a pointer is about to choose. */
    prepare(event) {
        const input = event.target.closest("label")?.querySelector("input");
        if (input && !input.checked) {
            ask({ layer: Number(input.value) });
        }
    }

    async choose(layer) {
        this.asked = layer;
        await draw(ask({ layer }));
        if (this.asked === layer) {
            this.asked = null;
            this.send(layer);
        }
    }
}
