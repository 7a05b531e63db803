import subprocess
import sys
from pathlib import Path

import pytest

from mha_viz.errors import ChoiceError
from mha_viz.models.catalog import CATALOG, DEFAULT_MODEL, find_model


def test_default_model_is_bundled_and_there():
    entry = find_model(DEFAULT_MODEL)
    assert (entry.name, entry.kind) == ("minilm", "bundled")
    assert (Path(entry.source) / "model.safetensors").is_file()


def test_every_catalog_name_finds_its_entry():
    assert [find_model(name) for name in CATALOG] == list(CATALOG.values())
    assert all(entry.title and entry.note for entry in CATALOG.values())


def test_hub_id_of_a_recommended_model_finds_its_entry():
    assert find_model("openai-community/gpt2") is find_model(" gpt2 ")


@pytest.mark.parametrize("name", ["roberta-base", "FacebookAI/roberta-base", "a/b_c.d-2"])
def test_hub_id_is_taken_as_it_is(name):
    entry = find_model(name)
    assert (entry.kind, entry.name, entry.source) == ("hub", name, name)


@pytest.mark.parametrize("name", ["./mine", "../mine", "/models/mine", ".", ".."])
def test_path_is_a_folder_whether_or_not_it_exists(name):
    entry = find_model(name)
    assert (entry.kind, entry.name, entry.source) == ("folder", name, str(Path(name)))


def test_name_of_an_existing_folder_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_model("mine").kind == "hub"
    (tmp_path / "mine").mkdir()
    assert find_model("mine").kind == "folder"


def test_catalog_name_wins_over_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").mkdir()
    assert find_model("gpt2").kind == "recommended"
    assert find_model("./gpt2").kind == "folder"


def test_path_object_is_a_folder():
    assert find_model(Path("mine")).kind == "folder"


def test_home_is_expanded_and_shown_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    entry = find_model("~/mine")
    assert (entry.name, entry.source) == ("~/mine", str(tmp_path / "mine"))


@pytest.mark.parametrize(
    "name",
    ["", "   ", "a/b/c", "https://host/owner/name", "two words", "-a", "a..b", "x.git", "~nobody-of-that-name/x",
     "a\nb", "./a\x00b", "\ud800", "y" * 300, "./" + "x" * 10_000],
)  # fmt: skip
def test_anything_else_is_an_error_that_lists_what_is_valid(name):
    with pytest.raises(
        ChoiceError, match=r"minilm, school, gpt2, .* owner/name, or a folder such as ./my-model"
    ) as error:
        find_model(name)
    message = str(error.value)
    assert len(message) < 300
    assert message.isprintable()


def test_path_object_that_no_file_system_takes_is_an_error():
    with pytest.raises(ChoiceError, match="no model is called"):
        find_model(Path("a\x00b"))


def test_bundled_folder_is_found_without_the_sentence_transformers_library():
    """Importing that library takes many seconds and 475 MB."""
    program = "import sys, mha_viz.models.catalog; sys.exit('sentence_transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
