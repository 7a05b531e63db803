/** Maps as images: a pixel a weight. */

import { rampColours } from "./colours.js";
import { weightOf } from "./payload.js";

/** The ramp's colour of each code, as the pixels of an image hold it. */
export function colourOfCodes(ramp, zmax) {
    const colour = rampColours(ramp);
    const bytes = new Uint8ClampedArray(4 * weightOf.length);
    weightOf.forEach((weight, code) => bytes.set([...colour(weight / zmax), 255], 4 * code));
    return new Uint32Array(bytes.buffer);
}
