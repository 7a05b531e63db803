"""A JSON header and arrays as one string of bytes."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mha_viz.ui.spotlight.payload import pack, weight_codes
from tests.packed import unpack

any_array = st.one_of(
    *(
        arrays(kind, array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=7))
        for kind in (np.uint8, np.uint16)
    ),
    arrays(np.float32, array_shapes(max_side=7), elements=st.floats(-2, 2, width=32)),
)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=7),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=11,
)


@given(
    st.dictionaries(st.text(max_size=5).filter(lambda name: name != "arrays"), any_json),
    st.dictionaries(st.text(max_size=5), any_array, max_size=5),
)
def test_header_and_arrays_when_unpacked_are_what_was_packed(
    header: dict, given_arrays: dict[str, np.ndarray]
):
    found, found_arrays = unpack(pack(header, given_arrays))
    assert found == header
    assert list(found_arrays) == list(given_arrays)
    for name, array in given_arrays.items():
        assert found_arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found_arrays[name], array)


@pytest.mark.parametrize("n_letters", [1, 2, 3, 5])
def test_every_part_begins_at_a_multiple_of_four_bytes(n_letters: int):
    given_arrays = {
        "bytes": np.arange(7, dtype=np.uint8),
        "shorts": np.arange(3, dtype=np.uint16),
        "numbers": np.arange(5, dtype=np.float32),
    }
    raw = zlib.decompress(pack({"text": "é" * n_letters}, given_arrays))
    (length,) = struct.unpack_from("<I", raw)
    assert (4 + length) % 4 == 0
    assert len(raw) == 4 + length + 8 + 8 + 20
    numbers = np.frombuffer(raw, np.float32, 5, 4 + length + 16)
    assert numbers.tolist() == [0, 1, 2, 3, 4]


def test_array_that_is_a_view_of_another_is_packed_as_it_reads():
    turned = np.arange(15, dtype=np.uint8).reshape(3, 5).T
    np.testing.assert_array_equal(unpack(pack({}, {"turned": turned}))[1]["turned"], turned)


def test_arrays_in_the_header_are_lists_to_a_thousandth_and_nan_is_null():
    header = {
        "x": np.array([0.12345, np.nan, 2]),
        "z": np.array([[1.00049], [np.nan]], np.float32),
        "rows": np.array([3, 5]),
        "on": np.array([True, False]),
        "one": np.float32(0.5),
        "none": np.zeros(0),
    }
    assert unpack(pack(header, {}))[0] == {
        "x": [0.123, None, 2],
        "z": [[1.0], [None]],
        "rows": [3, 5],
        "on": [True, False],
        "one": 0.5,
        "none": [],
    }


@given(arrays(np.float32, 31, elements=st.floats(0, 1, width=32)))
def test_code_is_at_most_four_thousandths_from_its_weight(weights: np.ndarray):
    codes = weight_codes(weights)
    assert codes.dtype == np.uint8
    assert np.abs((codes / 255.0) ** 2 - weights.astype(float)).max() <= 0.004


@given(arrays(np.float32, 31, elements=st.floats(0, 1, width=32)))
def test_code_of_a_heavier_weight_is_not_smaller(weights: np.ndarray):
    codes = weight_codes(np.sort(weights)).astype(int)
    assert (np.diff(codes) >= 0).all()


def test_codes_when_weights_go_through_their_range_are_all_there_are():
    assert np.unique(weight_codes(np.linspace(0, 1, 100_003, dtype=np.float32))).tolist() == list(
        range(256)
    )


def test_small_weight_keeps_a_digit():
    """A byte in proportion to the weight would make it 0."""
    (code,) = weight_codes(np.array([0.001], np.float32))
    assert (code / 255) ** 2 == pytest.approx(0.001, rel=0.03)


def test_weight_that_rounding_made_too_large_is_one():
    assert weight_codes(np.array([1.0000001, 1, 0], np.float32)).tolist() == [255, 255, 0]
