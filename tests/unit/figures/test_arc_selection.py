import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.errors import ShapeError
from mha_viz.figures.arc_selection import ArcRow, KeptArcs, Picks, fewest_keys, ranks
from mha_viz.figures.arcs import spotlight_rows
from mha_viz.figures.theme import with_opacity
from tests.unit.figures.arc_figures import (
    BLUE,
    arcs_of,
    looks,
    random_weights,
    words_of,
)


@pytest.mark.parametrize(
    ("weights", "share", "kept"),
    [
        ([0.1, 0.6, 0.3], 0.7, [1, 2]),
        ([0.1, 0.6, 0.3], 0.6, [1]),
        ([0.25, 0.25, 0.25, 0.25], 0.5, [0, 1]),
        ([0.35, 0.3, 0.35], 0.7, [0, 2]),
        ([1, 0, 0], 1, [0]),
        ([0, 0, 0], 0.7, []),
        ([0.2, 0.1, 0], 0.7, [0, 1]),
    ],
)
def test_fewest_keys_when_weights_are_known_are_these(
    weights: list[float], share: float, kept: list[int]
):
    assert np.flatnonzero(fewest_keys(np.array(weights, np.float32), share)).tolist() == kept


@given(st.lists(st.integers(0, 50), min_size=1, max_size=23), st.floats(0.05, 1))
def test_fewest_keys_when_any_row_is_given_hold_the_share_with_none_to_spare(
    counts: list[int], share: float
):
    row = np.array(counts, np.float32) / max(sum(counts), 1)
    kept = fewest_keys(row, share)
    if sum(counts) == 0:
        assert not kept.any()
    else:
        total, sums = row.sum(dtype=np.float64), row[kept].sum(dtype=np.float64)
        assert sums >= share * total - 2e-6
        assert sums - row[kept].min() < share * total
        assert row[kept].min() >= row[~kept].max(initial=0)


def test_fewest_keys_when_heads_are_given_at_once_are_those_of_each_row():
    weights = np.stack([random_weights(5, 11), random_weights(5, 11) ** 2])
    kept = fewest_keys(weights, 0.6)
    for head in range(2):
        for query in range(5):
            assert (kept[head, query] == fewest_keys(weights[head, query], 0.6)).all()


def test_ranks_when_weights_are_equal_put_the_earlier_first():
    assert ranks(np.array([[0.2, 0.5, 0.2, 0.1]], np.float32)).tolist() == [[1, 0, 2, 3]]


def test_arcs_when_the_text_is_long_are_limited_and_counted():
    """AV-089: all pairs would be a solid blob."""
    weights = random_weights(48, 48)
    figure = spotlight_rows([ArcRow("L0 H0", weights, BLUE)], ["word"] * 48, title="")
    drawn = int(fewest_keys(weights, 0.7).sum())
    assert figure.layout.meta == {"drawn": drawn, "outside": 0, "hidden": 48 * 48 - drawn}
    assert f"{48 * 48 - drawn:,} weaker ones hidden" in figure.layout.title.subtitle.text
    assert len(arcs_of(figure)) == drawn < 48 * 48 / 3


def test_window_when_drawn_chooses_over_whole_rows_and_counts_what_is_outside():
    """Of 0.5, 0.3 and 0.1 in the whole row, the first two hold 70 %; the window shows the second and third."""
    weights = np.zeros((3, 7), np.float32)
    weights[0, [0, 2, 3, 6]] = [0.5, 0.3, 0.1, 0.1]
    weights[1, [5, 6]] = [0.6, 0.4]
    weights[2, 4] = 1
    row = ArcRow("L0 H0", weights, BLUE, first_key=2)
    figure = spotlight_rows([row], ["a", "b", "c"], title="")
    assert sorted((*arc[2:4], *arc[6:]) for arc in arcs_of(figure)) == [
        (0, 0, "0.30", "2nd of 7"),
        (2, 2, "1.00", "1st of 7"),
    ]
    assert figure.layout.meta == {"drawn": 2, "outside": 3, "hidden": 2}
    caption = figure.layout.title.subtitle.text
    assert "3 of them go to words outside this part; 2 weaker ones hidden" in caption
    assert (
        "outside"
        not in spotlight_rows(
            [ArcRow("L0 H0", looks(3, (1, 0)), BLUE)], list("abc"), title=""
        ).layout.title.subtitle.text
    )


