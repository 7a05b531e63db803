"""What only the browser can do: copy the address, which holds the whole view, and mend half characters.

Half of a surrogate pair, as a careless paste leaves it, has no UTF-8: a message that holds it is never sent, and the page
stands still. It is replaced before Streamlit reads the box.
"""

import streamlit as st

_HTML = """
<button type="button" class="copy" aria-live="polite">Copy link</button>
"""

_CSS = """
.copy {
    font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: transparent; cursor: pointer; min-height: 2.5rem;
    padding: 0.25rem 0.75rem; border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 0.5rem);
    white-space: nowrap;
}
.copy:hover, .copy:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); outline: none; }
"""

_JS = """
function mend(event) {
    const box = event.target;
    if (typeof box.value === "string" && !box.value.isWellFormed()) {
        const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), "value").set;
        setter.call(box, box.value.toWellFormed());
    }
}

export default function ({ parentElement }) {
    // The same listener again is no second listener.
    window.mhaVizMend ??= mend;
    window.addEventListener("input", window.mhaVizMend, true);
    const button = parentElement.querySelector(".copy");
    button.onclick = async () => {
        const address = window.location.href;
        try {
            await navigator.clipboard.writeText(address);
            button.textContent = "Copied";
        } catch {
            window.prompt("Copy this link:", address);
        }
        setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    };
}
"""

_component = st.components.v2.component("mha_viz.copy_link", html=_HTML, css=_CSS, js=_JS)


def copy_link_button() -> None:
    """Draw the button."""
    _component(key="copy_link")
