"""What a browser is sent for a text of any length: the right numbers, and few bytes."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from tests.app.conftest import (
    ONE_BYTE,
    caption,
    choose,
    kept,
    overview,
    packed,
    sent,
    weights,
    words,
)
from tests.model.saved import save_tiny

pytestmark = pytest.mark.model

ALL_HEADS = ",".join(map(str, range(12)))


def text_of(n_tokens: int) -> str:
    """A text that MiniLM reads as so many tokens, two of its own among them."""
    return " ".join(str(number % 97) for number in range(n_tokens - 2))


def open_link(app: AppTest, **parameters: str) -> AppTest:
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def fewest(row: list[float], share: float) -> set[int]:
    """The heaviest one after the other, the earlier first where they are equal, until they hold the share."""
    chosen, held = set(), 0.0
    for weight, place in sorted((-weight, place) for place, weight in enumerate(row)):
        # A millionth short is the share: float32 weights do not add up exactly.
        if held >= share * sum(row) - 1e-6 or weight == 0:
            break
        chosen.add(place)
        held -= weight
    return chosen


@pytest.mark.parametrize("share", [35, 70, 100])
@pytest.mark.parametrize("reading", ["query", "key"])
@pytest.mark.parametrize(
    ("n_tokens", "window"),
    [(13, {}), (67, {"start": "11"}), (67, {"start": "11", "key_start": "23"})],
)
def test_arcs_are_the_fewest_that_hold_the_share_of_whole_rows_or_columns(
    app: AppTest, share: int, reading: str, n_tokens: int, window: dict[str, str]
):
    text = text_of(n_tokens)
    choices = {"layer": "3", "heads": "1,4,7", "reading": reading, "share": str(share)}
    open_link(app, text=text, **choices, **window)
    maps = mha_viz.attend(text).weights(3)[[1, 4, 7]].astype(float)
    first = int(window.get("start", 0))
    key_first = int(window.get("key_start", first))
    n_shown = min(n_tokens, 40)
    drawn = np.zeros((3, n_shown, n_shown), bool)
    outside = 0
    for head, one in enumerate(maps):
        for place in range(n_shown):
            if reading == "query":
                others = fewest(one[first + place].tolist(), share / 100)
                inside = {other - key_first for other in others} & set(range(n_shown))
                drawn[head, place, list(inside)] = True
            else:
                others = fewest(one[:, key_first + place].tolist(), share / 100)
                inside = {other - first for other in others} & set(range(n_shown))
                drawn[head, list(inside), place] = True
            outside += len(others) - len(inside)
    np.testing.assert_array_equal(kept(app), drawn)
    way = "go to" if reading == "query" else "come from"
    assert (f"; {outside:,} of them {way} words outside this part" in caption(app)) == (outside > 0)


@pytest.mark.parametrize("reading", ["query", "key"])
def test_chosen_word_brings_its_weights_and_their_places_in_all_of_the_text(
    app: AppTest, reading: str
):
    text = text_of(67)
    open_link(app, text=text, layer="3", heads="1,4", reading=reading, query="29", start="11")
    maps = mha_viz.attend(text).weights(3)[[1, 4]]
    all_of_it = maps[:, 29] if reading == "query" else maps[:, :, 29]
    exact, ranks = sent(app, "rows")[1]["exact"], sent(app, "rows")[1]["ranks"]
    assert exact.dtype == np.float32
    np.testing.assert_array_equal(exact, all_of_it[:, 11:51])
    for head, row in enumerate(all_of_it.tolist()):
        heaviest_first = sorted(range(67), key=lambda place: (-row[place], place))
        places = [heaviest_first.index(place) + 1 for place in range(11, 51)]
        assert ranks[head].tolist() == places


@pytest.mark.parametrize("n_tokens", [64, 512])
def test_layer_of_twelve_heads_is_sent_in_little_more_than_a_byte_a_weight(
    app: AppTest, n_tokens: int
):
    text = text_of(n_tokens)
    open_link(app, text=text, heads=ALL_HEADS, layer="2", query="5")
    header, _ = sent(app, "weights")
    assert (header["n_query"], header["n_key"], header["pooled"]) == (n_tokens, n_tokens, 1)
    assert header["tile"] == [0, n_tokens, 0, n_tokens]
    np.testing.assert_allclose(weights(app), mha_viz.attend(text).weights(2), atol=ONE_BYTE)
    assert len(packed(app, "weights")) + len(packed(app, "rows")) <= 1.3 * 12 * n_tokens**2


def test_text_above_512_tokens_is_sent_pooled_with_its_windows_in_full(app: AppTest, folders: Path):
    n_tokens = 601
    folder = save_tiny(folders / "llama", "llama", max_position_embeddings=701)
    text = " ".join(
        ("the", "cat", "token", "un", "cat")[number % 5] for number in range(n_tokens - 2)
    )
    open_link(app, model=folder, text=text, heads="1,4,5", start="83", key_start="29")
    app.button(key="confirm").click().run()
    assert not app.exception
    maps = mha_viz.attend(text, folder).weights(0)[[1, 4, 5]]
    assert maps.shape == (3, n_tokens, n_tokens)
    header, arrays = sent(app, "weights")
    assert (header["n_query"], header["n_key"], header["pooled"]) == (n_tokens, n_tokens, 2)
    assert header["tile"] == [83, 123, 29, 69]
    np.testing.assert_allclose(weights(app), maps[:, 83:123, 29:69], atol=ONE_BYTE)
    whole = (arrays["whole"] / 255) ** 2
    np.testing.assert_allclose(whole, blocks(maps, 2), atol=ONE_BYTE)
    assert sent(app, "maps")[0]["whole"]["n_query"] == n_tokens
    assert len(packed(app, "weights")) <= 1.3 * maps.size

    choose(app, "maps", {"start": 550, "key_start": None})
    assert not app.exception
    moved = sent(app, "weights")[0]
    assert moved["tile"] == [550, 590, 550, 590]
    assert moved["id"] != header["id"]
    np.testing.assert_allclose(weights(app), maps[:, 550:590, 550:590], atol=ONE_BYTE)


def blocks(maps: np.ndarray, size: int) -> np.ndarray:
    """The largest weight of each block of `size` by `size`."""
    starts = range(0, maps.shape[1], size)
    return np.array(
        [
            [[one[row : row + size, key : key + size].max() for key in starts] for row in starts]
            for one in maps
        ]
    )


def test_all_heads_are_the_maps_of_every_layer_in_their_order(app: AppTest):
    text = text_of(13)
    open_link(app, text=text)
    header, small = overview(app)
    record = mha_viz.attend(text)
    every = np.concatenate([record.weights(layer) for layer in range(6)])
    np.testing.assert_allclose(small, every, atol=ONE_BYTE)
    assert [tuple(one[:2]) for one in header["maps"]] == [
        (layer, head) for layer in range(6) for head in range(12)
    ]
    assert (header["shape"], header["pooled"], header["first"]) == ([13, 13], 1, 0)


def test_all_heads_of_a_long_text_are_pooled(app: AppTest):
    text = text_of(131)
    open_link(app, text=text)
    header, small = overview(app)
    assert (header["shape"], header["pooled"]) == ([44, 44], 3)
    np.testing.assert_allclose(
        small[17], blocks(mha_viz.attend(text).weights(1), 3)[5], atol=ONE_BYTE
    )


@pytest.mark.parametrize("choice", [{"unit": "word"}, {"hide": "first"}])
def test_all_heads_stay_token_by_token_and_do_not_answer_to_other_words(
    app: AppTest, choice: dict[str, str]
):
    open_link(app, text=text_of(13), **choice)
    header, _ = overview(app)
    assert header["shape"] == [13, 13]
    assert header["first"] is None


def test_texts_are_sent_as_they_are_typed_and_labels_escaped(app: AppTest):
    open_link(app, text="<b>x</b> $y$ %{z} &amp;")
    line = sent(app, "rows")[0]["queries"]
    assert words(app)[1:4] == ["<", "b", ">"]
    assert {"<", "$", "%", "&"} <= set(words(app))
    written = "".join(word["text"] for word in line["line"]["words"])
    assert not set("<$%") & set(written)


def test_head_when_chosen_sends_no_small_map_anew(app: AppTest):
    app.run()
    before = packed(app, "small_maps")
    choose(app, "overview", {"layer": 4, "head": 7})
    assert packed(app, "small_maps") == before
    assert overview(app)[0]["selected"][0][:2] == [4, 7]
