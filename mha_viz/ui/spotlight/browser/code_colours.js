/** Maps as images: a pixel a weight. */

import { weightOf } from "./payload.js";

/** The ramp's colour of each code, as the pixels of an image hold it. */
export function colourOfCodes(ramp, zmax) {
    const stops = ramp.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
    const bytes = new Uint8ClampedArray(4 * weightOf.length);
    weightOf.forEach((weight, code) => {
        const place = Math.min(weight / zmax, 1) * (stops.length - 1);
        const below = Math.min(Math.floor(place), stops.length - 2);
        const mixed = stops[below].map(
            (channel, index) => channel + (place - below) * (stops[below + 1][index] - channel),
        );
        bytes.set([...mixed.map(Math.round), 255], 4 * code);
    });
    return new Uint32Array(bytes.buffer);
}
