/** The words of the text as chips: each tinted by how much it is looked at, or by what the active word has to do with it. */

import { withOpacity } from "./drawing.js";
import { element } from "./element.js";
import { outside } from "./labels.js";
import {
    chosenAxis, hover, isInside, leave, meanWeight, meanWeights, pin, said, send, store,
} from "./store.js";
import { WindowBar } from "./window_bar.js";

export class Strip {
    constructor(parent) {
        this.list = element(parent, "div", "mha-strip");
        this.list.setAttribute("role", "listbox");
        this.list.setAttribute("aria-orientation", "horizontal");
        this.list.setAttribute("aria-label", "Words: arrow keys walk, Enter pins, Escape frees");
        this.bars = [new WindowBar(parent, "queries"), new WindowBar(parent, "keys")];
        this.caption = element(parent, "p", "mha-strip-caption");
        this.outside = element(parent, "p", "mha-strip-caption");
        this.polite = element(parent, "p", "mha-unseen");
        this.polite.setAttribute("aria-live", "polite");
        this.chips = [];
        this.current = 0;
        this.list.addEventListener("pointerover", (event) => this._each(event, hover));
        this.list.addEventListener("pointerleave", leave);
        this.list.addEventListener("focusin", (event) => this._each(event, hover));
        this.list.addEventListener("focusout", leave);
        this.list.addEventListener("click", (event) => this._each(event, pin));
        this.list.addEventListener("dblclick", (event) => this._each(event, open));
        this.list.addEventListener("keydown", (event) => this._key(event));
    }

    show(view) {
        this.axis = chosenAxis(view);
        const { texts, names, special } = this.axis;
        while (this.chips.length > texts.length) {
            this.chips.pop().remove();
        }
        // A chip whose text stays is left alone, so that it keeps the focus.
        texts.forEach((text, place) => {
            const chip = (this.chips[place] ??= this._chip());
            if (chip.textContent !== text) {
                chip.textContent = text;
            }
            chip.ariaLabel = names[place];
            chip.title = names[place] === text ? "" : names[place];
            chip.classList.toggle("mha-special", special.includes(place));
        });
        this._setCurrent(Math.min(this.current, texts.length - 1));
        this.idle = idleTints(view, this.axis);
        this.caption.textContent = view.caption;
        this.bars.forEach((bar) => bar.show(view));
    }

    mark() {
        const { view, active, pinned } = store;
        const { theme } = view;
        const first = this.axis.window[0];
        this.chips.forEach((chip, place) => {
            const position = first + place;
            const isActive = active?.row === position;
            const share = active ? view.same && meanWeight(active.row, position) : this.idle?.[place];
            const tint = withOpacity(theme.ramp[STRONG], FULL_TINT * (share || 0));
            chip.style.background = isActive ? theme.accent : tint;
            chip.style.color = isActive ? theme.on_accent : "";
            chip.classList.toggle("mha-pointed-at", active?.column === position && view.same);
            chip.setAttribute("aria-selected", String(pinned === position));
        });
        const away = pinned !== null && !isInside(pinned, this.axis);
        this.outside.textContent = away ? outside(view.pinned_name) : "";
        this.outside.hidden = this.axis.window[1] - first === this.axis.window[2];
        this.polite.textContent = active
            ? view.heads.map((head, index) => `${head.name}: ${said(index)}`).join("; ")
            : "";
        this.bars.forEach((bar) => bar.mark());
    }

    _chip() {
        const chip = element(this.list, "span", "mha-chip");
        chip.setAttribute("role", "option");
        chip.tabIndex = -1;
        chip.dir = "auto";
        return chip;
    }

    /** Do something with the position of the word that an event is about. */
    _each({ target }, act) {
        const place = this.chips.indexOf(target.closest("[role=option]"));
        if (place >= 0) {
            this._setCurrent(place);
            act(this.axis.window[0] + place);
        }
    }

    /** One word can be reached by Tab; from there arrow keys walk. */
    _setCurrent(place) {
        if (this.chips[this.current]) {
            this.chips[this.current].tabIndex = -1;
        }
        this.current = Math.max(place, 0);
        if (this.chips[this.current]) {
            this.chips[this.current].tabIndex = 0;
        }
    }

    _key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        const position = this.axis.window[0] + this.current;
        const last = this.chips.length - 1;
        const walk = (place) => this.chips[Math.min(Math.max(place, 0), last)].focus();
        const acts = {
            ArrowLeft: () => walk(this.current - 1),
            ArrowRight: () => walk(this.current + 1),
            Home: () => walk(0),
            End: () => walk(last),
            Enter: () => pin(position),
            " ": () => pin(position),
            "+": () => open(position),
        };
        if (acts[event.key]) {
            event.preventDefault();
            acts[event.key]();
        }
    }
}

// The colour of the ramp that tints a chip, and how much of it at weight 1: ink on it can still be read.
const STRONG = 4;
const FULL_TINT = 0.7;

/** One level of zoom in. */
function open(position) {
    send({ open: position });
}

/** How much each word is looked at, on average over heads and words; null for words that only look. */
function idleTints(view, axis) {
    return view.same || view.reading === "key" ? meanWeights(axis) : null;
}
