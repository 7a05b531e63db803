from itertools import combinations

import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.figures.theme import (
    DARK,
    LIGHT,
    PLOTLY_CONFIG,
    Theme,
    figure_layout,
    weight_bar,
)

# Machado, Oliveira, Fernandes 2009, full protanopia and deuteranopia, on linear RGB.
EYES = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
# Ottosson 2020, linear RGB to OKLab.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear_rgb(colour: str) -> np.ndarray:
    values = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def as_seen(colour: str, eye: str) -> np.ndarray:
    return TO_LAB @ np.cbrt(TO_CONES @ np.clip(EYES[eye] @ linear_rgb(colour), 0, 1))


def luminance(colour: str) -> float:
    return float(linear_rgb(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(first: str, second: str) -> float:
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_heads_when_seen_by_any_eye_differ(theme: Theme, eye: str):
    assert len(theme.heads) >= 8
    distances = [
        np.linalg.norm(as_seen(first, eye) - as_seen(second, eye))
        for first, second in combinations(theme.heads, 2)
    ]
    assert min(distances) > 0.055


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colours_when_on_the_page_can_be_read(theme: Theme):
    assert all(contrast(colour, theme.surface) >= 3.5 for colour in theme.heads)
    assert all(contrast(colour, theme.surface) >= 4.5 for colour in (theme.ink, theme.muted))
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_ramp_when_weights_grow_leaves_the_page_steadily(theme: Theme):
    steps = [contrast(colour, theme.surface) for colour in theme.ramp]
    assert steps == sorted(steps)
    assert steps[0] < 1.1
    assert theme.colour_scale[0] == (0.0, theme.ramp[0])
    assert theme.colour_scale[-1] == (1.0, theme.ramp[-1])


def test_head_colour_when_heads_run_out_of_colours_begins_again():
    assert LIGHT.head_colour(len(LIGHT.heads) + 1) == LIGHT.heads[1]


def test_accent_when_light_and_dark_is_the_pages_own():
    assert (LIGHT.accent, DARK.accent) == ("#b5451b", "#ff9d5c")


def test_config_when_used_offers_no_upload():
    assert PLOTLY_CONFIG["showSendToCloud"] is False
    assert PLOTLY_CONFIG["displaylogo"] is False


def test_layout_when_made_escapes_its_texts_and_stays_still():
    layout = go.Layout(
        figure_layout(
            DARK, title="<b>x</b>", captions=["a & b"], height=100, margin={"l": 1, "r": 2}
        )
    )
    assert layout.title.text == "\u2068&lt;b&gt;x&lt;/b&gt;\u2069"
    assert layout.title.subtitle.text == "\u2068a &amp; b\u2069"
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.uirevision == "kept"
    assert layout.modebar.bgcolor == "rgba(0,0,0,0)"
    assert (layout.modebar.color, layout.modebar.activecolor) == (DARK.muted, DARK.accent)
    assert layout.dragmode is False
    assert len(go.Figure(layout=layout).to_json()) < 2000


def test_weight_bar_when_weights_exceed_it_says_so():
    assert weight_bar(LIGHT, 0.5, capped=True)["ticktext"] == ["0.00", "0.25", "≥ 0.50"]
    assert weight_bar(LIGHT, 0.5, capped=False, last=255) | {"ticktext": None} == weight_bar(
        LIGHT, 255, capped=False
    ) | {"ticktext": None}


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_differences_leave_the_page_steadily_and_any_eye_tells_gained_from_lost(
    theme: Theme, eye: str
):
    n_sides, middle = len(theme.diverging) // 2, theme.diverging[len(theme.diverging) // 2]
    assert len(theme.diverging) == 2 * n_sides + 1
    assert middle == theme.surface
    lost, gained = theme.diverging[n_sides::-1], theme.diverging[n_sides:]
    for side in (lost, gained):
        steps = [contrast(colour, theme.surface) for colour in side]
        assert steps == sorted(steps)
    for one, other in zip(lost[1:], gained[1:], strict=True):
        # As far as the size of the change allows.
        assert np.linalg.norm(as_seen(one, eye) - as_seen(other, eye)) > 0.05
        assert abs(np.log(contrast(one, theme.surface) / contrast(other, theme.surface))) < 0.35
    assert theme.diverging_scale[n_sides] == (0.5, theme.surface)
