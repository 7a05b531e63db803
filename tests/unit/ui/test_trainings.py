"""Trainings in processes of their own: every one of them ends, and says why."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from mha_viz.errors import BusyError
from mha_viz.school.live import Plan
from mha_viz.ui.school import trainings
from mha_viz.ui.school.trainings import RunningTraining, Trainings, command

ROOT = Path(__file__).parents[3]
PATIENCE = 60
MEASURED = {
    "step": 0,
    "seconds": 0.0,
    "loss": None,
    "induction": [[0.0, 0.5], [0.25, 0.0]],
    "previous": [[0.0, 0.5], [0.25, 0.0]],
    "continued": 0.0,
    "maps": [],
}
END = {"without": [{"head": None, "loss": 2.0, "continued": 0.5}]}


def saying(*said: dict, then: str = "") -> list[str]:
    """A process that says what a training says, and then does something else."""
    lines = "".join(json.dumps(one) + "\n" for one in said)
    code = f"import sys, time\nsys.stdout.write({lines!r})\nsys.stdout.flush()\n{then}"
    return [sys.executable, "-c", code]


FOREVER = saying({"measured": MEASURED}, then="time.sleep(600)")


@pytest.fixture
def started() -> Iterator[list[RunningTraining]]:
    """What a test starts is gone after it."""
    all_of_them: list[RunningTraining] = []
    yield all_of_them
    for one in all_of_them:
        one.stop()


def until(happened, training: RunningTraining) -> None:
    end = monotonic() + PATIENCE
    while not happened():
        assert monotonic() < end, training.state
        sleep(0.02)


def until_ended(training: RunningTraining) -> None:
    until(lambda: not training.is_running, training)


def test_training_that_says_all_it_has_to_is_done(started: list):
    training = RunningTraining(Plan(), saying({"measured": MEASURED}, END))
    started.append(training)
    until_ended(training)
    assert training.state == trainings.DONE
    assert [one.step for one in training.measurements] == [0]
    assert training.without_heads[0].loss == 2.0


def test_training_when_stopped_is_a_process_that_is_gone(started: list):
    training = RunningTraining(Plan(), FOREVER)
    started.append(training)
    until(lambda: training.measurements, training)
    assert training.state == trainings.RUNNING
    training.stop()
    assert training.process.poll() is not None
    assert not training.is_running
    assert training.state == trainings.STOPPED
    assert training.process.stdin is not None
    assert training.process.stdin.closed


@pytest.mark.parametrize(
    "then", ["sys.exit(3)", "sys.stdout.write('{\"meas'); sys.exit(3)", ""], ids=str
)
def test_training_that_breaks_off_says_so(started: list, then: str):
    training = RunningTraining(Plan(), saying({"measured": MEASURED}, then=then))
    started.append(training)
    until_ended(training)
    assert training.state == trainings.DIED
    assert len(training.measurements) == 1


def test_training_that_nobody_asks_about_ends(started: list, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trainings, "LOOK_EVERY", 0.01)
    training = RunningTraining(Plan(), FOREVER, unwatched=0.1)
    started.append(training)
    until_ended(training)
    assert training.state == trainings.UNWATCHED
    assert training.process.poll() is not None


def test_training_that_takes_too_long_ends_though_it_is_watched(
    started: list, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(trainings, "LOOK_EVERY", 0.01)
    training = RunningTraining(Plan(), FOREVER, longest=0.1)
    started.append(training)
    end = monotonic() + PATIENCE
    while training.is_running and monotonic() < end:
        training.ask()
        sleep(0.01)
    assert training.state == trainings.TOO_LONG


def test_second_training_of_a_person_ends_the_first(started: list):
    all_of_them = Trainings(most=1, command=lambda _: FOREVER)
    first = all_of_them.start(Plan())
    second = all_of_them.start(Plan(seed=2), instead_of=first)
    started += [first, second]
    assert (first.is_running, first.state) == (False, trainings.STOPPED)
    assert second.is_running


def test_one_more_than_may_run_is_refused_until_one_has_ended(started: list):
    all_of_them = Trainings(most=2, command=lambda _: FOREVER)
    started += [all_of_them.start(Plan()) for _ in range(2)]
    with pytest.raises(BusyError, match=r"at most 2 trainings .* try again in a minute"):
        all_of_them.start(Plan())
    started[0].stop()
    started.append(all_of_them.start(Plan()))
    assert started[-1].is_running


def test_end_of_the_server_is_the_end_of_all(started: list):
    all_of_them = Trainings(most=2, command=lambda _: FOREVER)
    started += [all_of_them.start(Plan()) for _ in range(2)]
    all_of_them.end_all()
    assert not any(one.is_running for one in started)


def test_process_whose_parent_is_gone_ends_by_itself():
    with subprocess.Popen(
        command(Plan()),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert json.loads(process.stdout.readline())["measured"]["step"] == 0
            process.stdin.close()
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


def test_short_training_in_a_process_of_its_own_gets_to_its_end(started: list):
    training = Trainings().start(Plan(seed=1, n_steps=3))
    started.append(training)
    end = monotonic() + 2 * PATIENCE
    while training.is_running and monotonic() < end:
        training.ask()
        sleep(0.1)
    assert training.state == trainings.DONE
    assert [one.step for one in training.measurements] == [0, 1, 2, 3]
    assert len(training.without_heads) == 5
