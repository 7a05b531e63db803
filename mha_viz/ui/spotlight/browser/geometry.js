/** The lines from what looks to what is looked at. x is in the view's coordinates, y in pixels from the top of a row. */

const POINTS_LESS_ONE = 16;
const SELF_RISE = 20;
const SELF_REACH = 9;

/** How the view's x becomes pixels of a picture that is `width` wide. */
export class Across {
    constructor(half, width, margin) {
        this.half = half;
        this.margin = margin;
        this.scale = Math.max(width - 2 * margin, 1) / (2 * half);
    }

    pixel(x) {
        return this.margin + (x + this.half) * this.scale;
    }
}

/** Half an ellipse on a line of words: above it for looking back, below it for looking ahead, a small loop for itself. */
class Arc {
    constructor(queryX, keyX, ahead, stage) {
        const distance = Math.abs(keyX - queryX) / stage.slot;
        const reach = Math.min(SELF_REACH, 0.3 * stage.slot);
        const itself = distance === 0;
        this.start = itself ? queryX - reach : queryX + (Math.sign(keyX - queryX) * reach) / 2;
        this.end = itself ? keyX + reach : keyX;
        this.height = itself ? SELF_RISE : stage.highest * Math.sqrt(distance / stage.furthest);
        this.upwards = ahead;
        this.base = ahead ? stage.down_base : stage.up_base;
        this.tip = this.base;
    }

    points() {
        const [middle, reach] = [(this.start + this.end) / 2, (this.end - this.start) / 2];
        const rise = this.upwards ? -this.height : this.height;
        return steps((way) => [
            middle - reach * Math.cos(way * Math.PI),
            this.base - rise * Math.sin(way * Math.PI),
        ]);
    }

    trace(context, across) {
        const [start, end] = [across.pixel(this.start), across.pixel(this.end)];
        const clockwise = start < end !== this.upwards;
        const [from, to] = start < end ? [Math.PI, 0] : [0, Math.PI];
        context.moveTo(start, this.base);
        context.ellipse(
            (start + end) / 2, this.base, Math.abs(end - start) / 2, this.height, 0, from, to, !clockwise,
        );
    }

    /** Pixels from a point to the arc, to first order. */
    distance(x, y, across) {
        const [start, end] = [across.pixel(this.start), across.pixel(this.end)];
        const [wide, high] = [Math.abs(end - start) / 2, this.height];
        const right = x - (start + end) / 2;
        const out = this.upwards ? y - this.base : this.base - y;
        if (out < 0 || out > high + 20) {
            return Infinity;
        }
        const excess = (right / wide) ** 2 + (out / high) ** 2 - 1;
        return Math.abs(excess) / (2 * Math.hypot(right / wide ** 2, out / high ** 2));
    }
}

/** A curve from a line of queries up to a line of keys, upright at both ends. */
class Link {
    constructor(queryX, keyX, stage) {
        this.start = queryX;
        this.end = keyX;
        this.bottom = stage.link_bottom;
        this.top = stage.link_top;
        this.upwards = true;
        this.tip = stage.link_top;
    }

    points() {
        return steps((way) => [
            this.start + (this.end - this.start) * way ** 2 * (3 - 2 * way),
            this.bottom + (this.top - this.bottom) * way,
        ]);
    }

    trace(context, across) {
        const [start, end] = [across.pixel(this.start), across.pixel(this.end)];
        const third = (this.top - this.bottom) / 3;
        context.moveTo(start, this.bottom);
        context.bezierCurveTo(start, this.bottom + third, end, this.top - third, end, this.top);
    }

    /** Pixels from a point to the curve, to first order. */
    distance(x, y, across) {
        const high = this.bottom - this.top;
        const way = (this.bottom - y) / high;
        if (way < 0 || way > 1) {
            return Infinity;
        }
        const wide = (this.end - this.start) * across.scale;
        const aside = x - across.pixel(this.start) - wide * way ** 2 * (3 - 2 * way);
        return Math.abs(aside) / Math.hypot(1, (wide * 6 * way * (1 - way)) / high);
    }
}

function steps(point) {
    return Array.from({ length: POINTS_LESS_ONE + 1 }, (_, step) => point(step / POINTS_LESS_ONE));
}

/** The line from a query to a key, both counted from the start of the window. */
export function curve(view, stage, query, key) {
    if (view.same) {
        const { centres } = view.queries.line;
        return new Arc(centres[query], centres[key], key > query, stage);
    }
    return new Link(view.queries.line.centres[query], view.keys.line.centres[key], stage);
}

/** From 0 to 1 along a pair of ends, as every size and opacity follows the weight. */
export function between([first, last], weight) {
    return first + weight * (last - first);
}
