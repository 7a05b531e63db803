import numpy as np
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.arc_selection import ArcRow, fewest_keys
from mha_viz.figures.arcs import spotlight_rows
from mha_viz.figures.row_layout import arc_shapes
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import DARK, LIGHT, with_opacity
from tests.unit.figures.arc_figures import (
    BLUE,
    arcs_of,
    lines_of,
    looks,
    random_weights,
    unseen,
    words_of,
)

HARD = ["<b>x</b>", "$x^2$", "%{x}", "#000001", "&lt;", "\0", "שלום", "a" * 60, "", "the", "the"]


def test_textbook_heads_when_drawn_link_the_letters_of_the_textbook():
    heads = [((4, 3), (4, 5)), ((1, 0),), ((2, 5),)]
    weights = [looks(6, *pairs) for pairs in heads]
    weights[0] /= 2
    rows = [ArcRow(f"Head {i}", w, LIGHT.head_colour(i)) for i, w in enumerate(weights)]
    figure = spotlight_rows(rows, list("ABCDEF"), title="Three heads")
    found = {(row, query, key) for _, row, query, key, *_ in arcs_of(figure)}
    assert found == {(0, 4, 3), (0, 4, 5), (1, 1, 0), (2, 2, 5)}
    assert figure.layout.meta == {"drawn": 4, "outside": 0, "hidden": 0}
    colours = {line.line.color.rsplit(",", 1)[0] for line in lines_of(figure)}
    assert colours == {
        with_opacity(LIGHT.head_colour(index), 0).rsplit(",", 1)[0] for index in range(3)
    }


def test_arc_when_it_looks_back_is_above_the_words_and_ahead_below():
    figure = spotlight_rows(
        [ArcRow("L0 H0", looks(5, (3, 1), (1, 4)), BLUE)], list("abcde"), title=""
    )
    (markers,) = unseen(figure, "arc")
    word_y = words_of(figure)[0].y
    y = {tuple(arc[2:4]): y for arc, y in zip(markers.customdata, markers.y, strict=True)}
    assert y[3, 1] < word_y < y[1, 4]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert "Below: looking ahead" in figure.layout.title.subtitle.text


def test_arc_when_nothing_looks_ahead_leaves_no_room_below():
    back = spotlight_rows([ArcRow("L0 H0", looks(5, (3, 1)), BLUE)], list("abcde"), title="")
    both = spotlight_rows(
        [ArcRow("L0 H0", looks(5, (3, 1), (0, 4)), BLUE)], list("abcde"), title=""
    )
    assert back.layout.height < both.layout.height
    assert "Every arc looks back" in back.layout.title.subtitle.text


def test_arc_when_longer_rises_higher_but_less_than_in_proportion():
    weights = looks(13, (1, 0), (12, 0))
    figure = spotlight_rows([ArcRow("L0 H0", weights, BLUE)], ["w"] * 13, title="")
    tops = [
        np.nanmax(line.y) - np.nanmin(segment)
        for line in lines_of(figure)
        for segment in line.y.reshape(-1, 18)
    ]
    assert 2 < max(tops) / min(tops) < 12
    assert max(tops) <= 112


def test_word_when_it_looks_at_itself_has_a_small_loop_above():
    figure = spotlight_rows([ArcRow("L0 H0", looks(3, (1, 1)), BLUE)], list("abc"), title="")
    (line,) = lines_of(figure)
    word = words_of(figure)[1]
    assert np.nanmax(line.y) < word.y
    assert np.nanmin(line.x) < word.x < np.nanmax(line.x)
    assert np.nanmax(line.y) - np.nanmin(line.y) == pytest.approx(20)


def test_arrow_when_drawn_is_at_the_key():
    figure = spotlight_rows(
        [ArcRow("L0 H0", looks(5, (3, 1), (1, 4)), BLUE)], list("abcde"), title=""
    )
    (arrows,) = [trace for trace in figure.data if trace.marker.cmax == 1]
    places = [word.x for word in words_of(figure)]
    at = dict(zip(arrows.x.tolist(), arrows.marker.symbol, strict=True))
    assert at == {places[1]: "triangle-down", places[4]: "triangle-up"}


