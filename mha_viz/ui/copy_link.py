"""A button that copies the address of the page, which holds the whole view."""

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
export default function ({ parentElement }) {
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
