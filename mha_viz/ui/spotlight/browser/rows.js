/** The words of the text, and below them the chosen heads, one a row. */

import { dress } from "./colours.js";
import { element } from "./element.js";
import { Row } from "./row.js";
import { store, subscribe } from "./store.js";
import { Strip } from "./strip.js";
import { WordFigure } from "./word_figure.js";

const mounted = new WeakMap();

/** Called again at every change of the data: there is one picture for each place in the page. */
export function mountRows(parentElement) {
    if (!mounted.has(parentElement)) {
        mounted.set(parentElement, new Rows(parentElement));
    }
}

class Rows {
    constructor(parentElement) {
        this.root = element(parentElement, "div", "mha-rows");
        this.strip = new Strip(this.root);
        this.rows = [];
        const unseen = element(this.root, "div", "mha-unseen");
        unseen.ariaHidden = "true";
        this.words = {
            queries: new WordFigure(element(unseen, "div")),
            keys: new WordFigure(element(unseen, "div")),
        };
        subscribe(this.root, (change) => this._follow(change));
        new ResizeObserver(() => this._resize()).observe(this.root);
    }

    _follow(change) {
        if (change === "view") {
            this._show();
        } else if (this.rows.length) {
            this._mark();
        }
    }

    _show() {
        const { view } = store;
        dress(this.root, view.theme);
        this.root.style.setProperty("--mha-faded", view.curves.faded[1] / view.curves.opacity[1]);
        while (this.rows.length > view.heads.length) {
            this.rows.pop().element.remove();
        }
        while (this.rows.length < view.heads.length) {
            this.rows.push(new Row(this.root, this.words));
        }
        this.strip.show(view);
        this.strip.mark();
        this._showRows();
    }

    _showRows() {
        this.width = this.root.clientWidth;
        this.rows.forEach((row, index) => row.show(store.view, index, this.width));
    }

    _mark() {
        this.strip.mark();
        this.rows.forEach((row) => row.mark());
    }

    _resize() {
        if (this.rows.length && this.root.clientWidth && this.root.clientWidth !== this.width) {
            this._showRows();
        }
    }
}
