/** The picture ahead of the page: fetched and drawn at once, while Streamlit's run of the page comes after it. */

import { receiveMaps } from "./maps.js";
import { unpack } from "./payload.js";
import { whenDrawn } from "./plotly.js";
import { receiveView, receiveWeights, store } from "./store.js";

// The page itself is not kept waiting longer than this.
const PATIENCE = 1500;
const MOST_KEPT = 12;
const answers = new Map();

/** What a person has typed, whether or not the server knows it yet; null where there is no such box. */
export function typedText() {
    return document.querySelector(".st-key-text_row textarea")?.value ?? null;
}

/**
 * Ask for the picture of what the address and the text box say; the same is not asked for twice.
 *
 * @param {{layer?: number}} changes what is to be other than in the address
 * @returns {Promise<Array|null>} weights, rows and maps; null where only the page can answer
 */
export function ask(changes = {}) {
    const link = Object.fromEntries(new URLSearchParams(location.search));
    const theme = store.view?.theme.name;
    const body = JSON.stringify({ link, text: typedText(), theme, ...changes });
    if (!answers.has(body)) {
        answers.set(body, answerTo(body));
        for (const oldest of [...answers.keys()].slice(0, -MOST_KEPT)) {
            answers.delete(oldest);
        }
    }
    return answers.get(body);
}

/** What did not come is asked for again the next time. */
async function answerTo(body) {
    const answer = await fetched(body);
    if (!answer) {
        answers.delete(body);
    }
    return answer;
}

async function fetched(body) {
    try {
        const response = await fetch(new URL("./ahead", import.meta.url), {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body,
            signal: AbortSignal.timeout(PATIENCE),
        });
        return response.status === 200 ? await parts(await response.arrayBuffer()) : null;
    } catch {
        return null;
    }
}

function parts(buffer) {
    const found = [];
    for (let at = 0; at < buffer.byteLength; ) {
        const length = new DataView(buffer).getUint32(at, true);
        found.push(unpack(new Uint8Array(buffer, at + 4, length)));
        at += 4 + length;
    }
    return Promise.all(found);
}

/** Draw what was asked for; done when it has been painted, or when there is nothing to draw. */
export async function draw(answer) {
    const came = await answer;
    if (came) {
        const [weights, rows, maps] = came;
        receiveWeights(weights);
        receiveView(rows);
        receiveMaps(maps);
        await whenDrawn();
        await painted();
        performance.mark("spotlight ahead");
    }
}

/** A message to oneself comes after the frame that is being made. */
function painted() {
    return new Promise((resolve) => {
        requestAnimationFrame(() => {
            const after = new MessageChannel();
            after.port1.onmessage = resolve;
            after.port2.postMessage(null);
        });
    });
}