@given(st.integers(0, 9), st.integers(1, 4))
def test_counts_when_any_window_is_drawn_add_up_to_all_weights(first: int, n_shown: int):
    weights = random_weights(n_shown, 13)
    figure = spotlight_rows(
        [ArcRow("L0 H0", weights, BLUE, first_key=first)], ["w"] * n_shown, title=""
    )
    chosen = fewest_keys(weights, 0.7)
    inside = chosen[:, first : first + n_shown].sum()
    counts = figure.layout.meta
    assert counts["drawn"] == len(arcs_of(figure)) == inside
    assert counts["drawn"] + counts["outside"] == chosen.sum()
    assert sum(counts.values()) == weights.size


def test_chosen_query_when_in_a_window_tints_the_keys_of_the_window():
    weights = np.zeros((2, 5), np.float32)
    weights[1, [0, 3]] = [0.25, 0.75]
    row = ArcRow("L0 H0", weights, BLUE, first_key=3)
    figure = spotlight_rows([row], ["a", "b"], title="", query=1)
    assert words_of(figure)[0].bgcolor == with_opacity(BLUE, 0.375)
    (numbers,) = [trace for trace in figure.data if trace.mode == "text"]
    assert list(numbers.text) == ["0.75"]


def test_query_when_all_it_looks_at_is_outside_is_not_said_to_be_masked():
    weights = np.zeros((2, 5), np.float32)
    weights[:, 0] = 1
    row = ArcRow("L0 H0", weights, BLUE, first_key=3)
    figure = spotlight_rows([row], ["a", "b"], title="", query=1)
    assert "masked" not in figure.layout.annotations[0].text
    assert figure.layout.meta == {"drawn": 0, "outside": 2, "hidden": 0}


def test_rows_when_crowded_say_so_and_what_to_do():
    """AV-089."""
    row = ArcRow("L0 H0", np.full((29, 29), 1 / 29, np.float32), BLUE)
    drawn = 29 * 21
    figure = spotlight_rows([row], ["w"] * 29, title="")
    assert figure.layout.meta["drawn"] == drawn
    assert f"{drawn} arcs in one row lie over each other" in figure.layout.title.subtitle.text
    chosen = spotlight_rows([row], ["w"] * 29, title="", query=3)
    assert "lie over" not in chosen.layout.title.subtitle.text


@pytest.mark.parametrize("first_key", [None, -1, 4])
def test_keys_when_the_window_is_not_in_the_rows_are_refused(first_key: int | None):
    row = ArcRow("L0 H7", random_weights(2, 5), BLUE, first_key=first_key)
    with pytest.raises(ShapeError, match=r"L0 H7 for 2 key tokens from position .* got 5 keys"):
        spotlight_rows([row], ["a", "b"], title="")


@pytest.mark.parametrize("first_query", [None, -1, 4])
def test_queries_when_the_window_is_not_in_the_rows_are_refused(first_query: int | None):
    row = ArcRow("L0 H7", random_weights(5, 2), BLUE, first_query=first_query)
    said = r"L0 H7 for 2 query tokens from position .* got 5 queries; .* first_query"
    with pytest.raises(ShapeError, match=said):
        spotlight_rows([row], ["a", "b"], title="")


@pytest.mark.parametrize("by_key", [False, True])
def test_picks_when_taken_are_the_arcs_that_are_kept_the_heaviest_last(by_key: bool):
    weights = random_weights(11, 13)
    queries, keys = slice(3, 10), slice(1, 6)
    picks = Picks.of(ArcRow("L0 H0", weights, BLUE), queries, keys, 0.5, by_key=by_key)
    arcs = KeptArcs.of(weights[None], queries, keys, 0.5, by_key=by_key)
    drawn = np.zeros((7, 5), bool)
    drawn[picks.queries, picks.keys] = True
    assert (drawn == arcs.kept[0]).all()
    assert (picks.n_outside, picks.n_weaker) == (arcs.n_outside, arcs.n_weaker)
    assert (picks.weights == weights[queries, keys][picks.queries, picks.keys]).all()
    assert (np.diff(picks.weights) >= 0).all()


def test_window_when_whole_rows_and_columns_are_given_draws_what_rows_alone_would():
    weights = random_weights(11, 13)
    whole = ArcRow("L0 H0", weights, BLUE, first_query=4, first_key=2)
    rows = ArcRow("L0 H0", weights[4:9], BLUE, first_key=2)
    figures = [
        spotlight_rows([row], list("abcde"), list("ABCDEFG"), title="", query=3).to_json()
        for row in (whole, rows)
    ]
    assert figures[0] == figures[1]
