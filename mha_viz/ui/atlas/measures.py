"""The measures of the atlas by name: what each is called, what it says, and what it costs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A number that every head has.

    Attributes:
        title: A column's name.
        says: What it means, for who has never heard of it.
        is_share: Whether it goes from 0 to 1.
        run: The longer run that it comes from; empty if it is there at once.
    """

    title: str
    says: str
    is_share: bool = True
    run: str = ""


NORMS, REPEATS, CHANGES, EFFECT = "norms", "repeats", "changes", "effect"

MEASURES = {
    "entropy": Measure(
        "Entropy",
        "How widely a word spreads its attention, in nats: 0 is one word alone.",
        is_share=False,
    ),
    "confidence": Measure("Confidence", "What a word's favourite gets, on average."),
    "mean_distance": Measure(
        "Distance", "How many tokens away a word looks, on average.", is_share=False
    ),
    "previous_share": Measure("Word before", "The share that goes to the token before."),
    "next_share": Measure("Word after", "The share that goes to the token after."),
    "self_share": Measure("Itself", "The share that stays on the token itself."),
    "first_token_share": Measure(
        "First token", "The share that goes to the first token of the text."
    ),
    "special_share": Measure(
        "Special tokens", "The share that goes to tokens that the model added."
    ),
    "punctuation_share": Measure("Punctuation", "The share that goes to punctuation."),
    "duplicate_share": Measure(
        "Same word", "Of words that come again: the share that goes to the same word elsewhere."
    ),
    "induction": Measure(
        "Induction",
        "The share that goes to what came after the same token before, on random blocks of random lengths that come twice.",
        run=REPEATS,
    ),
    "induction_null": Measure(
        "Induction by chance",
        "What the same maps reach when tokens are named at random: induction must be well above it.",
        run=REPEATS,
    ),
    "variability": Measure(
        "Variability",
        "How much the map differs from text to text over the first ten positions: 0 is always the same.",
        run=CHANGES,
    ),
    "first_token_norm": Measure(
        "First token by vectors",
        "The share of the first token when each weight counts by the length of the vector that it brings.",
        run=NORMS,
    ),
    "special_norm": Measure(
        "Special by vectors",
        "The share of special tokens when each weight counts by the length of the vector that it brings.",
        run=NORMS,
    ),
    "previous_norm": Measure(
        "Before by vectors",
        "The share of the token before when each weight counts by the length of the vector that it brings.",
        run=NORMS,
    ),
    "self_norm": Measure(
        "Itself by vectors",
        "The share of the token itself when each weight counts by the length of the vector that it brings.",
        run=NORMS,
    ),
    "effect": Measure(
        "Missed",
        "What changes when this head is off: the probabilities of a model that predicts (0 the same, 1 all others), "
        "else the direction of the final vectors (1 less the cosine).",
        is_share=False,
        run=EFFECT,
    ),
}

RUNS = {
    REPEATS: "Induction on random blocks",
    CHANGES: "Variability over the texts",
    NORMS: "Shares by vector norms",
    EFFECT: "Effect when switched off",
}