def test_thickness_and_opacity_when_weights_grow_are_linear():
    weights = np.diag(np.linspace(0.0625, 0.9375, 8)).astype(np.float32)
    figure = spotlight_rows([ArcRow("L0 H0", weights, BLUE)], list("abcdefgh"), title="", share=1)
    widths = [line.line.width for line in lines_of(figure)]
    opacities = [float(line.line.color.rsplit(",", 1)[1][:-1]) for line in lines_of(figure)]
    assert len(widths) == 8
    assert np.diff(widths) == pytest.approx(np.full(7, widths[1] - widths[0]))
    assert np.diff(opacities) == pytest.approx(np.full(7, opacities[1] - opacities[0]), abs=2e-3)
    assert widths[0] < widths[-1]
    assert opacities[0] < opacities[-1]


def test_hover_when_on_an_arc_says_who_looks_at_whom_and_how_much():
    """AV-095."""
    weights = np.array([[1, 0, 0], [0.25, 0.75, 0], [0.63, 0.2, 0.17]], np.float32)
    figure = spotlight_rows(
        [ArcRow("L0 H0", weights, BLUE)], ["cat", "was", "it"], title="", share=0.8
    )
    assert [*arcs_of(figure)[-3:]] == [
        ["arc", 0, 2, 0, plotly_text("it"), plotly_text("cat"), "0.63", "1st of 3"],
        ["arc", 0, 1, 1, plotly_text("was"), plotly_text("was"), "0.75", "1st of 3"],
        ["arc", 0, 0, 0, plotly_text("cat"), plotly_text("cat"), "1.00", "1st of 3"],
    ]
    assert arcs_of(figure)[0][-2:] == ["0.20", "2nd of 3"]


def test_arcs_when_many_are_drawn_are_few_traces_of_typed_arrays():
    """AV-086: lists cost much more than arrays."""
    figure = spotlight_rows(
        [ArcRow("L0 H0", random_weights(48, 48), BLUE)], ["word"] * 48, title=""
    )
    assert len(figure.data) <= 12
    for trace in figure.data:
        assert trace.x.dtype == trace.y.dtype == np.float32
    assert len(figure.to_json()) < 400_000


def test_chosen_query_when_drawn_stands_out_with_its_numbers():
    weights = random_weights(7, 7)
    figure = spotlight_rows(
        [ArcRow("L0 H0", weights, BLUE)], list("abcdefg"), title="", query=3, theme=DARK
    )
    (numbers,) = [trace for trace in figure.data if trace.mode == "text"]
    kept = np.argsort(-weights[3])[: fewest_keys(weights[3], 0.7).sum()]
    assert list(numbers.text) == [f"{weights[3, key]:.2f}" for key in kept]
    words = words_of(figure)
    assert numbers.x.tolist() == pytest.approx([words[key].x for key in kept])
    assert [word.bgcolor == DARK.accent for word in words] == [False] * 3 + [True] + [False] * 3
    assert words[kept[0]].bgcolor == with_opacity(BLUE, float(weights[3, kept[0]]) * 0.5)
    colours = {line.line.color.rsplit(",", 1)[0] for line in lines_of(figure)}
    assert colours == {with_opacity(colour, 0).rsplit(",", 1)[0] for colour in (BLUE, DARK.muted)}


def test_numbers_when_keys_stand_close_leave_out_the_lighter():
    weights = np.zeros((48, 48), np.float32)
    weights[47, 20:24] = [0.2, 0.3, 0.25, 0.25]
    figure = spotlight_rows(
        [ArcRow("L0 H0", weights, BLUE)], ["word"] * 48, title="", query=47, share=1
    )
    (numbers,) = [trace for trace in figure.data if trace.mode == "text"]
    assert list(numbers.text) == ["0.30", "0.25"]
    assert abs(np.diff(numbers.x)).min() >= 30


def test_word_when_clicked_says_its_row_and_position():
    rows = [ArcRow(name, random_weights(3, 3), BLUE) for name in ("L0 H0", "L0 H1")]
    figure = spotlight_rows(rows, ["the", "cat", "the"], title="")
    said = [list(word) for trace in unseen(figure, "token") for word in trace.customdata]
    assert said == [
        ["token", row, position, plotly_text(text)]
        for row in (0, 1)
        for position, text in enumerate(["the", "cat", "the"])
    ]


def test_markers_when_clicked_leave_everything_as_it_was():
    figure = spotlight_rows(
        [ArcRow("L0 H0", random_weights(3, 3), BLUE)], list("abc"), title="", query=1
    )
    for trace in figure.data:
        if trace.customdata is not None:
            assert trace.selected.marker.opacity == trace.unselected.marker.opacity == 0
        elif trace.mode == "markers":
            assert trace.unselected.marker.opacity == 1
        elif trace.mode == "text":
            assert trace.unselected.textfont.color == trace.textfont.color


