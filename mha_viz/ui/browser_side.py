"""What only the browser can do: copy the address, step through a page, mend half characters, notice another theme.

Half of a surrogate pair, as a careless paste leaves it, has no UTF-8: a message that holds it is never sent, and the page
stands still. It is replaced before Streamlit reads the box.
"""

import streamlit as st

from mha_viz.ui import state

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

_STEPS = """
const PARTS = "h1, h2, h3, .mha-strip, .mha-row-line, .mha-maps, .mha-overview, .mha-figure, [data-testid=stDataFrame], [data-testid=stPlotlyChart]";

function step(event) {
    const way = { PageDown: 1, PageUp: -1 }[event.key];
    if (!window.mhaVizPresents || !way || event.target.closest("input, textarea, [role=slider]")) {
        return;
    }
    // What ends less than this below the upper edge is where one is already.
    const here = 12;
    const tops = [...document.querySelectorAll(`.stMainBlockContainer :is(${PARTS})`)]
        .filter((part) => part.offsetParent)
        .map((part) => [part.getBoundingClientRect().top, part])
        .sort(([one], [other]) => one - other);
    const [, next] = way > 0
        ? tops.find(([top]) => top > here) ?? []
        : tops.findLast(([top]) => top < -here) ?? [];
    event.preventDefault();
    if (next) {
        next.scrollIntoView({ block: "start" });
    } else if (way < 0) {
        document.querySelector(".stMain").scrollTo(0, 0);
    }
}

export default function ({ data }) {
    window.mhaVizPresents = data;
    // The same listener again is no second listener.
    window.mhaVizStep ??= step;
    window.addEventListener("keydown", window.mhaVizStep, true);
}
"""

_THEME = """
// What the person was last asked about: one request for each turn from light to dark or back.
let asked = null;

function isDark(colour) {
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = colour;
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(probe.fillStyle.slice(at, at + 2), 16));
    return red + green + blue < 3 * 128;
}

export default function ({ data, parentElement, setTriggerValue }) {
    const ground = getComputedStyle(parentElement).getPropertyValue("--st-background-color").trim();
    const isOther = ground !== "" && isDark(ground) !== data;
    if (isOther && ground !== asked) {
        setTriggerValue("turned", ground);
    }
    asked = isOther ? ground : null;
}
"""

_component = st.components.v2.component("mha_viz.copy_link", html=_HTML, css=_CSS, js=_JS)


def copy_link_button() -> None:
    """Draw the button."""
    _component(key="copy_link")


_steps = st.components.v2.component("mha_viz.steps", js=_STEPS)


def step_through(*, on: bool) -> None:
    """Let PageDown and PageUp go from part to part of a page, for a projector."""
    _steps(key="steps", data=on)


_theme = st.components.v2.component("mha_viz.theme", js=_THEME, isolate_styles=False)


def follow_theme() -> None:
    """Run the page again when a person turns it from light to dark: the server does not hear of it otherwise."""
    _theme(key="theme", data=st.context.theme.type == "dark", on_turned_change=state.touch)
