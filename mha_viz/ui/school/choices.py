"""What a person can choose on the page of the training, and on it alone."""

from dataclasses import dataclass

from mha_viz.school.checkpoints import saved_steps
from mha_viz.school.repeats import LETTERS
from mha_viz.ui.link import Choices, one_of
from mha_viz.ui.school.skills import SKILLS

STEPS = saved_steps()
LONGEST_SENTENCE = 400


@dataclass(frozen=True)
class School(Choices):
    """The page's own choices.

    Attributes:
        skill: What the heads are scored by.
        step: How far the training has got, one of the steps whose weights are there.
        sentence: What the model reads.
        watched: The head that is drawn large, as "layer.head"; empty for the best one of the skill.
    """

    skill: str = one_of(tuple(SKILLS), LETTERS)
    step: int = one_of(STEPS, STEPS[0])
    sentence: str = SKILLS[LETTERS].sentence
    watched: str = ""
