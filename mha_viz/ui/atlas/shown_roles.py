"""Roles as they are shown: in words, in groups, in colours."""

from collections.abc import Sequence

from mha_viz.core import roles
from mha_viz.core.roles import Role
from mha_viz.figures.theme import Theme

# The order of the colours; sinks share one, whatever they are called.
GROUPS = (
    roles.PREVIOUS,
    roles.NEXT,
    "sink",
    roles.ITSELF,
    roles.EVEN,
    roles.PUNCTUATION,
    roles.DUPLICATE,
    roles.INDUCTION,
    roles.MIXED,
)


def said_role(role: Role | None) -> str:
    """What a head does, with the number that says so; a head that sees nothing has none."""
    return "sees nothing" if role is None else str(role)


def role_group(role: Role | None) -> str:
    """Which colour a role has."""
    if role is None:
        return roles.MIXED
    return "sink" if role.name.endswith(roles.SINK) else role.name


def role_colours(groups: Sequence[str], theme: Theme) -> dict[str, str]:
    """The colour of each group that there is."""
    colours = dict(zip(GROUPS, (*theme.heads, theme.grid), strict=True))
    return {group: colours[group] for group in GROUPS if group in groups}
