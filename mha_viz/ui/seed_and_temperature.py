"""What can be chosen of a layer on more than one page: what its numbers are drawn from, and how sharp its rows are."""

import streamlit as st

from mha_viz.ui import state

MOST_SEED = 9999
LEAST_TEMPERATURE, MOST_TEMPERATURE = 0.25, 4.0


def nearest_seed(seed: int) -> int:
    """The nearest seed that can be chosen."""
    return min(max(seed, 0), MOST_SEED)


def nearest_temperature(temperature: float) -> float:
    """The nearest temperature that can be chosen."""
    return min(max(temperature, LEAST_TEMPERATURE), MOST_TEMPERATURE)


def seed_picker(seed: int) -> None:
    """The page's own `seed`."""
    st.number_input(
        "Seed",
        min_value=0,
        max_value=MOST_SEED,
        step=1,
        width=120,
        help="What the vectors of the words and the matrices are drawn from: the same seed, the same numbers.",
        **state.tied("seed", nearest_seed(seed)),
    )


def temperature_picker(label: str, temperature: float, *, width: int) -> None:
    """The page's own `temperature`."""
    st.slider(
        label,
        min_value=LEAST_TEMPERATURE,
        max_value=MOST_TEMPERATURE,
        step=0.25,
        width=width,
        help="Scores are divided by it before the softmax: below 1 rows get sharper, above 1 more even.",
        **state.tied("temperature", nearest_temperature(temperature)),
    )
