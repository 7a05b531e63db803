"""What is on a canvas: its colours at places, and where a colour is."""

from collections.abc import Sequence

import numpy as np
from playwright.sync_api import Locator

from mha_viz.figures.theme import LIGHT

# Half a tone more or less: a thin line's colour is kept with few digits where it is see-through.
TOLERANCE = 16


def ink(canvas: Locator, places: Sequence[tuple[float, float]] | np.ndarray) -> np.ndarray:
    """The strongest of the pixels around each place: red, green, blue and how opaque, from 0 to 255."""
    found = canvas.evaluate(
        """(canvas, places) => {
            const ratio = canvas.width / (parseFloat(canvas.style.width) || canvas.width);
            const context = canvas.getContext("2d");
            return places.map(([x, y]) => {
                const {data} = context.getImageData(Math.round(x * ratio) - 1, Math.round(y * ratio) - 1, 3, 3);
                let best = 0;
                for (let at = 4; at < data.length; at += 4) if (data[at + 3] > data[best + 3]) best = at;
                return [...data.slice(best, best + 4)];
            });
        }""",
        np.asarray(places, float).tolist(),
    )
    return np.array(found, int).reshape(-1, 4)


def extent(canvas: Locator, colour: str) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of all opaque pixels of a colour; None if there is none."""
    found = canvas.evaluate(
        """(canvas, wanted) => {
            const {width, height} = canvas;
            const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
            let box = null;
            for (let at = 0, place = 0; at < data.length; at += 4, place++) {
                if (data[at + 3] < 250 || wanted.some((part, channel) => Math.abs(part - data[at + channel]) > 2)) continue;
                const x = place % width, y = Math.floor(place / width);
                box ??= [x, y, x, y];
                box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
            }
            const ratio = width / (parseFloat(canvas.style.width) || width);
            return box && [box[0] / ratio, box[1] / ratio, (box[2] + 1) / ratio, (box[3] + 1) / ratio];
        }""",
        rgb(colour),
    )
    return found and tuple(found)


def rgb(colour: str) -> list[int]:
    """Of #rrggbb."""
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def colour_of(share: float) -> np.ndarray:
    """What the light theme's ramp has for a share of it."""
    stops = np.array([rgb(colour) for colour in LIGHT.ramp])
    at = np.linspace(0, 1, len(stops))
    return np.array([np.interp(share, at, channel) for channel in stops.T])


def has_colour(pixels: np.ndarray, colour: str) -> np.ndarray:
    """For each pixel, whether it is drawn in this colour, be it thinly."""
    near = np.abs(pixels[:, :3] - rgb(colour)).max(axis=1) <= TOLERANCE
    return near & (pixels[:, 3] > 20)