def test_rows_when_stacked_do_not_overlap():
    rows = [ArcRow(f"L0 H{head}", random_weights(7, 7), BLUE) for head in range(3)]
    figure = spotlight_rows(rows, list("abcdefg"), title="")
    tops = [note.y for note in figure.layout.annotations if note.xref == "paper"]
    bottoms = [*tops[1:], figure.layout.yaxis.range[0]]
    for index, (top, bottom) in enumerate(zip(tops, bottoms, strict=True)):
        arcs = unseen(figure, "arc")[index]
        words = unseen(figure, "token")[index]
        assert top < min(arcs.y.min(), words.y.min())
        assert max(arcs.y.max(), words.y.max()) < bottom


def test_cross_attention_when_drawn_links_two_lines_of_words():
    weights = random_weights(5, 7)
    figure = spotlight_rows(
        [ArcRow("L0 H2", weights, BLUE)], list("abcde"), list("ABCDEFG"), title=""
    )
    below = [word for word in words_of(figure) if word.text[1].islower()]
    above = [word for word in words_of(figure) if word.text[1].isupper()]
    assert (len(below), len(above)) == (5, 7)
    assert max(word.y for word in above) < min(word.y for word in below)
    for line in lines_of(figure):
        for x in line.x.reshape(-1, 18):
            assert min(abs(x[0] - word.x) for word in below) < 1e-3
            assert min(abs(x[16] - word.x) for word in above) < 1e-3
    assert "Above: what is looked at" in figure.layout.title.subtitle.text


def test_two_lines_when_long_tilt_away_from_their_links():
    queries, keys = ["because"] * 31, ["interesting"] * 37
    row = ArcRow("L0 H2", random_weights(31, 37), BLUE)
    words = words_of(spotlight_rows([row], queries, keys, title=""))
    assert {word.textangle for word in words} == {-60}
    hanging = {(word.text[1], word.xanchor, word.yanchor) for word in words}
    assert hanging == {("b", "right", "top"), ("i", "left", "bottom")}


def test_words_when_too_many_are_thinned_but_not_those_that_matter():
    weights = looks(151, (150, 77))
    row = ArcRow("L0 H2", weights, BLUE)
    figure = spotlight_rows([row], [f"w{position}" for position in range(151)], title="", query=149)
    shown = {word.text[1:-1] for word in words_of(figure)}
    assert {"w0", "w3", "w149"} <= shown
    assert len(shown) < 60
    assert len(unseen(figure, "token")[0].customdata) == 151


def test_keys_when_given_are_a_line_of_their_own_whatever_their_texts():
    """The words of a target may be those of the text, and of a text that repeats itself all windows look the same."""
    tokens = ["the", "cat", "the"]
    figure = spotlight_rows(
        [ArcRow("L0 H0", random_weights(3, 3), BLUE)], tokens, list(tokens), title=""
    )
    assert len(words_of(figure)) == 6


def test_query_when_masked_is_said_to_look_at_nothing():
    weights = looks(3, (0, 0), (2, 1))
    figure = spotlight_rows(
        [ArcRow("L0 H0", weights, BLUE, "a note")], list("abc"), title="", query=1
    )
    assert "a note · masked: looks at nothing" in figure.layout.annotations[0].text


@pytest.mark.parametrize("n_tokens", [1, 2, 4])
def test_weights_when_all_zero_draw_words_without_arcs(n_tokens: int):
    weights = np.zeros((n_tokens, n_tokens), np.float32)
    figure = spotlight_rows([ArcRow("L0 H0", weights, BLUE)], ["same"] * n_tokens, title="")
    assert figure.layout.meta == {"drawn": 0, "outside": 0, "hidden": 0}
    assert len(words_of(figure)) == n_tokens
    assert figure.to_json()


def test_one_token_when_drawn_looks_at_itself():
    figure = spotlight_rows([ArcRow("L0 H0", np.ones((1, 1), np.float32), BLUE)], ["hi"], title="")
    assert [arc[2:4] for arc in arcs_of(figure)] == [[0, 0]]


def test_hard_tokens_when_drawn_are_escaped_everywhere():
    rows = [ArcRow("<i>L0</i>", random_weights(11, 11), BLUE, "%{meta} <h1>")]
    figure = spotlight_rows(rows, HARD, title="<u>t</u>", caption="$c$", query=2)
    assert [word.text for word in words_of(figure)] == [plotly_text(token, 16) for token in HARD]
    said = figure.to_json().replace("\\u003c", "<").replace("\\u003e", ">")
    for markup in ("<i>", "<u>", "<h1>", "<b>x", "$c$", "$x^2$", "#000001", "%{meta}", "%{x}"):
        assert markup not in said


