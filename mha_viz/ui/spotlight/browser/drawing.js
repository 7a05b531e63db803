/** What is drawn on canvas: lines, arrowheads, words and numbers. */

import { channels } from "./colours.js";
import { between } from "./geometry.js";

/** A #rrggbb colour made see-through. */
export function withOpacity(colour, opacity) {
    return `rgba(${channels(colour)},${opacity.toFixed(3)})`;
}

/** For the width of words: nothing is ever drawn on it. */
export const measuring = document.createElement("canvas").getContext("2d");

/** An empty canvas of a size in pixels of the page, as sharp as the screen. */
export function cleared(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d");
    if (canvas.width !== wide || canvas.height !== high) {
        [canvas.width, canvas.height] = [wide, high];
        [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, wide, high);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

/**
 * Lines of one thickness and colour, which is that of `weight`.
 *
 * @param {{colour: string, opacity: [number, number], scale: number}} pen
 */
export function strokeLines(context, lines, weight, across, curves, pen) {
    context.beginPath();
    lines.forEach((line) => line.trace(context, across));
    context.lineWidth = between(curves.thickness, weight) * pen.scale;
    context.strokeStyle = withOpacity(pen.colour, between(pen.opacity, weight));
    context.stroke();
}

/** Thin upright lines, each [x, top, bottom]. */
export function strokeStems(context, stems, across, colour) {
    context.beginPath();
    for (const [x, top, bottom] of stems) {
        context.moveTo(across.pixel(x), top);
        context.lineTo(across.pixel(x), bottom);
    }
    context.lineWidth = 1;
    context.strokeStyle = colour;
    context.stroke();
}

/** A triangle at the key of a line, of the size and shape that Plotly gives its own. */
export function arrowhead(context, line, weight, across, curves, pen) {
    const radius = (between(curves.arrow, weight) * pen.scale ** 0.5) / 2;
    const ahead = line.upwards ? -1 : 1;
    const [x, y] = [across.pixel(line.end), line.tip - 2 * ahead];
    const half = (2 * radius) / Math.sqrt(3);
    context.beginPath();
    context.moveTo(x - half, y - (ahead * radius) / 2);
    context.lineTo(x + half, y - (ahead * radius) / 2);
    context.lineTo(x, y + ahead * radius);
    context.fillStyle = withOpacity(pen.colour, between(pen.opacity, weight));
    context.fill();
}

/** One line of words in one row: where each stands, as Plotly puts it. */
export class Words {
    /**
     * @param {object} axis of the view
     * @param {number} top of the line, in the row
     * @param {boolean} above whether what belongs to the words is below them
     */
    constructor(axis, top, above, family, across) {
        Object.assign(this, { axis, top, above, family, across });
        this.special = new Set(axis.special);
    }

    get bottom() {
        return this.top + this.axis.line.height;
    }

    isWritten(place) {
        return place % this.axis.line.step === 0;
    }

    x(place) {
        return this.across.pixel(this.axis.line.centres[place]);
    }

    font(place, weight = 400) {
        const slant = this.special.has(place) ? "italic " : "";
        return `${slant}${weight} ${this.axis.line.font}px ${this.family}`;
    }

    width(context, place, weight = 400) {
        context.font = this.font(place, weight);
        return context.measureText(this.axis.texts[place]).width;
    }

    /** The middle of a word and its angle: flat ones hang by their middle, tilted ones by the end next to the arcs. */
    spot(place, width) {
        const { angle, font, height } = this.axis.line;
        const [turn, high] = [(angle * Math.PI) / 180, font * LINE_HEIGHT];
        const [cos, sin] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
        const [boxWidth, boxHeight] = [width * cos + high * sin, width * sin + high * cos];
        let [x, y] = [this.x(place), this.top + boxHeight / 2];
        if (angle === 0) {
            y = this.top + height / 2;
        } else if (angle !== -90) {
            const aside = font * LEAN - boxWidth / 2;
            x += this.above ? -aside : aside;
            y = this.above ? this.bottom - boxHeight / 2 : y;
        }
        return { x, y, angle };
    }

    /** How far below the middle of a word its letters stand. */
    get baseline() {
        return this.axis.line.font * BASELINE;
    }

    /** The ground behind a word, and over it the word where `ink` is given. */
    paint(context, place, grounds, ink = null, weight = 400) {
        const width = this.width(context, place, weight);
        // Tilted words stand close together.
        const high = this.axis.line.font * LINE_HEIGHT + (this.axis.line.angle === 0 ? 2 * PAD : 0);
        context.save();
        const { x, y, angle } = this.spot(place, width);
        context.translate(x, y);
        context.rotate((angle * Math.PI) / 180);
        for (const ground of grounds) {
            context.fillStyle = ground;
            context.fillRect(-width / 2 - PAD, -high / 2, width + 2 * PAD, high);
        }
        if (ink) {
            context.fillStyle = ink;
            context.textAlign = "center";
            context.textBaseline = "alphabetic";
            context.fillText(this.axis.texts[place], 0, this.baseline);
        }
        context.restore();
    }

    /** The word under a point, if there is one. */
    at(context, x, y) {
        if (y < this.top || y > this.bottom) {
            return null;
        }
        const { angle, centres } = this.axis.line;
        const slope = angle === 0 || angle === -90 ? 0 : 1 / Math.tan((-angle * Math.PI) / 180);
        const along = this.above ? x - (this.bottom - y) * slope : x + (y - this.top) * slope;
        let [found, least] = [null, LONELY];
        for (let place = 0; place < centres.length; place++) {
            const half = angle === 0 ? this.width(context, place) / 2 : 0;
            const distance = Math.abs(along - this.x(place)) - half;
            if (distance < least) {
                [found, least] = [place, distance];
            }
        }
        return found;
    }
}

// Plotly's line of text, in font sizes; and where its letters stand in it, from the middle.
const LINE_HEIGHT = 1.3;
const BASELINE = 0.3;
const LEAN = 0.6;
const PAD = 2;
// Farther than this from any word, in pixels, nothing is pointed at.
const LONELY = 24;

/** Numbers below words: `numbers` are [x, text], those that matter most first; what would touch is left out. */
export function spaced(numbers, room) {
    const placed = [];
    for (const number of numbers) {
        if (placed.every(([x]) => Math.abs(x - number[0]) >= room)) {
            placed.push(number);
        }
    }
    return placed;
}
