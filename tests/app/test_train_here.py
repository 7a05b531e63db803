"""Training a small model of one's own: what can be chosen, what is said while it runs and when it has ended."""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from time import monotonic, sleep

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.school.live import Plan, run
from mha_viz.ui.school import trainings
from mha_viz.ui.school.trainings import RunningTraining, Trainings
from tests.app.conftest import said

SCRIPT = "pages/heads_born.py"
PATIENCE = 60
TINY = Plan(seed=3, n_steps=3)


def saying(plan: Plan, then: str = "") -> list[str]:
    """A process that says at once what a training of three steps says, and then does something else."""
    steps = Plan(plan.seed, plan.n_heads, plan.positions, TINY.n_steps, plan.without)
    lines = [json.dumps(one) for one in run(steps)]
    if then:
        lines.pop()
    code = f"import sys, time\nprint({chr(10).join(lines)!r}, flush=True)\n{then}"
    return [sys.executable, "-c", code]


@pytest.fixture
def all_trainings(monkeypatch: pytest.MonkeyPatch) -> Iterator[Trainings]:
    """The server's trainings, each of which is done at once."""
    ours = Trainings(most=1, command=saying)
    # The function that draws it has the name of its module.
    monkeypatch.setattr(import_module("mha_viz.ui.school.train_here"), "TRAININGS", ours)
    yield ours
    ours.end_all()


def start(app: AppTest, key: str = "train start") -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def open_page(app: AppTest) -> AppTest:
    app.switch_page(SCRIPT)
    app.run()
    assert not app.exception
    return app


def live(app: AppTest) -> RunningTraining:
    return app.session_state["kept live training"]


def ended(app: AppTest) -> AppTest:
    """The page once the training has ended."""
    end = monotonic() + PATIENCE
    while live(app).is_running:
        assert monotonic() < end
        sleep(0.05)
    app.run()
    assert not app.exception
    return app


def table(app: AppTest, column: str) -> list[dict]:
    """The rows of the table that has such a column."""
    (found,) = [one.value for one in app.dataframe if column in one.value.columns]
    return found.to_dict("records")


def words(app: AppTest) -> str:
    return " ".join(one.value for one in app.markdown)


def test_page_before_a_training_asks_for_a_start_and_shows_no_numbers(
    app: AppTest, all_trainings: Trainings
):
    open_page(app)
    assert app.button(key="train start").label == "Start"
    assert "Switch a head off" not in words(app)
    assert "at most 2 trainings" in words(app).lower().replace("\n", " ")


def test_training_when_done_says_what_was_measured(app: AppTest, all_trainings: Trainings):
    ended(start(open_page(app)))
    now = live(app).measurements[-1]
    best = max(max(row) for row in now.induction)
    assert live(app).state == trainings.DONE
    assert f"Induction **{best:.2f}**" in words(app)
    assert f"**{now.continued:.0%}** of the letters" in words(app)
    assert "No clear induction head this time" in words(app)
    rows = table(app, "Head that is off")
    assert [row["Head that is off"] for row in rows] == ["none", "L0 H0", "L0 H1", "L1 H0", "L1 H1"]
    assert [row["Loss"] for row in rows] == [row.loss for row in live(app).without_heads]


def test_training_again_without_the_best_head_starts_with_it_off(
    app: AppTest, all_trainings: Trainings
):
    ended(start(open_page(app)))
    induction = live(app).measurements[-1].induction
    _, head = max(
        (value, (at, i)) for at, row in enumerate(induction) for i, value in enumerate(row)
    )
    assert app.button(key="train without").label == "Train again without L{} H{}".format(*head)
    ended(start(app, "train without"))
    assert live(app).plan.without == head
    assert [row["Without"] for row in table(app, "Without")] == ["none", "L{} H{}".format(*head)]
    assert app.selectbox(key="training.train without").value == head


def test_choices_are_what_is_trained(app: AppTest, all_trainings: Trainings):
    open_page(app)
    app.number_input(key="training.train seed").set_value(7).run()
    app.toggle(key="training.train positions").set_value(False).run()
    ended(start(app))
    assert live(app).plan == Plan(seed=7, positions=False)
    assert "is not told where letters stand" in words(app)


def test_training_while_it_runs_can_be_stopped_and_nothing_else_be_chosen(
    app: AppTest, all_trainings: Trainings
):
    all_trainings.command = lambda plan: saying(plan, then="time.sleep(600)")
    start(open_page(app))
    assert app.button(key="train start").label == "Stop"
    assert app.number_input(key="training.train seed").disabled
    start(app)
    assert not live(app).is_running
    assert live(app).process.poll() is not None
    assert app.button(key="train start").label == "Start"
    assert "You stopped it" in said(app)


def test_training_that_breaks_off_says_what_to_do(app: AppTest, all_trainings: Trainings):
    all_trainings.command = lambda plan: saying(plan, then="sys.exit(3)")
    ended(start(open_page(app)))
    assert "start it again" in said(app)
    assert app.button(key="train start").label == "Start"


def test_training_on_a_server_that_is_full_says_so(app: AppTest, all_trainings: Trainings):
    all_trainings.command = lambda plan: saying(plan, then="time.sleep(600)")
    all_trainings.start(TINY)
    start(open_page(app))
    assert "At most 1 trainings run on this server at once" in said(app)
    assert app.button(key="train start").label == "Start"
