"""A view is a link, and any link is a view."""

from dataclasses import fields, replace
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.ui.link import written
from mha_viz.ui.selection import (
    HIDEABLE,
    MAX_LINK,
    READINGS,
    SCALES,
    UNITS,
    Extent,
    Selection,
    fit,
    fits,
    from_link,
)

EXTENT = Extent(n_heads=(5,) * 7, n_words=11)

parts = st.fixed_dictionaries(
    {
        "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
        "model": st.sampled_from(["minilm", "gpt2", "owner/name"]),
        "layer": st.integers(0, 40),
        "heads": st.sets(st.integers(0, 40), max_size=13).map(lambda chosen: tuple(sorted(chosen))),
        "query": st.none() | st.integers(0, 2000),
        "start": st.integers(0, 2000),
        "target": st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        "stream": st.sampled_from(["", "encoder", "decoder", "cross"]),
        "share": st.integers(0, 200),
        "key_start": st.none() | st.integers(0, 2000),
        "unit": st.sampled_from(UNITS),
        "reading": st.sampled_from(READINGS),
        "hide": st.lists(st.sampled_from(HIDEABLE), unique=True).map(tuple),
        "rescale": st.booleans(),
        "average": st.booleans(),
        "scale": st.sampled_from(SCALES),
    }
)


@given(parts)
def test_link_when_opened_gives_the_same_view(chosen: dict):
    selection = Selection(**chosen)
    address = urlencode(selection.to_link())
    restored, notices = from_link(dict(parse_qsl(address, keep_blank_values=True)))
    assert restored == selection
    assert notices == []


def test_first_view_needs_no_parameters():
    assert Selection().to_link() == {}


@pytest.mark.parametrize(("length", "is_short"), [(MAX_LINK - 100, True), (MAX_LINK + 1, False)])
def test_long_text_when_over_the_limit_is_left_out_of_the_link(length: int, is_short: bool):
    selection = Selection(text="x" * length, layer=3)
    assert fits(written(selection)) is is_short
    assert ("text" in selection.to_link()) is is_short
    assert selection.to_link()["layer"] == "3"


def test_link_that_left_its_text_out_says_so_where_it_is_opened():
    link = Selection(text="x" * MAX_LINK, layer=3, query=300, start=280).to_link()
    restored, notices = from_link(link)
    assert restored == Selection(layer=3)
    assert "too long for this link" in notices[0]


@pytest.mark.parametrize(("asked", "shown"), [(0, 10), (101, 100), (999, 100), (-5, 10)])
def test_share_out_of_range_becomes_the_nearest_and_says_so(asked: int, shown: int):
    mended, notices = fit(Selection(heads=(1,), share=asked), EXTENT)
    assert mended.share == shown
    assert notices == [f"Arcs cannot hold {asked} % of a weight; showing {shown} %."]


def test_head_that_only_this_layer_lacks_is_dropped():
    mended, notices = fit(Selection(layer=1, heads=(1, 4)), replace(EXTENT, n_heads=(5, 3)))
    assert mended.heads == (1,)
    assert notices == ["Head 4 does not exist (0 to 2); showing head 1."]


