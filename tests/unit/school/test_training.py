"""Training: it follows from its seed, and goes on as if it had never stopped."""

from functools import partial
from pathlib import Path

import pytest
import torch

from mha_viz.errors import ChoiceError
from mha_viz.school import train as command
from mha_viz.school.checkpoints import load_history, saved_steps
from mha_viz.school.grammar import Grammar
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.scores import Examiner
from mha_viz.school.training import Recipe, Training
from mha_viz.school.vocabulary import Vocabulary

SHORT = Recipe(seed=5, n_steps=7, n_rows=2)


def training(recipe: Recipe = SHORT) -> Training:
    lexicon = Lexicon()
    return Training(recipe, Grammar(lexicon), Vocabulary(lexicon))


def weights_of(one: Training) -> list[torch.Tensor]:
    return [weight.detach().clone() for weight in one.model.parameters()]


def test_three_steps_from_the_same_seed_are_the_same_to_the_bit():
    one, two = training(), training()
    losses = [[each.advance() for _ in range(3)] for each in (one, two)]
    assert losses[0] == losses[1]
    assert all(map(torch.equal, weights_of(one), weights_of(two)))


def test_another_seed_gives_other_weights_and_other_text():
    one, two = training(), training(Recipe(seed=11, n_steps=7, n_rows=2))
    assert not torch.equal(one.model.words.weight, two.model.words.weight)
    assert not torch.equal(one.batch().ids, two.batch().ids)


def test_training_when_restored_goes_on_to_the_bit():
    straight, stopped, resumed = training(), training(), training()
    for _ in range(2):
        stopped.advance()
    resumed.restore(stopped.state())
    for _ in range(2):
        resumed.advance()
    for _ in range(4):
        straight.advance()
    assert all(map(torch.equal, weights_of(straight), weights_of(resumed)))


def test_rate_rises_stays_and_falls():
    recipe = Recipe(n_steps=1000, n_warm_up=100, learning_rate=1.0, last_share=0.1)
    assert [recipe.rate(step) for step in (0, 49, 99, 300, 500)] == [0.01, 0.5, 1.0, 1.0, 1.0]
    assert recipe.rate(750) == pytest.approx(0.55)
    assert recipe.rate(999) == pytest.approx(0.1018)


# The command


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MEASURED_EVERY", 2)
    monkeypatch.setattr(command, "SAVED_STEPS", (0, 2))
    monkeypatch.setattr(command, "Examiner", partial(Examiner, n_documents=3))


def test_command_when_stopped_and_started_again_ends_like_one_that_ran_through(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    recipe = Recipe(seed=3, n_steps=6, n_rows=2)
    command.train(recipe, tmp_path / "straight")
    advance = Training.advance

    def advance_until_five(self: Training) -> float:
        if self.step == 5:
            raise KeyboardInterrupt
        return advance(self)

    monkeypatch.setattr(Training, "advance", advance_until_five)
    with pytest.raises(KeyboardInterrupt):
        command.train(recipe, tmp_path / "stopped")
    monkeypatch.setattr(Training, "advance", advance)
    command.train(recipe, tmp_path / "stopped")
    for name in ("history.json", "step-00006.safetensors"):
        straight, stopped = (tmp_path / run / name for run in ("straight", "stopped"))
        assert straight.read_bytes() == stopped.read_bytes()


def test_command_writes_weights_and_history_and_says_how_far_it_is(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture
):
    command.main(["--steps", "4", "--folder", str(tmp_path / "run")])
    assert saved_steps(tmp_path / "run") == (0, 2, 4)
    history = load_history(tmp_path / "run" / "history.json")
    assert [entry.step for entry in history.entries] == [0, 2, 4]
    assert history.entries[0].loss is None
    shown = capsys.readouterr().err
    assert "3/4  loss" in shown
    assert "0:00 left" in shown


def test_folder_of_another_training_is_left_alone(small: None, tmp_path: Path):
    command.train(Recipe(seed=3, n_steps=2, n_rows=2), tmp_path)
    with pytest.raises(ChoiceError, match="another recipe"):
        command.train(Recipe(seed=5, n_steps=2, n_rows=2), tmp_path)
