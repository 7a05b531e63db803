/** Give an element the colours and the font of the page's pictures, for the style sheets. */
export function dress(element, theme) {
    for (const name of ["ink", "muted", "surface", "grid", "accent", "font"]) {
        element.style.setProperty(`--mha-${name}`, theme[name]);
    }
}

let askedFor = null;

/**
 * When a person turns the page from light to dark, the server does not know until something asks it to draw anew.
 *
 * @param {Element} element any of the page
 * @param {object} theme that the server has drawn with
 * @param {() => void} ask
 */
export function askForTheme(element, theme, ask) {
    const ground = getComputedStyle(element).getPropertyValue("--st-background-color");
    const isOther = ground && isDark(ground) !== (theme.name === "dark");
    if (isOther && ground !== askedFor) {
        ask();
    }
    askedFor = isOther ? ground : null;
}

/** Load a style sheet; without it the page is still better than none. */
export function loadStyle(href) {
    return new Promise((resolve) => {
        const link = document.createElement("link");
        Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: resolve });
        document.head.append(link);
    });
}

/** @param {string} colour as the browser writes it: #rrggbb or rgb(…) */
function isDark(colour) {
    const hex = colour.trim().match(/^#(..)(..)(..)/);
    const parts = hex ? hex.slice(1).map((part) => parseInt(part, 16)) : colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    return parts.reduce((sum, part) => sum + part, 0) < 3 * 128;
}
