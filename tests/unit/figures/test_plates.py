"""Plates have what the figures of the same heads have, and can be sent."""

import json
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.figures.arc_selection import ArcRow, KeptArcs
from mha_viz.figures.arcs import spotlight_rows
from mha_viz.figures.head_grid import head_grid
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.plates import (
    Words,
    grid_plate,
    map_extras,
    map_plate,
    rows_plate,
    theme_plate,
)
from mha_viz.figures.theme import DARK, LIGHT
from mha_viz.figures.token_marks import TokenMarks
from tests.labels import as_read
from tests.unit.figures.arc_figures import lines_of, random_weights, words_of

HARD = ["<b>x</b>", "$x^2$", "%{x}", "#000001", "&lt;", "\0", "שלום", "a" * 60, "", "the", "the"]
CAT = ["[CLS]", "the", "cat", "sat", "on", "it", "[SEP]"]
CAT_MARKS = TokenMarks([0, 6], [3])
LETTERS = list("ABCDE")
SHARE = 0.7


def plain(plate: Any) -> Any:
    """A plate as it is after it was sent as JSON."""
    return json.loads(json.dumps(plate, default=lambda value: value.tolist()))


def heads_of(n_query: int, n_key: int, *, causal: bool = False) -> np.ndarray:
    """Two heads, one sharper than the other."""
    flat = random_weights(n_query, n_key)
    heads = np.stack([flat, flat**3])
    heads = np.tril(heads) if causal else heads
    return (heads / heads.sum(axis=-1, keepdims=True)).astype(np.float32)


def rows_of(weights: np.ndarray, queries: Words, keys: Words | None) -> tuple[dict, go.Figure]:
    """The plate of some heads, and their figure with a chosen word, which has room for its numbers too."""
    shown = slice(None)
    plate = rows_plate(KeptArcs.of(weights, shown, shown, SHARE), queries, keys, LIGHT)
    rows = [ArcRow(f"L0 H{head}", one, LIGHT.head_colour(head)) for head, one in enumerate(weights)]
    figure = spotlight_rows(
        rows,
        queries.texts,
        None if keys is None else keys.texts,
        title="",
        share=SHARE,
        query=1,
        special_queries=queries.marks.special,
        special_keys=() if keys is None else keys.marks.special,
    )
    return plain(plate), figure


def tops(plate: dict) -> list[float]:
    """Where each row begins."""
    return np.cumsum([0, *(stage["height"] for stage in plate["stages"])]).tolist()


every_kind_of_rows = pytest.mark.parametrize(
    ("weights", "queries", "keys"),
    [
        (heads_of(7, 7), Words(CAT, CAT_MARKS), None),
        (heads_of(7, 7, causal=True), Words(CAT, CAT_MARKS), None),
        (heads_of(11, 11), Words(HARD, TokenMarks()), None),
        (heads_of(5, 7), Words(LETTERS, TokenMarks()), Words(CAT, CAT_MARKS)),
    ],
    ids=["both ways", "causal", "hard", "two lines"],
)


@every_kind_of_rows
def test_words_of_rows_stand_where_they_stand_in_the_figure(
    weights: np.ndarray, queries: Words, keys: Words | None
):
    plate, figure = rows_of(weights, queries, keys)
    expected = []
    for stage, top in zip(plate["stages"], tops(plate), strict=False):
        for line, start in ((plate["queries"], "word_top"), (plate["keys"], "key_word_top")):
            for word in [] if line is None else line["line"]["words"]:
                place = {"x": word["x"], "y": top + stage[start] + word["y"]}
                expected.append((word["text"], word["textangle"], word["font"]["size"], place))
    found = [
        (word.text, word.textangle, word.font.size, {"x": word.x, "y": word.y})
        for word in words_of(figure)
    ]
    assert [word[:3] for word in found] == [word[:3] for word in expected]
    for (*_, at), (*_, wanted) in zip(found, expected, strict=True):
        assert at == pytest.approx(wanted)
    assert figure.layout.yaxis.range[0] == pytest.approx(tops(plate)[-1])
    assert figure.layout.xaxis.range[1] == pytest.approx(plate["half"])
    assert plate["legend"] in figure.layout.title.subtitle.text


def ellipse(plate: dict, stage: dict, query: int, key: int) -> list[float]:
    """Where an arc leaves, where it arrives and how high its middle is, as `arc_shapes` documents it."""
    centres = plate["queries"]["line"]["centres"]
    x, to = centres[query], centres[key]
    reach = min(9, 0.3 * stage["slot"])
    if query == key:
        return [x - reach, x + reach, stage["up_base"] - 20]
    height = stage["highest"] * np.sqrt(abs(to - x) / stage["slot"] / stage["furthest"])
    base = stage["down_base"] + height if key > query else stage["up_base"] - height
    return [x + np.sign(to - x) * reach / 2, to, base]


def link(plate: dict, stage: dict, query: int, key: int) -> list[float]:
    """Where a line between two lines of words leaves and arrives, and its middle."""
    x, to = plate["queries"]["line"]["centres"][query], plate["keys"]["line"]["centres"][key]
    return [x, to, (stage["link_top"] + stage["link_bottom"]) / 2]


@every_kind_of_rows
def test_arcs_by_the_geometry_of_the_stages_are_those_of_the_figure(
    weights: np.ndarray, queries: Words, keys: Words | None
):
    plate, figure = rows_of(weights, queries, keys)
    drawn = KeptArcs.of(weights, slice(None), slice(None), SHARE).kept
    expected = []
    for one, stage, top in zip(drawn, plate["stages"], tops(plate), strict=False):
        for query, key in np.argwhere(one).tolist():
            shape = (ellipse if keys is None else link)(plate, stage, query, key)
            expected.append([*shape[:2], shape[2] + top])
    found = []
    for trace in lines_of(figure):
        points = np.stack([trace.x, trace.y], axis=1).reshape(-1, 18, 2)[:, :17]
        found += [[curve[0, 0], curve[-1, 0], curve[8, 1]] for curve in points]
    np.testing.assert_allclose(sorted(map(list, found)), sorted(expected), rtol=1e-4, atol=1e-3)


