/** The live picture: what the server mounts on the page, each kind with its own module. */

import { isDark } from "./colours.js";
import { mountMaps } from "./maps.js";
import { mountOverview } from "./overview.js";
import { unpack } from "./payload.js";
import { mountRows } from "./rows.js";
import { mountSave } from "./save.js";
import { free, leave, receiveView, receiveWeights, send, setSend, store } from "./store.js";

const mounts = { weights, rows, maps: mountMaps, overview: mountOverview, save: mountSave };
const latest = {};
let askedFor = null;

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
    askForTheme(component.parentElement);
}

/** When a person turns the page from light to dark, the server does not know until something asks it to draw anew. */
function askForTheme(element) {
    const ground = getComputedStyle(element).getPropertyValue("--st-background-color");
    const isOther = store.view && ground && ground !== askedFor && isDark(ground) !== (store.view.theme.name === "dark");
    askedFor = isOther ? ground : null;
    if (isOther) {
        send({});
    }
}

/** Unpacking takes its time: what was sent later must not be overtaken. */
async function receive(kind, bytes, done) {
    latest[kind] = bytes;
    const unpacked = await unpack(bytes);
    if (latest[kind] === bytes) {
        done(unpacked);
    }
}

const styled = Promise.all(["./style.css", "./maps.css"].map(load));

function load(name) {
    return new Promise((resolve) => {
        const link = document.createElement("link");
        link.rel = "stylesheet";
        link.href = new URL(name, import.meta.url).href;
        // Without its style the picture is still better than none.
        link.onload = link.onerror = resolve;
        document.head.append(link);
    });
}

document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
        leave();
        free();
    }
});

window.mhaViz = { store };
