/** Give an element the colours and the font of the page's pictures, for the style sheets. */
export function dress(element, theme) {
    for (const name of ["ink", "muted", "surface", "grid", "accent", "font"]) {
        element.style.setProperty(`--mha-${name}`, theme[name]);
    }
}

/** Red, green and blue of a #rrggbb colour, each up to 255. */
export function channels(colour) {
    return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}

/** The channels of the colour that a ramp has for a share of it, from 0 to 1, as a function of the share. */
export function rampColours(ramp) {
    const stops = ramp.map(channels);
    return (share) => {
        const place = Math.max(0, Math.min(share, 1)) * (stops.length - 1);
        const below = Math.min(Math.floor(place), stops.length - 2);
        return stops[below].map((channel, index) =>
            Math.round(channel + (place - below) * (stops[below + 1][index] - channel)),
        );
    };
}

/** Load a style sheet; without it the page is still better than none. */
export function loadStyle(href) {
    return new Promise((resolve) => {
        const link = document.createElement("link");
        Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: resolve });
        document.head.append(link);
    });
}