def test_texts_of_rows_are_plain_and_labels_escaped():
    plate, _ = rows_of(heads_of(11, 11), Words(HARD, TokenMarks()), None)
    line = plate["queries"]
    assert line["texts"][:3] == ["<b>x</b>", "$x^2$", "%{x}"]
    assert line["texts"][5:] == ["␀", "שלום", "aaaaaaaa…aaaaaaa", "∅", "the", "the"]
    labels = [word["text"] for word in line["line"]["words"]]
    assert [as_read(label) for label in labels] == line["texts"]
    assert not any(set("<>$%") & set(label) for label in labels)


def test_words_that_the_model_added_are_marked():
    plate, _ = rows_of(heads_of(7, 7), Words(CAT, CAT_MARKS), None)
    assert plate["queries"]["special"] == [0, 6]
    assert plate["queries"]["names"] == [
        "[CLS] ⟨added by the model⟩",
        "the",
        "cat",
        "sat ⟨typed, read as special⟩",
        "on",
        "it",
        "[SEP] ⟨added by the model⟩",
    ]
    styles = [word["font"]["style"] for word in plate["queries"]["line"]["words"]]
    assert styles == ["italic", *["normal"] * 5, "italic"]


@pytest.mark.parametrize("has_sink", [False, True])
def test_heatmap_of_a_plate_is_that_of_the_figure(has_sink: bool):
    weights = heads_of(5, 7)[1]
    sink = np.linspace(0, 0.4, 5, dtype=np.float32) if has_sink else None
    masked = np.array([False, True, True, False, False])
    queries, keys = Words(LETTERS, TokenMarks()), Words(CAT, CAT_MARKS)
    plate, size = map_plate(queries, keys, LIGHT, width=401, has_sink=has_sink)
    extras = map_extras(size, LIGHT, zmax=0.8, masked=masked, sink=sink)
    figure = attention_heatmap(
        weights,
        LETTERS,
        CAT,
        title="",
        zmax=0.8,
        fully_masked=masked,
        sink=sink,
        special_keys=CAT_MARKS.special,
        typed_keys=CAT_MARKS.typed,
        clickable=False,
        width=401,
    )
    drawn = go.Figure(layout=plate["layout"] | {"annotations": extras["annotations"]})
    assert drawn.layout == figure.layout
    cells = go.Heatmap(plate["cells"] | {"z": weights, "zmax": extras["zmax"]})
    for name in ("x0", "dx", "zmin", "zmax", "colorscale", "xgap", "ygap"):
        assert cells[name] == figure.data[0][name]
    beside = [go.Figure(data=[trace]).data[0] for trace in extras["traces"]]
    assert [trace.type for trace in beside] == [trace.type for trace in figure.data[1:]]
    if sink is not None:
        np.testing.assert_array_equal(beside[0].z, sink[:, None])
        assert beside[0].x0 == figure.data[1].x0
        assert beside[0].zmax == 0.8
    np.testing.assert_array_equal(beside[-1].y, figure.data[-1].y)
    assert [note["text"] for note in extras["annotations"]] == ["masked"]
    margin, grid = drawn.layout.margin, plate["grid"]
    assert (grid["left"], grid["top"]) == (margin.l, margin.t)
    assert grid["cell"] == pytest.approx((drawn.layout.height - margin.t - margin.b) / 5)
    assert plain(plate)
    assert plain(extras)


def test_map_of_which_nothing_is_masked_has_nothing_beside_its_cells():
    words = Words(LETTERS, TokenMarks())
    _, size = map_plate(words, words, DARK, width=401, has_sink=False)
    extras = map_extras(size, DARK, zmax=1, masked=np.zeros(5, bool), sink=None)
    assert extras["traces"] == extras["annotations"] == []


def test_bar_of_a_map_goes_to_its_own_last_weight():
    words = Words(LETTERS, TokenMarks())
    _, size = map_plate(words, words, LIGHT, width=401, has_sink=False)
    bar = map_extras(size, LIGHT, zmax=0.25, masked=np.zeros(5, bool), sink=None)["bar"]
    assert max(bar["tickvals"]) == pytest.approx(0.25)


def test_all_heads_of_a_plate_are_where_they_are_in_the_figure():
    layers = [heads_of(5, 5), None, np.stack([random_weights(5, 5)] * 3)]
    plate = grid_plate(layers, LIGHT, pooled=1)
    figure = head_grid(layers, title="All heads")
    said = plate["layout"]["title"]["subtitle"].pop("text")
    assert "Click one to open it." in said
    assert "Click" not in figure.layout.title.subtitle.text
    figure.layout.title.subtitle.text = None
    assert go.Figure(layout=plate["layout"]).layout == figure.layout
    for name in ("x", "y"):
        np.testing.assert_array_equal(plate["cells"][name], figure.data[0][name])
    assert (plate["n_layers"], plate["n_heads"], tuple(plate["shape"])) == (3, 3, (5, 5))
    (missing,) = plate["layout"]["annotations"]
    assert (missing["y"], missing["text"]) == (1, "no attention in this layer")
    assert plain(plate)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_of_a_plate_are_those_of_the_theme(theme):
    plate = plain(theme_plate(theme))
    assert plate["accent"] == theme.accent
    assert plate["ramp"] == list(theme.ramp)
    assert plate["font"]
