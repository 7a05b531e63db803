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

async function drawNear() {
    if (drawing) {
        return;
    }
    drawing = true;
    let drawn = false;
    for (let next = nextNear(); next; next = nextNear()) {
        await new Promise(requestAnimationFrame);
        const draw = waiting.get(next);
        waiting.delete(next);
        try {
            await draw?.();
        } catch (error) {
            // What cannot be drawn must not keep the others from being drawn.
            console.error(error);
        }
        drawn = true;
    }
    drawing = false;
    if (drawn) {
        performance.mark("spotlight drawn");
    }
}

function nextNear() {
    return [...waiting.keys()].find((element) => near.has(element));
}
