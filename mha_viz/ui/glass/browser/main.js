/** The four steps: what the server mounts on the page, each kind with its own module. */

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
    askForTheme(parentElement, data.theme, setTriggerValue);
}

/** When a person turns the page from light to dark, the server does not know until something asks it to draw anew. */
function askForTheme(parentElement, theme, setTriggerValue) {
    const ground = getComputedStyle(parentElement).getPropertyValue("--st-background-color").trim();
    const isDark = /^#[0-9a-f]{6}$/i.test(ground) && parseInt(ground.slice(1, 3), 16) < 128;
    const isOther = ground && isDark !== (theme.name === "dark") && asked !== ground;
    asked = isOther ? ground : asked;
    if (isOther) {
        setTriggerValue("chosen", {});
    }
}

let asked = null;

const styled = new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL("./style.css", import.meta.url).href;
    // Without its style the page is still better than none.
    link.onload = link.onerror = resolve;
    document.head.append(link);
});
