"""The README says what is there, and only that."""

import re
from pathlib import Path

import pytest

from mha_viz.ui.model_cache import FOLDERS_SETTING
from mha_viz.ui.shell import PAGES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_nothing_is_left_to_be_filled_in():
    assert re.findall(r"\{[A-Z_]+\}", README) == []
    assert not re.search(r"TODO|TBD|XXX", README)


def test_files_that_it_shows_or_links_exist():
    targets = re.findall(r"\]\((?!https?:|#)([^)]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).is_file()] == []


@pytest.mark.parametrize("title", [title for title, _ in PAGES.values()])
def test_every_page_is_named(title: str):
    assert f"**{title}**" in README


@pytest.mark.parametrize("setting", ["--server.address", FOLDERS_SETTING, "HF_HUB_OFFLINE"])
def test_every_setting_is_named(setting: str):
    assert f"`{setting}" in README


def test_settings_that_the_code_reads_are_those_that_are_named():
    read = {
        name
        for path in [ROOT / "app.py", *(ROOT / "mha_viz").rglob("*.py")]
        for name in re.findall(r"MHA_VIZ_[A-Z_]+", path.read_text(encoding="utf-8"))
    }
    assert read == set(re.findall(r"MHA_VIZ_[A-Z_]+", README))


def test_two_commands_run_it_and_test_it():
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    assert [block.strip() for block in blocks] == [
        "pip install -r requirements.txt && streamlit run app.py",
        "tests/run",
    ]
    assert (ROOT / "tests" / "run").stat().st_mode & 0o100
