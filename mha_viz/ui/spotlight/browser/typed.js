/** A new text is drawn before the page hears of it: Show and Ctrl+Enter are held back for as long as that takes. */

import { ask, draw, typedText } from "./ahead.js";
import { store } from "./store.js";

const BOX = ".st-key-text_row textarea";
const SHOW = ".st-key-show button";
// Whether something was typed that the page has not heard of: it does when the box is left.
let typed = false;
let passing = false;

/** Keep the focus in the box: leaving it would tell the page at once. */
function hold(event) {
    if (isNew() && event.target.closest(SHOW)) {
        event.preventDefault();
    }
}

async function press(event) {
    const button = event.target.closest(SHOW);
    if (button && isNew()) {
        event.stopImmediatePropagation();
        event.preventDefault();
        await draw(ask());
        pass(() => {
            button.focus();
            button.click();
        });
    }
}

async function enter(event) {
    const box = event.target.closest?.(BOX);
    if (box && event.key === "Enter" && (event.ctrlKey || event.metaKey) && isNew()) {
        event.stopImmediatePropagation();
        event.preventDefault();
        await draw(ask());
        pass(() => box.dispatchEvent(new KeyboardEvent("keydown", event)));
        typed = false;
    }
}

function isNew() {
    return typed && !passing && store.view && document.querySelector(".mha-rows") && typedText()?.trim();
}

function pass(act) {
    passing = true;
    act();
    passing = false;
}

function note(event) {
    if (event.target.closest?.(BOX)) {
        typed = event.type === "input";
    }
}

window.addEventListener("input", note, true);
window.addEventListener("focusout", note, true);
window.addEventListener("mousedown", hold, true);
window.addEventListener("click", press, true);
window.addEventListener("keydown", enter, true);
