"""The one owner of the session's state and of the address bar.

The Selection is kept here, and the address is written from it. A widget belongs to a part of it: `bound` gives the
widget its key and its callback, so that what is chosen anywhere, in a widget, in a picture or in a link, is one value.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypedDict, TypeVar

import streamlit as st

from mha_viz.ui.link import Choices, read, spare, written
from mha_viz.ui.selection import Extent, Selection, fit, fits, from_link

Chosen = TypeVar("Chosen", bound=Choices)

_SELECTION = "selection"
_NOTICES = "notices"
_CONFIRMED = "confirmed models"
_PAGE = "page"
_WRITTEN = "written address"
_LEFT_OUT = "left out of the address"
_USED = "a widget was used"
_OF_THE_SELECTION = {"text": "the text", "target": "the target"}


class Bound(TypedDict):
    """What a widget needs to belong to a part of the Selection."""

    key: str
    on_change: Callable[..., None]
    args: tuple[Any, ...]


def selection() -> Selection:
    """What this session has typed and chosen."""
    return st.session_state[_SELECTION]


def enter(page: str, choices: Choices | None = None) -> Selection:
    """Start a run of a page: take over what the address asks for, and give what is typed and chosen by now.

    The address asks for something at a session's first run, and when the browser's Back or Forward has changed it. When a
    widget was used, the address that comes along may be older than the last one written here: it is not looked at.

    Args:
        page: Which page this is: a widget belongs to a page, what it shows to the Selection.
        choices: What can be chosen on this page alone, as it is at first; `own` gives it as it is now.
    """
    asked, used = st.query_params.to_dict(), st.session_state.pop(_USED, False)
    arrives = st.session_state.get(_PAGE) != page
    # A link between pages drops the parameters: none of them on another page asks for nothing.
    comes_from_link = not asked and arrives
    went_back = not used and not comes_from_link and asked != st.session_state.get(_WRITTEN)
    st.session_state[_PAGE] = page
    if choices is not None and (_own_key() not in st.session_state or went_back):
        st.session_state[_own_key()], unreadable = _own_of(choices, asked, arrives=arrives)
    else:
        unreadable = []
    if _SELECTION not in st.session_state:
        st.session_state[_SELECTION], st.session_state[_NOTICES] = from_link(asked)
    elif went_back:
        st.session_state[_SELECTION], st.session_state[_NOTICES] = from_link(asked, selection())
    st.session_state[_NOTICES] = [*st.session_state.get(_NOTICES, []), *unreadable]
    write_address()
    return selection()


def is_untouched() -> bool:
    """Whether the Selection is the first view still: nobody has typed or chosen anything."""
    return replace(selection(), present=False) == Selection()


def resume() -> Selection:
    """Start the part of a page that runs by itself when a widget in it was used; give what is typed and chosen by now."""
    st.session_state.pop(_USED, None)
    write_address()
    return selection()


def touch() -> None:
    """Note that a widget was used; also for those that change nothing here."""
    st.session_state[_USED] = True


def change(**changes: object) -> None:
    """Replace parts of the Selection. What depended on a changed text falls away with it."""
    touch()
    before = selection()
    if changes.get("text", before.text) != before.text:
        changes = {"query": None, "start": 0, "key_start": None} | changes
    if changes.get("model", before.model) != before.model:
        changes = {
            "query": None,
            "start": 0,
            "key_start": None,
            "stream": "",
            "target": "",
        } | changes
    st.session_state[_SELECTION] = replace(before, **changes)


def keep(name: str, value: object) -> None:
    """Keep something of this session alone, which no address holds."""
    st.session_state[f"kept {name}"] = value


def kept(name: str) -> Any:  # noqa: ANN401 - whatever was kept
    """What `keep` has kept by this name; None for nothing."""
    return st.session_state.get(f"kept {name}")


def own(kind: type[Chosen]) -> Chosen:
    """What was chosen on this page alone.

    Args:
        kind: The class of what was given to `enter`.
    """
    chosen = st.session_state[_own_key()]
    if not isinstance(chosen, kind):
        raise TypeError(f"this page's own choices are {type(chosen).__name__}, not {kind.__name__}")
    return chosen


def change_own(**changes: object) -> None:
    """Replace parts of what is chosen on this page alone."""
    touch()
    st.session_state[_own_key()] = replace(st.session_state[_own_key()], **changes)


def reset() -> None:
    """Back to the first view; texts that were written on this page stay."""
    touch()
    st.session_state[_SELECTION] = Selection()
    if _own_key() in st.session_state:
        st.session_state[_own_key()], _ = _own_of(type(st.session_state[_own_key()])(), {})
    st.session_state[_NOTICES] = []


def fitted(extent: Extent) -> Selection:
    """The Selection, moved to what exists; what had to be moved is said by `notices`."""
    mended, said = fit(selection(), extent)
    st.session_state[_SELECTION] = mended
    st.session_state[_NOTICES] = [*st.session_state.get(_NOTICES, []), *said]
    write_address()
    return mended


def notices() -> list[str]:
    """What has to be said about the Selection, once."""
    said = st.session_state.get(_NOTICES, [])
    st.session_state[_NOTICES] = []
    return said


def bound(key: str, value: object, apply: Callable[[Any], None]) -> Bound:
    """Tie a widget to `value`: it shows it, and `apply` is called with what the person makes of it.

    The key is written at every run: after a run that was cut short, a browser may show something else than what the
    server believes it shows, and would send that back as if it had been chosen.
    """
    key = f"{st.session_state[_PAGE]}.{key}"
    st.session_state[key] = value
    return Bound(key=key, on_change=_apply, args=(key, apply))


def tied(name: str, value: object, **besides: object) -> Bound:
    """Tie a widget to one of the page's own choices; others may change with it.

    Args:
        name: Of the choice, and the widget's key.
        value: What the widget shows.
        **besides: What the other choices become when it changes.
    """
    return bound(name, value, lambda chosen: change_own(**{name: chosen}, **besides))


def on_pick(key: str, apply: Callable[[list[Any]], None]) -> Callable[[], None]:
    """A callback for a chart: `apply` is called with the data of the point that was clicked.

    The click is copied at once, for the chart forgets it when it is drawn anew.
    """

    def picked() -> None:
        touch()
        points = st.session_state[key].selection.points
        # What a browser sends may be anything: what is no point of ours chooses nothing.
        with suppress(KeyError, IndexError, TypeError, ValueError):
            if points:
                apply(list(points[0]["customdata"]))

    return picked


def on_event(key: str, apply: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
    """A callback for a picture that answers in the browser: `apply` is called with what was chosen there."""

    def chosen() -> None:
        touch()
        # What a browser sends may be anything: what is no event of ours chooses nothing.
        with suppress(AttributeError, IndexError, KeyError, TypeError, ValueError):
            apply(dict(st.session_state[key].chosen))

    return chosen


def on_row(key: str, apply: Callable[[int], None]) -> Callable[[], None]:
    """A callback for a table: `apply` is called with the number of the row that was chosen."""

    def picked() -> None:
        touch()
        rows = st.session_state[key].selection.rows
        if rows:
            apply(rows[0])

    return picked


def write_address() -> None:
    """Let the address bar hold what is typed and chosen, as much of it as a link can hold; `left_out` is the rest."""
    # A part of a page that runs alone does not enter the page: what was used there is settled here.
    st.session_state.pop(_USED, None)
    chosen = st.session_state.get(_own_key(), Choices())
    link = _fitting_link(selection(), chosen)
    st.session_state[_WRITTEN] = link
    every, names = written(selection()) | written(chosen), _OF_THE_SELECTION | spare(chosen)
    st.session_state[_LEFT_OUT] = [
        names[name] for name in names if name in every and name not in link
    ]
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)


def left_out() -> list[str]:
    """What the address has no room for, by what it is called."""
    return st.session_state.get(_LEFT_OUT, [])


def confirm_model(name: str) -> None:
    """Note that this person asked for a model by a click: only then is it fetched or a folder opened."""
    touch()
    st.session_state.setdefault(_CONFIRMED, set()).add(name)


def is_confirmed(name: str) -> bool:
    """Whether this person asked for the model by a click."""
    return name in st.session_state.get(_CONFIRMED, set())


def _fitting_link(selected: Selection, chosen: Choices) -> dict[str, str]:
    """What is chosen, without what is spare if that gets too long, else without the texts, else without both."""
    whole = written(chosen)
    short = {name: whole[name] for name in whole if name not in spare(chosen)}
    links = [
        of_all | of_page
        for of_all in (selected.to_link(), selected.to_link_without_text())
        for of_page in (whole, short)
    ]
    return next(filter(fits, links), links[-1])


def _own_of(
    first: Chosen, asked: dict[str, str], *, arrives: bool = False
) -> tuple[Chosen, list[str]]:
    """What an address asks for on this page alone; texts that were written here stay, unless one comes along with others.

    Args:
        first: What is chosen at first.
        asked: The parameters of the address.
        arrives: Whether one comes from another page: then its link may bring texts.
    """
    before = st.session_state.get(_own_key())
    if before is not None:
        kept = {
            name: getattr(before, name) for name in spare(before) if not (arrives and name in asked)
        }
        first = replace(first, **kept)
        asked = {name: value for name, value in asked.items() if name not in kept}
    return read(first, asked)


def _own_key() -> str:
    return f"choices of {st.session_state[_PAGE]}"


def _apply(key: str, apply: Callable[[Any], None]) -> None:
    touch()
    apply(st.session_state[key])
