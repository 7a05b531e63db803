/** The chosen heads as maps of what the windows hold, side by side. */

import { dress } from "./colours.js";
import { element } from "./element.js";
import { HeadMap } from "./head_map.js";
import { unpack } from "./payload.js";
import { store, subscribe } from "./store.js";

const mounted = new WeakMap();
let shown = null;

/** Show the maps that the server describes, with the weights and the words that are there. */
export async function mountMaps({ data, parentElement, setTriggerValue }) {
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new Maps(parentElement));
    }
    const maps = mounted.get(parentElement);
    maps.send = (event) => setTriggerValue("chosen", event);
    maps.data = data;
    const unpacked = await unpack(data);
    if (maps.data === data) {
        shown = maps;
        receiveMaps(unpacked);
    }
}

/** What is drawn around the weights of the maps on the page, if there are maps. */
export function receiveMaps({ header }) {
    shown?.show(header);
}

class Maps {
    constructor(parent) {
        this.root = element(parent, "div", "mha-maps");
        this.blocks = [];
        subscribe(this.root, (change) => (change === "view" ? this.draw() : this.mark()));
    }

    show(header) {
        this.header = header;
        dress(this.root, header.theme);
        const { length } = header.heads;
        for (const block of this.blocks.splice(length)) {
            block.root.remove();
        }
        while (this.blocks.length < length) {
            this.blocks.push(new HeadMap(this.root, (event) => this.send(event)));
        }
        this.draw();
    }

    draw() {
        const { weights, view } = store;
        const id = this.header?.weights;
        // Maps, weights and words come one after the other: those of different texts are never shown together.
        if (id !== undefined && id === weights?.id && id === view?.weights) {
            this.blocks.forEach((block, index) => block.show(this.header, index));
        }
    }

    mark() {
        for (const block of this.blocks) {
            block.mark();
        }
    }
}
