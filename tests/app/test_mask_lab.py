"""The page of masks: what is done to heads, what is drawn of it, and what is written about it."""

import base64
import json
import re
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from transformers import GPT2LMHeadModel

import mha_viz
from mha_viz.core.interventions import HeadOff, MaskHead
from mha_viz.figures.report import markdown
from mha_viz.figures.theme import LIGHT
from mha_viz.ui.lab import bench as benches
from mha_viz.ui.lab.bench import Compared
from mha_viz.ui.lab.choices import Lab, restriction
from mha_viz.ui.lab.pictures import Pictures
from mha_viz.ui.lab.words import in_words
from mha_viz.ui.lab.written import TITLE, page, sections
from mha_viz.ui.selection import MAX_LINK, Selection
from tests.app.conftest import choose, said
from tests.app.views import view_of
from tests.model.saved import save_tiny
from tests.model.small_tokenizers import byte_level

pytestmark = pytest.mark.model

SCRIPT = "pages/mask_lab.py"
TEXT = Selection().text
N_TOKENS, HALF = 12, 6
ATTACK = "<img src=x onerror=alert(1)>"


def open_lab(app: AppTest, **parameters: str) -> AppTest:
    """A link to the page, opened cold."""
    app.switch_page(SCRIPT)
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def maps(app: AppTest) -> list[tuple[str, np.ndarray]]:
    """The maps that are drawn, with their titles."""
    found = []
    for chart in app.get("plotly_chart"):
        figure = json.loads(chart.proto.spec)
        z = figure["data"][0]["z"]
        title = figure["layout"]["title"]["text"].strip("\u2068\u2069")
        numbers = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])
        found.append((title, numbers.reshape([int(size) for size in z["shape"].split(",")])))
    return found


def words_of(app: AppTest) -> str:
    """What is written on the page, as a person reads it."""
    parts = [part.value for kind in ("markdown", "caption", "info") for part in app.get(kind)]
    return " ".join(parts).replace("\\", "").replace("\u2060", "")


def table(app: AppTest, place: int) -> np.ndarray:
    return app.dataframe[place].value.to_numpy()


def address(app: AppTest) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else value[0]
        for name, value in app.query_params.items()
    }


def compared_of(lab: Lab, **choices: object) -> tuple[Pictures, dict[int, str]]:
    bench = benches.of_the_model(view_of(**choices))
    made = restriction(lab, bench)
    return Pictures.of(Compared.of(bench, made.changes), 0), in_words(made, bench, lab)


def test_first_look_is_the_exercise_of_the_text(app: AppTest):
    open_lab(app)
    drawn = maps(app)
    kinds = ["original", "restricted", "difference"]
    assert [title for title, _ in drawn] == [
        f"L0 H{head} {kind}" for head in (0, 1) for kind in kinds
    ]
    original = mha_viz.attend(TEXT).weights(0)
    for head, half in ((0, slice(HALF)), (1, slice(HALF, N_TOKENS))):
        before, restricted, difference = (numbers for _, numbers in drawn[3 * head : 3 * head + 3])
        np.testing.assert_array_equal(before, original[head])
        outside = np.ones(N_TOKENS, bool)
        outside[half] = False
        assert (restricted[:, outside] == 0).all()
        np.testing.assert_allclose(restricted.sum(axis=1), 1, atol=1e-6)
        # What is left of a row keeps its proportions.
        share = original[head][:, half] / original[head][:, half].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(restricted[:, half], share, atol=1e-6)
        np.testing.assert_array_equal(difference, restricted - before)
    written = words_of(app)
    assert "L0 H0** may look only at the first half: “[CLS]” to “mouse”" in written
    assert "L0 H1** may look only at the second half: “because” to “[SEP]”" in written
    assert "MiniLM predicts no words" in written


def test_scale_of_differences_is_said(app: AppTest):
    open_lab(app)
    limit = max(np.abs(numbers).max() for title, numbers in maps(app) if "difference" in title)
    assert f"from −{limit:.2f} (lost) over 0, the page’s own colour, to +{limit:.2f}" in words_of(
        app
    )


