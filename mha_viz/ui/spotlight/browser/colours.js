/** Give an element the colours and the font of the page's pictures, for the style sheets. */
export function dress(element, theme) {
    for (const name of ["ink", "muted", "surface", "grid", "accent", "font"]) {
        element.style.setProperty(`--mha-${name}`, theme[name]);
    }
}

/** @param {string} colour as the browser writes it: #rrggbb or rgb(…) */
export function isDark(colour) {
    const hex = colour.trim().match(/^#(..)(..)(..)/);
    const parts = hex ? hex.slice(1).map((part) => parseInt(part, 16)) : colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    return parts.reduce((sum, part) => sum + part, 0) < 3 * 128;
}
