/** The live picture: what the server mounts on the page, each kind with its own module. */

import { loadStyle } from "./colours.js";
import { mountLayers } from "./layers.js";
import { mountMaps } from "./maps.js";
import { mountOverview, receiveSmallMaps } from "./overview.js";
import { unpack } from "./payload.js";
import { mountRows } from "./rows.js";
import { mountSave } from "./save.js";
import { free, leave, receiveView, receiveWeights, setSend, store } from "./store.js";
import "./typed.js";

const mounts = {
    layers: mountLayers,
    weights,
    rows,
    maps: mountMaps,
    small_maps: ({ data }) => receive("small_maps", data, receiveSmallMaps),
    overview: mountOverview,
    save: mountSave,
};
const latest = {};

/** Show what the server has sent; called again with every change of it. */
export async function mount(kind, component) {
    await styled;
    await mounts[kind](component);
}

async function weights({ data }) {
    await receive("weights", data, receiveWeights);
}

async function rows(component) {
    setSend(component.setTriggerValue);
    mountRows(component.parentElement);
    await receive("rows", component.data, receiveView);
}

/** Unpacking takes its time: what was sent later must not be overtaken. */
async function receive(kind, bytes, done) {
    latest[kind] = bytes;
    const unpacked = await unpack(bytes);
    if (latest[kind] === bytes) {
        done(unpacked);
    }
}

const styled = Promise.all(
    ["./style.css", "./maps.css"].map((name) => loadStyle(new URL(name, import.meta.url).href)),
);

document.addEventListener("keydown", (event) => {
    // The module stays loaded when a person goes on to another page.
    if (event.key === "Escape" && document.querySelector(".mha-rows")) {
        leave();
        free();
    }
});

window.mhaViz = { store };
