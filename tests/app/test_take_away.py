"""What is shown, as a table and as files."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.figures.theme import LIGHT
from mha_viz.ui import cache
from mha_viz.ui.selection import Selection
from mha_viz.ui.take_away import _page_of, weights_table
from mha_viz.ui.view import View

pytestmark = pytest.mark.model


def view_of(**choices: object) -> View:
    selection = Selection(**choices)
    source = cache.Source("minilm", selection.text)
    record = cache.record(source)
    return View(selection, source, record, record.stream("self"))


def test_csv_holds_every_weight_that_is_shown():
    view = view_of(layer=3, heads=(1, 9))
    table = weights_table(view)
    assert len(table) == 2 * 12 * 12
    cell = table[(table["head"] == 9) & (table["query"] == 7) & (table["key"] == 2)]
    assert cell[["looks", "looked at"]].to_numpy().tolist() == [["it", "cat"]]
    assert cell["weight"].item() == view.weights[9, 7, 2]
    np.testing.assert_allclose(table.groupby(["head", "query"])["weight"].sum(), 1, rtol=1e-5)


def test_csv_of_a_window_counts_positions_in_the_whole_text():
    view = view_of(text=" ".join(map(str, range(60))), layer=2, heads=(9,), start=20)
    table = weights_table(view)
    assert table["query"].min() == table["key"].min() == 20
    first = table.iloc[0]
    assert first["weight"] == pytest.approx(view.stream.weights(2, 9)[20, 20])


def test_page_that_is_saved_holds_the_pictures_and_the_text():
    page = _page_of(view_of(text="Hi <there>", heads=(0, 2)), LIGHT).decode()
    assert page.count("Plotly.newPlot(") == 3
    assert "<h1>Hi &lt;there&gt;</h1>" in page


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
