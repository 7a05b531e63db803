"""Rows read the other way round: who looks at each word."""

import re

import numpy as np
import pytest

from mha_viz.figures.arc_selection import ArcRow, fewest_keys
from mha_viz.figures.arcs import spotlight_rows
from mha_viz.figures.theme import DARK, LIGHT, with_opacity
from tests.unit.figures.arc_figures import BLUE, arcs_of, lines_of, looks, random_weights, words_of


def fewest_by_hand(column: np.ndarray, share: float) -> set[int]:
    """Take the heaviest, of equal ones the earlier, until they hold the share."""
    kept, held = set(), 0.0
    for place in sorted(range(len(column)), key=lambda place: (-column[place], place)):
        if held >= share * column.sum(dtype=np.float64) - 1e-6 or column[place] == 0:
            break
        kept.add(place)
        held += float(column[place])
    return kept


@pytest.mark.parametrize(("first_query", "first_key"), [(0, 0), (2, 5), (4, 0)])
def test_arcs_when_read_by_key_are_the_fewest_of_each_whole_column(
    first_query: int, first_key: int
):
    weights = random_weights(11, 13)
    row = ArcRow("L0 H0", weights, BLUE, first_query=first_query, first_key=first_key)
    figure = spotlight_rows([row], list("abcdefg"), list("ABCDE"), title="", share=0.6, by_key=True)
    kept = {key: fewest_by_hand(weights[:, first_key + key], 0.6) for key in range(5)}
    wanted = {
        (query - first_query, key)
        for key, queries in kept.items()
        for query in queries
        if first_query <= query < first_query + 7
    }
    assert {(query, key) for _, _, query, key, *_ in arcs_of(figure)} == wanted
    n_kept = sum(map(len, kept.values()))
    assert figure.layout.meta == {
        "drawn": len(wanted),
        "outside": n_kept - len(wanted),
        "hidden": 11 * 5 - n_kept,
    }
    for *_, query, key, _, _, weight, place in arcs_of(figure):
        column = weights[:, first_key + key]
        heavier = (column > column[first_query + query]).sum()
        assert weight == f"{column[first_query + query]:.2f}"
        assert re.fullmatch(rf"{heavier + 1}(st|nd|rd|th) of 11", place)


def test_caption_when_read_by_key_says_what_arcs_hold():
    row = ArcRow("L0 H0", random_weights(5, 5), BLUE)
    figure = spotlight_rows([row], list("abcde"), title="", by_key=True)
    assert "70&#37; of what each word receives" in figure.layout.title.subtitle.text


def test_chosen_key_when_drawn_has_the_arcs_that_arrive_stand_out():
    weights = random_weights(7, 7)
    row = ArcRow("L0 H0", weights, BLUE)
    figure = spotlight_rows([row], list("abcdefg"), title="", by_key=True, key=3, theme=DARK)
    (numbers,) = [trace for trace in figure.data if trace.mode == "text"]
    column = weights[:, 3]
    kept = np.argsort(-column)[: fewest_keys(column, 0.7).sum()]
    assert list(numbers.text) == [f"{column[query]:.2f}" for query in kept]
    words = words_of(figure)
    assert numbers.x.tolist() == pytest.approx([words[query].x for query in kept])
    assert [word.bgcolor == DARK.accent for word in words] == [False] * 3 + [True] + [False] * 3
    for query in set(range(7)) - {3}:
        share = float(column[query])
        tint = with_opacity(BLUE, share * 0.5) if share >= 0.01 else None
        assert words[query].bgcolor == tint
    vivid = [line for line in lines_of(figure) if line.line.color.startswith(_rgb(BLUE))]
    assert sum(len(line.x) // 18 for line in vivid) == len(kept)
    (heads,) = [
        trace for trace in figure.data if trace.mode == "markers" and trace.customdata is None
    ]
    assert len(heads.x) == len(kept)


def _rgb(colour: str) -> str:
    return with_opacity(colour, 0).rsplit(",", 1)[0]


def test_chosen_key_when_read_by_query_has_the_arcs_that_arrive_of_those_kept():
    weights = looks(5, (3, 1), (4, 1), (2, 0))
    figure = spotlight_rows([ArcRow("L0 H0", weights, BLUE)], list("abcde"), title="", key=1)
    (numbers,) = [trace for trace in figure.data if trace.mode == "text"]
    words = words_of(figure)
    assert sorted(numbers.x.tolist()) == pytest.approx([words[3].x, words[4].x])


def test_chosen_key_when_another_line_has_its_numbers_below_the_queries():
    weights = np.zeros((3, 5), np.float32)
    weights[[0, 2], 4] = [0.25, 0.75]
    row = ArcRow("L0 H0", weights, BLUE)
    figure = spotlight_rows(
        [row], list("abc"), list("ABCDE"), title="", by_key=True, key=4, share=1
    )
    (numbers,) = [trace for trace in figure.data if trace.mode == "text"]
    words = {word.text[1]: word for word in words_of(figure)}
    assert list(numbers.text) == ["0.75", "0.25"]
    assert numbers.x.tolist() == pytest.approx([words["c"].x, words["a"].x])
    assert words["c"].y < min(numbers.y) < figure.layout.yaxis.range[0]
    assert words["E"].bgcolor == LIGHT.accent
    tinted = {text: word.bgcolor for text, word in words.items() if word.bgcolor}
    assert tinted == {
        "E": LIGHT.accent,
        "a": with_opacity(BLUE, 0.125),
        "c": with_opacity(BLUE, 0.375),
    }


def test_chosen_key_when_no_query_of_the_window_is_masked_is_not_said_to_be():
    figure = spotlight_rows(
        [ArcRow("L0 H0", looks(3, (1, 0), (2, 0)), BLUE)], list("abc"), title="", key=2
    )
    assert "masked" not in figure.layout.annotations[0].text
