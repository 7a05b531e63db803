/** A line of words as Plotly draws it. It is the same in every row, so it is drawn once, and each row has a copy. */

import { wordFigure } from "./figure.js";
import { CONFIG, plotly } from "./plotly.js";

export class WordFigure {
    /** @param {HTMLElement} host a place in the page where nobody sees it: what is not in the page has no size */
    constructor(host) {
        this.host = host;
    }

    /**
     * @param {object} view
     * @param {object} axis of the view: the words that look, or those that are looked at
     * @returns {Promise<Element>} a picture of its own, whose upper edge is the line's
     */
    async copy(view, axis, width) {
        const wanted = JSON.stringify([view.theme, view.half, axis.line, axis.texts, width]);
        if (wanted !== this.wanted) {
            this.wanted = wanted;
            this.drawn = this._draw(view, axis.line, width);
        }
        await this.drawn;
        const picture = this.host.querySelector(".infolayer").closest("svg").cloneNode(true);
        picture.classList.add("mha-row-words");
        return picture;
    }

    async _draw(view, line, width) {
        const drawer = await plotly();
        const figure = wordFigure(view, line, width);
        await drawer.react(this.host, figure.data, figure.layout, CONFIG);
    }
}