def test_layers_before_the_restricted_one_are_those_of_the_model():
    mask = MaskHead(3, 0, range(HALF))
    before, after = mha_viz.attend(TEXT), mha_viz.attend(TEXT, interventions=mask)
    for layer in range(3):
        np.testing.assert_array_equal(before.weights(layer), after.weights(layer))
    np.testing.assert_array_equal(before.weights(3)[1:], after.weights(3)[1:])
    shown, _ = compared_of(Lab(restricted=(0,)), layer=3)
    np.testing.assert_array_equal(shown.compared.after.weights, after.weights(3))
    assert not shown.compared.difference[1:].any()
    assert not np.array_equal(before.weights(4), after.weights(4))


def test_outputs_that_are_compared_are_those_of_the_layer_and_of_the_whole_model(app: AppTest):
    open_lab(app, layer="2", restricted="4", off="4")
    off = [MaskHead(2, 4, range(HALF)), HeadOff(2, 4)]
    before, after = mha_viz.attend(TEXT), mha_viz.attend(TEXT, interventions=off)
    layers = [record.only_stream.layer(2).module_output.numpy() for record in (before, after)]
    for place, (one, other) in enumerate([layers, (before.final, after.final)]):
        moved, was_long, cosine = table(app, place).T
        lengths = [np.linalg.norm(vectors, axis=1) for vectors in (one, other)]
        np.testing.assert_allclose(moved, np.linalg.norm(other - one, axis=1), rtol=1e-4)
        np.testing.assert_allclose(was_long, lengths[0], rtol=1e-4)
        np.testing.assert_allclose(
            cosine, (one * other).sum(1) / lengths[0] / lengths[1], rtol=1e-4
        )


@pytest.mark.parametrize(
    ("how", "sentence"), [("zero", "is off by zero"), ("uniform", "is off by uniform weights")]
)
def test_head_when_off_says_how(app: AppTest, how: str, sentence: str):
    open_lab(app, preset="none", off="3", how=how)
    assert f"L0 H3** {sentence}" in words_of(app)
    before, after, difference = (numbers for _, numbers in maps(app))
    if how == "zero":
        np.testing.assert_array_equal(after, before)
        assert not difference.any()
    else:
        np.testing.assert_allclose(after, 1 / N_TOKENS, rtol=1e-6)
    assert table(app, 0)[:, 0].min() > 0


def test_widgets_change_what_is_drawn_and_a_link_restores_it(app: AppTest):
    open_lab(app)
    app.button_group(key="mask lab.preset").set_value("window").run()
    app.slider(key="mask lab.reach").set_value(2).run()
    app.button_group(key="mask lab.restricted").set_value([5, 2]).run()
    app.slider(key="mask lab.temperature").set_value(0.5).run()
    app.selectbox(key="mask lab.cut_query").select(7).run()
    app.selectbox(key="mask lab.cut_key").select(8).run()
    assert not app.exception
    drawn, written = maps(app), words_of(app)
    assert [title for title, _ in drawn][::3] == ["L0 H2 original", "L0 H5 original"]
    distance = np.abs(np.subtract.outer(range(N_TOKENS), range(N_TOKENS)))
    forbidden = distance > 2
    forbidden[7, 8] = True
    for _, restricted in drawn[1::3]:
        np.testing.assert_array_equal(restricted == 0, forbidden)
    assert "2 tokens to each side (window)" in written
    assert "temperature of 0.5" in written
    assert "“it” may no longer look at “was”" in written
    link = address(app)
    other = AppTest.from_file(str(Path(__file__).parents[2] / "app.py"), default_timeout=120)
    open_lab(other, **link)
    assert words_of(other) == written
    for (title, numbers), (again, same) in zip(drawn, maps(other), strict=True):
        assert title == again
        np.testing.assert_array_equal(numbers, same)


def test_mask_when_painted_is_the_one_that_is_used(app: AppTest):
    open_lab(app, preset="own")
    rows = [
        "0" * N_TOKENS,
        *["1" * query + "0" * (N_TOKENS - query) for query in range(1, N_TOKENS)],
    ]
    choose(app, "paint", {"stroke": 1, "rows": rows})
    assert not app.exception
    _, restricted = maps(app)[1]
    cells = np.array([[cell == "1" for cell in row] for row in rows])
    np.testing.assert_array_equal(restricted > 0, cells)
    assert f"has a painted mask: {cells.sum()} of {N_TOKENS**2} cells" in words_of(app)
    # The other head keeps the half that it started from.
    assert not maps(app)[4][1][:, :HALF].any()
    hatched = json.loads(app.get("plotly_chart")[1].proto.spec)["layout"]["annotations"]
    assert [label["text"] for label in hatched] == ["masked"]


