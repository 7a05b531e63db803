/** The four steps: what the server mounts on the page, each kind with its own module. */

import { loadStyle } from "../spotlight/colours.js";
import { Explanation } from "./explanation.js";
import { HeadMaps } from "./head_maps.js";
import { Step } from "./step.js";

const kinds = { step: Step, explanation: Explanation, head_maps: HeadMaps };
const mounted = new WeakMap();

/** Show what the server has sent; called again with every change of it. */
export async function mount(kind, { data, parentElement, setTriggerValue }) {
    await styled;
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new kinds[kind](parentElement));
    }
    mounted.get(parentElement).show(data, (event) => setTriggerValue("chosen", event));
}

const styled = loadStyle(new URL("./style.css", import.meta.url).href);
