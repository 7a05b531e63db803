"""What a browser is sent, read as its format is written down."""

import json
import struct
import zlib

import numpy as np

KINDS = {"u1": "<u1", "u2": "<u2", "f4": "<f4"}


def unpack(packed: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays: the header's length, the header, and the arrays where it says they are."""
    raw = zlib.decompress(packed)
    (length,) = struct.unpack_from("<I", raw)
    header, body = json.loads(raw[4 : 4 + length]), raw[4 + length :]
    arrays = {
        name: np.frombuffer(
            body, KINDS[place["dtype"]], int(np.prod(place["shape"])), place["at"]
        ).reshape(place["shape"])
        for name, place in header.pop("arrays").items()
    }
    return header, arrays
