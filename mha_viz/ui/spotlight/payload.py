"""What a browser is sent: a JSON header and arrays, as one compressed string of bytes."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped, UInt8

DTYPES = {"u1": np.uint8, "u2": np.uint16, "f4": np.float32}
LAST_CODE = 255


def weight_codes(weights: Float[np.ndarray, "*shape"]) -> UInt8[np.ndarray, "*shape"]:
    """One byte a weight: 255 times its root, so that small weights keep their digits.

    A code stands for (code / 255)², which is at most 0.004 away from the weight.

    Args:
        weights: From 0 to 1.
    """
    return np.rint(np.sqrt(weights.clip(0, 1)) * LAST_CODE).astype(np.uint8)


def pack(header: Mapping[str, Any], arrays: Mapping[str, Shaped[np.ndarray, "..."]]) -> bytes:
    """Length of the header, header, arrays; each begins at a multiple of four bytes, so that it can be read in place.

    Args:
        header: What JSON can hold, with arrays as lists and NaN as null.
        arrays: Of bytes, of 16-bit or of 32-bit numbers.
    """
    kinds = {np.dtype(kind): name for name, kind in DTYPES.items()}
    body, places = bytearray(), {}
    for name, array in arrays.items():
        places[name] = {"dtype": kinds[array.dtype], "shape": array.shape, "at": len(body)}
        body += array.tobytes()
        body += bytes(-len(body) % 4)
    text = json.dumps(
        dict(header) | {"arrays": places}, default=_plain, separators=(",", ":"), allow_nan=False
    ).encode()
    text += b" " * (-len(text) % 4)
    # The lightest level: the next ones take longer than they save on the way. Codes hardly repeat, as words do.
    strategy = zlib.Z_HUFFMAN_ONLY if len(body) > len(text) else zlib.Z_DEFAULT_STRATEGY
    stream = zlib.compressobj(level=1, strategy=strategy)
    return stream.compress(len(text).to_bytes(4, "little") + text + body) + stream.flush()


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever JSON cannot hold by itself
    """An array as lists; NaN, which JSON has no word for, as null."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return [_rounded(part) for part in value]
        return value.tolist()
    return value.item()


def _rounded(part: Any) -> Any:  # noqa: ANN401 - a number, or a row of them
    """To a thousandth: pixels and colours need no more."""
    if isinstance(part, np.ndarray):
        return [_rounded(inner) for inner in part]
    return None if np.isnan(part) else round(float(part), 3)
