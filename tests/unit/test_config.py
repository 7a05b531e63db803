"""The settings that the server finds, as the server reads them."""

import tomllib
from pathlib import Path

import pytest
from streamlit import config

ROOT = Path(__file__).parents[2]
WRITTEN = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def flat(section: dict, prefix: str = "") -> dict[str, object]:
    options = {}
    for name, value in section.items():
        inside = flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {}
        options |= inside or {f"{prefix}{name}": value}
    return options


@pytest.fixture(scope="module")
def options() -> dict[str, config.ConfigOption]:
    """Every option that this Streamlit knows, with its value here; the tests run in the project's folder."""
    return config.get_config_options(force_reparse=True)


@pytest.mark.parametrize(("name", "value"), flat(WRITTEN).items(), ids=flat(WRITTEN))
def test_option_that_is_written_is_one_that_streamlit_knows_and_takes(options, name, value):
    """Streamlit says no word about an option that it does not know."""
    assert name in options
    assert options[name].value == value
    assert not options[name].deprecated


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("server.address", "127.0.0.1"),
        ("server.fileWatcherType", "none"),
        ("runner.postScriptGC", False),
        ("runner.magicEnabled", False),
        ("browser.gatherUsageStats", False),
        ("client.showSidebarNavigation", False),
        ("client.showErrorDetails", "none"),
    ],
)
def test_option_that_people_rely_on_is_set(options, name, value):
    """AV-088 for the watcher of files; an address of this machine alone; nothing sent to anybody."""
    assert options[name].value == value
