/** Give an element the colours and the font of the page's pictures, for the style sheets. */
export function dress(element, theme) {
    for (const name of ["ink", "muted", "surface", "grid", "accent", "font"]) {
        element.style.setProperty(`--mha-${name}`, theme[name]);
    }
}
