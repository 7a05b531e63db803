/** The maps that one head or many heads give: a row for each number of heads. */

import { dress, rampColours } from "../spotlight/colours.js";
import { element } from "../spotlight/element.js";

export class HeadMaps {
    constructor(parent) {
        this.root = element(parent, "div", "mha-glass mha-head-maps");
    }

    show({ theme, rows, words, chosen }, send) {
        dress(this.root, theme);
        this.root.replaceChildren();
        for (const { h, maps } of rows) {
            const row = element(this.root, "div", "mha-head-row");
            element(row, "span", "mha-head-count").textContent = h === 1 ? "1 head" : `${h} heads`;
            maps.forEach((codes, head) => {
                const button = element(row, "button", "mha-head-map");
                button.type = "button";
                button.setAttribute("aria-pressed", String(chosen[0] === h && chosen[1] === head));
                button.setAttribute("aria-label", `h = ${h}, head ${head}: ${strongest(codes, words)}`);
                button.title = `h = ${h}, head ${head}: ${strongest(codes, words)}. Click to follow it.`;
                button.addEventListener("click", () => send({ follow: [h, head] }));
                paint(element(button, "canvas"), codes, words.length, theme);
            });
        }
    }
}

/** One pixel a weight; the style sheet makes it larger. */
function paint(canvas, codes, count, theme) {
    [canvas.width, canvas.height] = [count, count];
    const pen = canvas.getContext("2d");
    const colour = rampColours(theme.ramp);
    codes.forEach((code, place) => {
        pen.fillStyle = `rgb(${colour(code / 255)})`;
        pen.fillRect(place % count, Math.floor(place / count), 1, 1);
    });
}

function strongest(codes, words) {
    const place = codes.indexOf(Math.max(...codes));
    const [query, key] = [Math.floor(place / words.length), place % words.length];
    return `most from ${words[query]} to ${words[key]}, ${(codes[place] / 255).toFixed(2)}`;
}
