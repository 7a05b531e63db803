/** A line of words as Plotly draws it. It is the same in every row, so it is drawn once, and each row has a copy. */

import { measuring } from "./drawing.js";
import { wordFigure } from "./figure.js";
import { CONFIG, plotly } from "./plotly.js";

const SVG = "http://www.w3.org/2000/svg";

export class WordFigure {
    /** @param {HTMLElement} host a place in the page where nobody sees it: what is not in the page has no size */
    constructor(host) {
        this.host = host;
    }

    /**
     * Put the line into a row, unless it is there already.
     *
     * @param {Element} host in the row
     * @param {object} view
     * @param {Words} words where they stand in the row
     */
    async place(host, view, words, width) {
        const { line, texts } = words.axis;
        const wanted = JSON.stringify([view.theme, view.half, line, texts, width]);
        if (wanted !== this.wanted) {
            this.wanted = wanted;
            this.drawn = this._draw(view, words, width);
        }
        const picture = await this.drawn;
        if (host.shown !== wanted) {
            host.shown = wanted;
            host.replaceChildren(picture.cloneNode(true));
        }
        host.style.top = `${words.top}px`;
    }

    async _draw(view, words, width) {
        const { line } = words.axis;
        if (line.words.length > view.words_plotly) {
            return plainWords(view.theme, words, width);
        }
        const drawer = await plotly();
        const figure = wordFigure(view, line, width);
        await drawer.react(this.host, figure.data, figure.layout, CONFIG);
        return this.host.querySelector(".infolayer").closest("svg");
    }
}

/** More words than Plotly can write in reasonable time, in the same places and the same look. */
function plainWords(theme, words, width) {
    const picture = document.createElementNS(SVG, "svg");
    const { line, texts } = words.axis;
    picture.setAttribute("width", width);
    picture.setAttribute("height", line.height);
    Object.assign(picture.style, { font: `${line.font}px ${theme.font}`, textAnchor: "middle" });
    for (let place = 0; place < texts.length; place += line.step) {
        const word = document.createElementNS(SVG, "text");
        const { x, y, angle } = words.spot(place, words.width(measuring, place));
        word.setAttribute("transform", `translate(${x},${y - words.top}) rotate(${angle})`);
        word.setAttribute("y", words.baseline);
        const added = words.special.has(place);
        word.style.fill = added ? theme.muted : theme.ink;
        word.style.fontStyle = added ? "italic" : "normal";
        word.textContent = texts[place];
        picture.append(word);
    }
    return picture;
}