def test_special_tokens_when_drawn_are_muted_and_slanted():
    tokens = ["[CLS]", "a", "[SEP]", "[SEP]"]
    figure = spotlight_rows(
        [ArcRow("L0 H0", looks(4, (1, 0)), BLUE)],
        tokens,
        title="",
        special_queries=[0, 3],
        typed_queries=[2],
    )
    assert [word.font.style for word in words_of(figure)] == [
        "italic",
        "normal",
        "normal",
        "italic",
    ]
    assert [word.font.color == LIGHT.muted for word in words_of(figure)] == [
        True,
        False,
        False,
        True,
    ]
    names = [word[3] for word in unseen(figure, "token")[0].customdata]
    assert [name.partition(" ")[2] for name in names] == [
        "⟨added by the model⟩",
        "",
        "⟨typed, read as special⟩",
        "⟨added by the model⟩",
    ]
    assert arcs_of(figure)[0][5] == names[0]


def test_special_tokens_when_on_a_tint_or_the_accent_keep_an_ink_that_can_be_read():
    figure = spotlight_rows(
        [ArcRow("L0 H0", looks(3, (1, 0)), BLUE)],
        ["[CLS]", "[SEP]", "a"],
        title="",
        query=1,
        special_queries=[0, 1],
    )
    looked_at, looking, _ = words_of(figure)
    assert (looked_at.font.color, looked_at.font.style) == (LIGHT.ink, "italic")
    assert (looking.font.color, looking.font.style) == (LIGHT.on_accent, "italic")


def test_special_keys_when_another_line_are_marked_there():
    figure = spotlight_rows(
        [ArcRow("L0 H0", random_weights(2, 3), BLUE)],
        ["a", "b"],
        ["A", "B", "C"],
        title="",
        special_queries=[0],
        special_keys=[2],
    )
    slanted = {word.text[1] for word in words_of(figure) if word.font.style == "italic"}
    assert slanted == {"a", "C"}


@pytest.mark.parametrize(
    ("note", "said"),
    [("looks back", "looks back; 0.45 to the sink"), ("", "0.45 to the sink")],
)
def test_sink_when_a_head_has_one_is_named_with_its_share(note: str, said: str):
    row = ArcRow("L0 H0", random_weights(3, 3), BLUE, note, sink=0.454)
    figure = spotlight_rows([row], list("abc"), title="")
    assert plotly_text(said, 100) in figure.layout.annotations[0].text


def test_arc_shapes_when_words_are_apart_follow_the_formula():
    query_x, key_x = np.array([100.0, 10.0, 50.0]), np.array([10.0, 50.0, 50.0])
    x0, x1, height = arc_shapes(query_x, key_x, slot=20, furthest=9, highest=90)
    assert x0.tolist() == [97, 13, 44]
    assert x1.tolist() == [10, 50, 56]
    assert height == pytest.approx([90 * (4.5 / 9) ** 0.5, 90 * (2 / 9) ** 0.5, 20])


def test_arc_shapes_when_drawn_are_those_of_the_figure():
    figure = spotlight_rows([ArcRow("L0 H0", looks(7, (6, 2)), BLUE)], ["word"] * 7, title="")
    x = [word.x for word in words_of(figure)]
    slot = x[1] - x[0]
    x0, x1, height = arc_shapes(
        np.array([x[6]]), np.array([x[2]]), slot=slot, furthest=4, highest=34 * 4**0.5
    )
    (line,) = lines_of(figure)
    assert (line.x[0], line.x[16]) == (pytest.approx(x0[0]), pytest.approx(x1[0]))
    assert np.nanmax(line.y) - np.nanmin(line.y) == pytest.approx(height[0])


def test_tokens_when_they_do_not_fit_a_head_are_refused():
    with pytest.raises(ShapeError, match=r"L0 H7 for 2 query tokens .* got 5 queries"):
        spotlight_rows(
            [ArcRow("L0 H7", random_weights(5, 3), BLUE)], ["a", "b"], ["A", "B", "C"], title=""
        )


def test_heads_when_none_is_given_are_asked_for():
    with pytest.raises(ShapeError, match="expected at least one head"):
        spotlight_rows([], ["a"], title="")
