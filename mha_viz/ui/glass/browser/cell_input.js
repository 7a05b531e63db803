/** A box in the place of a number: Enter or leaving it takes the new number, Escape leaves the old one. */

import { element } from "../spotlight/element.js";

export class CellInput {
    constructor(cell, text, take) {
        Object.assign(this, { cell, take, first: text, isOpen: true });
        this.box = element(cell, "input", "mha-cell-input");
        this.box.value = text;
        this.box.inputMode = "decimal";
        this.box.setAttribute("aria-label", "New number: Enter takes it, Escape leaves the old one");
        this.box.addEventListener("keydown", (event) => this.key(event));
        this.box.addEventListener("blur", () => this.close(this.box.value !== this.first));
        this.box.addEventListener("input", () => this.box.setCustomValidity(""));
        this.box.focus();
        if (text.length > 1) {
            this.box.select();
        }
    }

    key(event) {
        event.stopPropagation();
        if (event.key === "Enter") {
            event.preventDefault();
            this.enter();
        } else if (event.key === "Escape") {
            event.preventDefault();
            this.close(false);
            this.cell.focus();
        }
    }

    enter() {
        if (isNumber(this.box.value)) {
            this.close(true);
            this.cell.focus();
        } else {
            this.box.setCustomValidity("Type a number, such as 0.5");
            this.box.reportValidity();
        }
    }

    close(takes) {
        if (!this.isOpen) {
            return;
        }
        this.isOpen = false;
        const text = this.box.value;
        this.box.remove();
        if (takes && isNumber(text)) {
            this.take(text);
        }
    }
}

function isNumber(text) {
    const plain = text.trim().replace(",", ".").replace("−", "-");
    return plain !== "" && Number.isFinite(Number(plain));
}