@pytest.mark.parametrize(
    "event",
    [
        {},
        "x",
        {"rows": ["0" * N_TOKENS] * N_TOKENS},
        {"stroke": 0.5, "rows": ["0" * N_TOKENS] * N_TOKENS},
        {"stroke": 1},
        {"stroke": 1, "rows": []},
        {"stroke": 1, "rows": ["2" * N_TOKENS] * N_TOKENS},
        {"stroke": 1, "rows": 7},
    ],
)
def test_event_that_is_no_mask_changes_nothing(app: AppTest, event: object):
    open_lab(app, preset="own")
    choose(app, "paint", event)
    assert not app.exception
    assert "painting" not in address(app)


def test_painting_of_another_text_or_of_a_long_one_is_said(app: AppTest):
    open_lab(app, preset="own", painting="0.3.777")
    assert "what was painted does not fit this text" in said(app).lower()
    app.text_area[0].set_value("word " * 30).run()
    assert not app.exception
    assert "a mask is painted for at most 24 tokens" in said(app).lower()
    assert len(app.get("plotly_chart")) == 0


def test_choices_that_do_not_exist_are_said_and_left_out(app: AppTest):
    open_lab(app, restricted="0,40", off="77", temperature="900", cut_query="500", preset="<b>")
    assert "head 40 does not exist here" in said(app).lower()
    assert "head 77 does not exist here" in said(app).lower()
    assert "preset could not be read; showing halves" in said(app)
    assert len(app.get("plotly_chart")) == 3


def test_our_own_layer_is_that_of_the_texts_code(app: AppTest):
    open_lab(app, source="ours", four="yes", seed="3")
    drawn = maps(app)
    assert [title for title, _ in drawn[:3]] == ["H0 original", "H0 restricted", "H0 difference"]
    for (_, restricted), half in ((drawn[1], slice(2, 4)), (drawn[4], slice(2))):
        assert restricted.shape == (4, 4)
        assert not restricted[:, half].any()
        np.testing.assert_allclose(restricted.sum(axis=1), 1, rtol=1e-6)
    assert "predicts no words" in words_of(app)
    app.toggle(key="mask lab.four").set_value(False).run()
    assert maps(app)[0][1].shape == (10, 10)  # words, and the full stop
    app.text_area[0].set_value(" ").run()
    assert "the text is empty" in app.error[0].value.lower()


def test_what_a_language_model_predicts_is_compared(app: AppTest, folders: Path):
    folder = save_tiny(folders / "gpt2", "gpt2", byte_level(), vocab_size=331)
    torch.manual_seed(0)
    body = GPT2LMHeadModel.from_pretrained(folder)
    body.save_pretrained(folder)
    open_lab(
        app, model=folder, text="the cat saw the dog", restricted="0,1", how="zero", off="0,1,2"
    )
    app.button(key="confirm").click().run()
    assert not app.exception
    words = app.dataframe[-1].value
    assert list(words.columns) == ["Token", "Original", "Restricted"]
    assert (words["Original"] != words["Restricted"]).any()


def test_answer_is_kept_between_pages_and_leaves_a_link_that_gets_too_long(app: AppTest):
    open_lab(app)
    box = app.text_area(key="mask lab.answer")
    box.set_value("Heads made up for it.").run()
    assert address(app)["answer"] == "Heads made up for it."
    essay = "Head 0 lost its words. " * 200
    app.text_area(key="mask lab.answer").set_value(essay).run()
    assert len(essay) > MAX_LINK
    assert "answer" not in address(app)
    assert "the address leaves out your answer, so send your answer along" in said(app)
    app.switch_page("app.py").run()
    app.switch_page(SCRIPT)
    app.query_params.clear()
    app.run()
    assert app.text_area(key="mask lab.answer").value == essay