def test_long_foreign_text_is_measured_as_the_address_writes_it():
    assert not fits(written(Selection(text="学" * (MAX_LINK // 8))))


@pytest.mark.parametrize("mangled", ["x", "", "1.5", "1e3", "9" * 5000, "０x", "--1", "\x00"])
def test_link_with_a_mangled_number_says_so_and_shows_the_first_view(mangled: str):
    selection, notices = from_link({"layer": mangled, "text": "kept"})
    assert selection == Selection(text="kept")
    assert "layer" in notices[0]
    assert "showing 0" in notices[0]


@pytest.mark.parametrize("written", ["a,b", "1,,2", ",", "1;2", "1," * 3000])
def test_link_with_mangled_heads_says_so_and_shows_the_usual_ones(written: str):
    selection, notices = from_link({"heads": written})
    assert selection.heads == Selection().heads
    assert "heads" in notices[0]


def test_link_with_no_heads_shows_none():
    assert from_link({"heads": ""})[0].heads == ()


@pytest.mark.parametrize(
    ("name", "written", "shown"),
    [
        ("unit", "page", "token"),
        ("unit", "Word", "token"),
        ("unit", "", "token"),
        ("reading", "both", "query"),
        ("scale", "one,each", "one"),
        ("hide", "all", "the usual"),
        ("hide", "special,", "the usual"),
        ("hide", "special," * 300, "the usual"),
        ("rescale", "1", "no"),
        ("average", "", "no"),
        ("average", "YES", "no"),
        ("key_start", "x", "the usual"),
        ("key_start", "9" * 40, "the usual"),
    ],
)
def test_link_with_a_choice_that_is_none_says_so_and_shows_the_usual(
    name: str, written: str, shown: str
):
    selection, notices = from_link({name: written, "layer": "3"})
    assert selection == Selection(layer=3)
    assert notices == [f"The link's {name} could not be read; showing {shown}."]


def test_link_names_what_is_left_out_once_each():
    assert from_link({"hide": "first,special,first"})[0].hide == ("first", "special")
    assert from_link({"hide": ""})[0].hide == ()


def test_link_whose_text_is_left_out_keeps_how_it_is_read():
    chosen = Selection(
        text="x" * MAX_LINK, unit="sentence", reading="key", hide=("first",), key_start=7, query=3
    )
    restored, _ = from_link(chosen.to_link())
    assert restored == Selection(unit="sentence", reading="key", hide=("first",))


@given(parts)
def test_view_when_fitted_is_read_the_same_way(chosen: dict):
    selection = Selection(**chosen)
    mended, _ = fit(selection, EXTENT)
    for name in ("unit", "reading", "hide", "rescale", "average", "scale", "key_start"):
        assert getattr(mended, name) == chosen[name]
    assert fit(mended, EXTENT) == (mended, [])


@given(
    st.dictionaries(
        st.sampled_from([*(field.name for field in fields(Selection)), "odd"]), st.text()
    )
)
def test_link_when_mangled_in_any_way_gives_a_view_that_fits(parameters: dict[str, str]):
    selection, _ = from_link(parameters)
    mended, _ = fit(selection, EXTENT)
    assert mended.layer in EXTENT.attending_layers
    assert all(0 <= head < 5 for head in mended.heads)
    assert mended.query is None or 0 <= mended.query < EXTENT.n_words


def test_view_that_exists_when_fitted_stays_as_it_is():
    selection = Selection(layer=6, heads=(0, 4), query=10)
    assert fit(selection, EXTENT) == (selection, [])


def test_layer_out_of_range_when_fitted_becomes_the_last_and_says_so():
    """AV-080: not silently layer 0."""
    mended, notices = fit(Selection(layer=10, heads=(1,)), EXTENT)
    assert mended.layer == 6
    assert notices == ["Layer 10 does not exist (0 to 6); showing layer 6."]


def test_layer_without_attention_when_fitted_becomes_the_nearest_with_it():
    mended, notices = fit(Selection(layer=2, heads=(1,)), replace(EXTENT, n_heads=(5, 0, 0, 5, 0)))
    assert mended.layer == 3
    assert notices == ["Layer 2 has no attention; showing layer 3."]


def test_heads_out_of_range_when_fitted_are_dropped_and_said():
    mended, notices = fit(Selection(heads=(1, 8, 9)), EXTENT)
    assert mended.heads == (1,)
    assert notices == ["Heads 8, 9 do not exist (0 to 4); showing head 1."]


def test_heads_that_nobody_chose_when_fitted_go_without_a_word():
    mended, notices = fit(Selection(), EXTENT)
    assert mended.heads == (2,)
    assert notices == []


def test_only_head_out_of_range_when_fitted_becomes_the_last():
    assert fit(Selection(heads=(8,)), EXTENT)[0].heads == (4,)


def test_word_out_of_range_when_fitted_frees_the_query():
    mended, notices = fit(Selection(heads=(1,), query=11), EXTENT)
    assert mended.query is None
    assert notices == ["Word 11 does not exist (0 to 10); showing all words."]
