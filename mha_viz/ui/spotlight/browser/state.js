/** What all parts of the page share: the weights, the view, and which word is hovered or pinned. */

export const store = {
    weights: null,
    view: null,
    pinned: null,
    hovered: null,
    get active() {
        return this.hovered ?? (this.pinned === null ? null : { row: this.pinned, column: null });
    },
};

const subscribers = [];
let sender = () => {};

/** Call back with "view" or "active" at every change, once a frame, for as long as the element is in the page. */
export function subscribe(element, callback) {
    subscribers.push({ element, callback });
}

/** @param {(name: string, event: object) => void} setTriggerValue the way back to the server */
export function setSend(setTriggerValue) {
    sender = setTriggerValue;
}

export function send(event) {
    sender("chosen", event);
}

let cameWeights = null;
let cameView = null;

export function receiveWeights({ header, arrays }) {
    cameWeights = { whole: null, ...header, ...arrays };
    adopt();
}

export function receiveView({ header, arrays }) {
    cameView = { exact: null, ranks: null, ...header, ...arrays };
    adopt();
}

/** Weights and view come one after the other: what belongs to different texts is never shown together. */
function adopt() {
    if (!cameView || cameView.weights !== cameWeights?.id) {
        return;
    }
    const other = store.weights?.id !== cameWeights.id || store.view?.reading !== cameView.reading;
    store.weights = cameWeights;
    store.view = cameView;
    store.pinned = cameView.pinned;
    if (other) {
        store.hovered = null;
    }
    schedule("view");
}

/** The position on the chosen axis, and the one on the other axis where a single weight is meant. */
export function hover(row, column = null) {
    if (store.hovered?.row !== row || store.hovered.column !== column) {
        store.hovered = { row, column };
        schedule("active");
    }
}

export function leave() {
    if (store.hovered) {
        store.hovered = null;
        schedule("active");
    }
}

/** The second time frees. */
export function pin(row) {
    setPinned(store.pinned === row ? null : row);
}

export function free() {
    if (store.pinned !== null) {
        setPinned(null);
    }
}

function setPinned(row) {
    store.pinned = row;
    send({ query: row });
    schedule("active");
}

let scheduled = null;
let since = 0;

function schedule(change) {
    if (!scheduled) {
        since = window.event?.timeStamp ?? performance.now();
        requestAnimationFrame(notify);
    }
    scheduled = scheduled === "view" ? "view" : change;
}

function notify() {
    const change = scheduled;
    const start = performance.now();
    scheduled = null;
    for (const subscriber of [...subscribers]) {
        if (subscriber.element.isConnected) {
            subscriber.callback(change);
        } else {
            subscribers.splice(subscribers.indexOf(subscriber), 1);
        }
    }
    if (change === "active") {
        const end = performance.now();
        performance.measure("spotlight hover", { start: since, end });
        performance.measure("spotlight hover drawing", { start, end });
    }
}
