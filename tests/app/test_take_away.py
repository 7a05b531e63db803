"""What is shown, as a table and as files."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.figures.theme import LIGHT
from mha_viz.ui.csv_button import csv_of
from mha_viz.ui.take_away import _page_of, weights_table
from tests.app.views import view_of
from tests.labels import as_read

pytestmark = pytest.mark.model

NUMBERS = " ".join(map(str, range(60)))


def test_csv_holds_every_weight_that_is_shown():
    view = view_of(layer=3, heads=(1, 9))
    table = weights_table(view)
    assert len(table) == 2 * 12 * 12
    cell = table[(table["head"] == 9) & (table["query"] == 7) & (table["key"] == 2)]
    assert cell[["looks", "looked at"]].to_numpy().tolist() == [["it", "cat"]]
    assert cell["weight"].item() == view.stream.weights(3, 9)[7, 2]
    np.testing.assert_allclose(table.groupby(["head", "query"])["weight"].sum(), 1, rtol=1e-5)


def test_csv_without_special_tokens_counts_positions_with_them():
    view = view_of(layer=3, heads=(1, 9), hide=("special",))
    table = weights_table(view)
    assert len(table) == 2 * 10 * 10
    weights = view.stream.weights(3)
    for head, query, looks, key, looked_at, weight in table.drop(columns="layer").to_numpy():
        assert weight == weights[head, query, key]
        assert looks == view.stream.query_texts[query]
        assert looked_at == view.stream.key_texts[key]


def test_csv_of_words_sums_over_the_pieces_of_a_key_and_averages_over_those_of_a_query():
    text = "the unbelievable mouse chased incomprehensible cats"
    view = view_of(text=text, layer=2, heads=(5,), unit="word", hide=("special",))
    table = weights_table(view)
    words = text.split()
    spans = [token.span for token in view.stream.query_tokens]
    assert len(spans) > len(words) + 2
    of_word = [
        [place for place, span in enumerate(spans) if span and text[: span[0]].count(" ") == word]
        for word in range(len(words))
    ]
    weights = view.stream.weights(2, 5)
    assert len(table) == len(words) ** 2
    for _, _, query, looks, key, looked_at, weight in table.to_numpy():
        # Position 0 is [CLS].
        assert (looks, looked_at) == (words[query - 1], words[key - 1])
        block = weights[np.ix_(of_word[query - 1], of_word[key - 1])]
        assert weight == pytest.approx(block.sum(axis=1).mean(), rel=1e-5)


def test_csv_of_the_mean_has_no_number_of_a_head():
    view = view_of(layer=3, heads=(9,), average=True)
    table = weights_table(view)
    assert table["head"].unique().tolist() == [9, "mean"]
    mean = view.stream.weights(3).mean(axis=0)
    rows = table[table["head"] == "mean"]
    for query, key, weight in rows[["query", "key", "weight"]].itertuples(index=False):
        assert weight == pytest.approx(mean[query, key], rel=1e-5)


def test_csv_of_a_window_counts_positions_in_the_whole_text():
    view = view_of(text=NUMBERS, layer=2, heads=(9,), start=20)
    table = weights_table(view)
    assert table["query"].min() == table["key"].min() == 20
    first = table.iloc[0]
    assert first["weight"] == view.stream.weights(2, 9)[20, 20]


def test_csv_of_a_window_without_special_tokens_counts_them_all_the_same():
    view = view_of(text=NUMBERS, layer=2, heads=(9,), start=20, key_start=3, hide=("special",))
    table = weights_table(view)
    assert (table["query"].min(), table["key"].min()) == (21, 4)
    assert (table["query"].max(), table["key"].max()) == (60, 43)
    assert table["looks"].iloc[0] == "20"
    assert table["weight"].iloc[0] == view.stream.weights(2, 9)[21, 4]


@pytest.mark.parametrize("window", [{}, {"text": NUMBERS, "start": 20, "key_start": 3}])
def test_csv_is_the_same_whichever_way_the_picture_is_read(window: dict[str, object]):
    by_query, by_key = (
        weights_table(view_of(heads=(2, 5), query=7, reading=reading, **window))
        for reading in ("query", "key")
    )
    pd.testing.assert_frame_equal(by_query, by_key)


def test_csv_as_a_file_reads_back_to_the_same_table():
    view = view_of(text='He said "no, no", \U0001f469\u200d\U0001f467', heads=(2,))
    read = pd.read_csv(io.BytesIO(csv_of(lambda: weights_table(view))), keep_default_na=False)
    table = weights_table(view)
    assert read["looks"].tolist() == table["looks"].tolist()
    np.testing.assert_allclose(read["weight"], table["weight"])


def note_of(page: str) -> str:
    return page.partition("<p>")[2].partition("</p>")[0]


def test_page_that_is_saved_holds_all_pictures_and_the_text():
    page = _page_of(view_of(text="Hi <there>", heads=(0, 2)), LIGHT).decode()
    assert page.count("Plotly.newPlot(") == 4
    assert "<h1>Hi &lt;there&gt;</h1>" in page
    assert "Hidden" not in note_of(page)


def test_page_that_is_saved_says_what_is_hidden():
    page = _page_of(view_of(hide=("special",)), LIGHT).decode()
    assert note_of(page).startswith("minilm, layer 0. ")
    assert "Hidden: [CLS], [SEP], which get 0." in note_of(page)


def test_table_is_shown_when_the_switch_is_on(app: AppTest):
    app.query_params.update({"heads": "2,5"})
    app.run()
    assert len(app.dataframe) == 0
    app.toggle(key="show table").set_value(True).run()
    assert not app.exception
    assert len(app.dataframe) == 2
    assert app.dataframe[0].value.shape == (12, 12)
    assert app.dataframe[0].value.loc["1 the", "0 [CLS]"] >= 0.999


def test_buttons_that_save_are_there_only_with_pictures(app: AppTest):
    app.run()
    assert {"Numbers (CSV)", "Pictures (HTML)"} <= {
        button.proto.label for button in app.get("download_button")
    }
    app.button_group(key="spotlight.heads").set_value([]).run()
    assert not app.get("download_button")
    assert not [button for button in app.button if button.key == "save png"]


def saved(app: AppTest) -> list[dict]:
    """What the browser is asked to save."""
    parts = app.get("bidi_component")
    return [
        json.loads(part.proto.json) for part in parts if part.proto.component_name == "mha_viz.save"
    ]


@pytest.mark.parametrize(
    ("title", "name", "width"),
    [
        ("Rows of words", "heads-L3-H1-H9", 1000),
        ("L3 H9", "L3-H9", None),
        ("All heads", "all-heads", 1000),
    ],
)
@pytest.mark.parametrize("kind", ["png", "svg"])
def test_figure_that_is_chosen_is_given_to_the_browser_once(
    app: AppTest, title: str, name: str, width: int | None, kind: str
):
    app.query_params.update({"layer": "3", "heads": "1,9"})
    app.run()
    assert app.button_group(key="picture to save").options == [
        "Rows of words",
        "L3 H1",
        "L3 H9",
        "All heads",
    ]
    app.button_group(key="picture to save").set_value(title).run()
    assert saved(app) == []
    app.button(key=f"save {kind}").click().run()
    assert not app.exception
    (asked,) = saved(app)
    assert (asked["format"], asked["name"]) == (kind, name)
    layout = asked["figure"]["layout"]
    wanted = "Where each word looks" if title == "Rows of words" else title
    assert as_read(layout["title"]["text"]) == wanted
    assert layout["paper_bgcolor"] == LIGHT.surface
    assert (asked["width"], asked["height"]) == (width or layout["width"], layout["height"])
    app.run()
    assert saved(app) == []


def test_figure_that_is_chosen_is_another_when_its_head_is_no_longer_shown(app: AppTest):
    app.query_params.update({"heads": "1,9"})
    app.run()
    app.button_group(key="picture to save").set_value("L0 H9").run()
    app.button_group(key="spotlight.heads").set_value([1]).run()
    assert not app.exception
    app.button(key="save png").click().run()
    assert [asked["name"] for asked in saved(app)] == ["heads-L0-H1"]
