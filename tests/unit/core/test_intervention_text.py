"""Interventions as the text of a link, and back."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.intervention_text import from_text, to_text
from mha_viz.core.interventions import CutLink, HeadOff, MaskHead, Temperature
from mha_viz.errors import ChoiceError

INDICES = st.integers(0, 9999)
PLACES = st.none() | INDICES
STREAMS = st.none() | st.sampled_from(["self", "cross", "text_model cross", "encoder"])
ROWS = st.integers(1, 13).flatmap(
    lambda n_key: st.lists(st.lists(st.booleans(), min_size=n_key, max_size=n_key), min_size=1)
)
ANY = st.one_of(
    st.tuples(st.just(HeadOff), PLACES, PLACES, st.sampled_from(["zero", "uniform"])),
    st.tuples(st.just(MaskHead), PLACES, PLACES, st.lists(INDICES) | ROWS),
    st.tuples(
        st.just(Temperature), PLACES, PLACES, st.floats(0, exclude_min=True, allow_infinity=False)
    ),
    st.tuples(st.just(CutLink), PLACES, PLACES, INDICES, INDICES),
)


@given(st.lists(st.tuples(ANY, STREAMS), max_size=7))
@settings(deadline=None)
def test_text_of_interventions_is_read_as_the_same_interventions(drawn):
    interventions = tuple(kind(*given, stream=stream) for (kind, *given), stream in drawn)
    assert from_text(to_text(interventions)) == interventions


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (HeadOff(3, 1), "off:3.1:zero"),
        (HeadOff(3, 1, "uniform", stream="cross"), "off:cross/3.1:uniform"),
        (MaskHead(0, 0, range(6)), "mask:0.0:0-5"),
        (MaskHead(None, 7, [0, 2, 3, 9]), "mask:*.7:0,2-3,9"),
        (MaskHead(0, None, []), "mask:0.*:-"),
        (MaskHead(0, 0, [[1, 0, 0], [1, 1, 0], [0, 0, 0]]), "mask:0.0:3/0/0-1/-"),
        (Temperature(2, None, 0.5), "temp:2.*:0.5"),
        (Temperature(2, None, 3), "temp:2.*:3"),
        (CutLink(3, 1, 10, 2), "cut:3.1:10>2"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_text_is_short_and_reads_well(one, text):
    assert to_text([one]) == text
    assert from_text(text) == (one,)


def test_several_have_semicolons_between_them_and_none_is_no_text():
    text = "off:3.1:zero;mask:0.0:0-5;temp:2.*:0.5;cut:3.1:10>2"
    assert [type(one) for one in from_text(text)] == [HeadOff, MaskHead, Temperature, CutLink]
    assert to_text(from_text(text)) == text
    assert (to_text([]), from_text("")) == ("", ())


@pytest.mark.parametrize(
    "text",
    [
        ";", "off", "off:3:zero", "off:3.1", "off:3.1:", "off:3.1:half", "off:-1.0:zero", "off:3.1:zero;",
        "off:30000.1:zero", "OFF:3.1:zero", "on:3.1:zero", "off:3.1:zero:zero", "off:/3.1:zero", "off: 3.1:zero",
        "temp:0.0:0", "temp:0.0:-1", "temp:0.0:nan", "temp:0.0:inf", "temp:0.0:1e999", "temp:0.0:hot",
        "cut:0.0:1", "cut:0.0:1>", "cut:0.0:1>2>3", "cut:0.0:-1>2", "cut:0.0:1>10000",
        "mask:0.0:5-0", "mask:0.0:3,2", "mask:0.0:2,2", "mask:0.0:0-5,5", "mask:0.0:1-", "mask:0.0:1-2-3",
        "mask:0.0:0-10000", "mask:0.0:all", "mask:0.0:3/0-3", "mask:0.0:0/-", "mask:0.0:2049/-", "mask:0.0:3/",
        "mask:0.0:" + "9" * 5000, "0" * 9999, "\0",
    ],
)  # fmt: skip
def test_text_that_is_none_is_refused(text):
    with pytest.raises(ChoiceError) as caught:
        from_text(text)
    assert len(str(caught.value)) < 300


@given(st.text(max_size=40) | st.text("offmaskcut:.;/*>-0123456789", max_size=40))
@settings(deadline=None)
def test_any_text_is_read_or_refused(text):
    try:
        interventions = from_text(text)
    except ChoiceError:
        return
    assert from_text(to_text(interventions)) == interventions


def test_short_text_never_grows_large():
    """Somebody else's link may hold anything."""
    text = ";".join(["mask:0.0:2048/" + "/".join(["-"] * 300)] * 3)
    cells = sum(math.prod((len(one.rows), len(one.rows[0]))) for one in from_text(text))
    assert cells <= 2048 * len(text)
