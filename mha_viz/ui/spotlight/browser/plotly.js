/** Plotly, loaded once; and drawing what is on the screen, one element a frame, so that the page never freezes. */

// The page itself answers to the pointer: Plotly draws, and nothing else.
export const CONFIG = { staticPlot: true, displayModeBar: false, responsive: false };

let loading = null;

/** @returns {Promise<object>} Plotly, which is 5 MB and so loaded only when something has to be drawn with it */
export function plotly() {
    loading ??= new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = new URL("./plotly.min.js", import.meta.url).href;
        script.onload = () => resolve(window.Plotly);
        script.onerror = () => reject(new Error("expected plotly.min.js beside the page's own scripts; reload the page"));
        document.head.append(script);
    });
    return loading;
}

const waiting = new Map();
const near = new WeakSet();
let drawing = false;

const MARGIN = "400px";
// The page scrolls inside an element of its own: there `scrollMargin` counts, `rootMargin` where the document scrolls.
const observer = new IntersectionObserver(seen, { rootMargin: MARGIN, scrollMargin: MARGIN });

function seen(entries) {
    for (const { target, isIntersecting } of entries) {
        if (isIntersecting) {
            near.add(target);
        } else {
            near.delete(target);
        }
        if (!target.isConnected) {
            observer.unobserve(target);
            waiting.delete(target);
        }
    }
    drawNear();
}

/** Whether an element that was given to `drawWhenSeen` is on the screen or close to it. */
export function isSeen(element) {
    return near.has(element);
}

/**
 * Draw an element once it comes near the screen; only the last `draw` given for it counts.
 *
 * @param {Element} element
 * @param {() => void|Promise<void>} draw
 */
export function drawWhenSeen(element, draw) {
    waiting.set(element, draw);
    observer.observe(element);
    drawNear();
}

let waitingForScreen = [];

/** Done once all that is on the screen is drawn. */
export async function whenDrawn() {
    // In the next frame the page has been told of what came, and begins to draw.
    await new Promise(requestAnimationFrame);
    if (drawing) {
        await new Promise((resolve) => waitingForScreen.push(resolve));
    }
}

// Milliseconds of drawing in one frame: the page answers in between, and what is painted together costs less.
const AT_ONCE = 30;

async function drawNear() {
    if (drawing || !nextNear()) {
        return;
    }
    drawing = true;
    performance.mark("spotlight drawing");
    let begin = -Infinity;
    for (let next = nextNear(); next; next = nextNear()) {
        if (waitingForScreen.length && !isOnScreen(next)) {
            screenIsDrawn();
        }
        if (performance.now() - begin > AT_ONCE) {
            await new Promise(requestAnimationFrame);
            begin = performance.now();
        }
        const draw = waiting.get(next);
        waiting.delete(next);
        try {
            await draw?.();
        } catch (error) {
            // What cannot be drawn must not keep the others from being drawn.
            console.error(error);
        }
    }
    drawing = false;
    screenIsDrawn();
    performance.mark("spotlight drawn");
}

function screenIsDrawn() {
    waitingForScreen.forEach((done) => done());
    waitingForScreen = [];
}

/** What is on the screen goes first. */
function nextNear() {
    const all = [...waiting.keys()].filter((element) => near.has(element));
    return all.find(isOnScreen) ?? all[0];
}

function isOnScreen(element) {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
}