def test_link_that_only_all_choices_make_too_long_leaves_out_what_it_must_and_says_so(
    app: AppTest,
):
    text = "x" * (MAX_LINK - 100)
    open_lab(app, source="ours", four="yes", text=text)
    app.text_area(key="mask lab.answer").set_value("y" * 100).run()
    assert set(address(app)) == {"source", "four", "text"}
    assert "leaves out your answer, so" in said(app)
    painting = ".".join(["0", "7" * 100])
    open_lab(app, source="ours", four="yes", preset="own", painting=painting, text=text)
    assert len(urlencode(address(app))) <= MAX_LINK
    assert address(app)["painting"] == painting
    assert address(app)["answer"] == "y" * 100
    assert "text" not in address(app)
    assert "leaves out the text, so" in said(app)
    assert app.text_area(key="mask lab.text").value == text
    # What is left out of the address stays where one is.
    app.query_params["answer"] = "y"
    app.run()
    assert app.text_area(key="mask lab.text").value == text
    app.text_area(key="mask lab.text").set_value("Two dogs sleep.").run()
    assert address(app)["text"] == "Two dogs sleep."
    assert "too long" not in said(app)


def test_answer_stays_when_the_browser_goes_back(app: AppTest):
    open_lab(app, answer="first")
    assert app.text_area(key="mask lab.answer").value == "first"
    app.text_area(key="mask lab.answer").set_value("second").run()
    app.query_params.clear()
    app.query_params.update({"answer": "first", "preset": "causal"})
    app.run()
    assert app.text_area(key="mask lab.answer").value == "second"
    assert "(causal)" in words_of(app)


def test_guess_comes_first_and_nothing_of_the_head_is_sent_before(app: AppTest):
    open_lab(app, task="predict", hidden="2", restricted="2")
    assert app.get("plotly_chart") == []
    assert len(app.dataframe) == 0
    app.button(key="predict reveal").click().run()
    assert not app.exception
    truth = app.dataframe[0].value["The model"].to_numpy()
    np.testing.assert_allclose(truth, mha_viz.attend(TEXT).weights(0, 2)[1])
    # Of another head nothing is revealed.
    app.selectbox(key="mask lab.hidden").select(3).run()
    assert not app.exception
    assert len(app.dataframe) == 0


def report_of(answer: str, text: str = TEXT, lab: Lab = Lab()) -> tuple[str, str]:  # noqa: B008 (frozen)
    shown, sentences = compared_of(lab, text=text)
    parts = sections(shown, sentences, answer, LIGHT)
    return page(parts, shown=shown, theme=LIGHT), markdown(TITLE, parts)


def test_report_holds_the_text_the_masks_the_numbers_and_the_answer():
    html, written = report_of("Two lines:\nthe heads differ.")
    assert html.count("Plotly.newPlot(") == 6
    plain = re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)
    moved = compared_of(Lab())[0].compared.outputs["after this layer’s attention"].norm
    for part in (
        TEXT,
        "MiniLM, layer 0",
        "L0 H0 may look only at the first half: “[CLS]” to “mouse”.",
        "MiniLM predicts no words",
    ):
        assert part in html
        assert part in plain
    assert "Two lines:\nthe heads differ." in html
    assert "Two lines:\nthe heads differ." in plain
    assert f"| 7 · it | {moved[7]:.2f} |" in plain
    assert f"<td>{moved[7]:.2f}</td>" in html
    assert "3 pictures can be seen in the report as a page" in written


def test_report_of_nothing_restricted_can_be_had():
    html, written = report_of("", lab=Lab(restricted=()))
    assert html.count("Plotly.newPlot(") == 0
    assert "## What was restricted\n\nNothing." in written


def test_report_of_hostile_words_shows_them_as_typed():
    html, written = report_of(ATTACK + "\n# no title", text=ATTACK)
    assert ATTACK not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert ATTACK not in written
    assert not re.search(r"(?<!\\)[<>]", written)
    assert r"\<img src=x onerror=alert(1)\>" in written
    assert "\n# no title" not in written


def test_files_are_offered(app: AppTest):
    open_lab(app)
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == ["Report (HTML)", "Report (Markdown)"]
