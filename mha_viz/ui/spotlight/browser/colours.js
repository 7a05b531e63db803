/** Give an element the colours and the font of the page's pictures, for the style sheets. */
export function dress(element, theme) {
    for (const name of ["ink", "muted", "surface", "grid", "accent", "font"]) {
        element.style.setProperty(`--mha-${name}`, theme[name]);
    }
}

/** Load a style sheet; without it the page is still better than none. */
export function loadStyle(href) {
    return new Promise((resolve) => {
        const link = document.createElement("link");
        Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: resolve });
        document.head.append(link);
    });
}
