import http.server
import json
import shutil
import socket
import threading

import huggingface_hub
import pytest
import torch

from mha_viz.errors import ModelError, NetworkNeededError
from mha_viz.models import files
from mha_viz.models.catalog import find_model
from mha_viz.models.files import model_folder
from mha_viz.models.loading import load_model
from tests.model.saved import folder_entry, save_bert

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the hub."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(folder))
    return folder


@pytest.fixture
def online(cache, monkeypatch):
    """A hub that may be asked, at an address of this machine."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)

    def at(port):
        address = f"http://127.0.0.1:{port}"
        files_at = address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", address)
        monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", files_at)

    return at


class SmallHub(http.server.BaseHTTPRequestHandler):
    """One repository, owner/name, as the hub serves it; everything else does not exist."""

    def do_GET(self):
        repository = self.server.repository
        self.server.asked.append(self.path)
        path = self.path.split("?")[0]
        if path in {"/api/models/owner/name", "/api/models/owner/name/revision/main"}:
            siblings = [{"rfilename": name, "size": size} for name, size in repository.items()]
            self.answer({"id": "owner/name", "sha": COMMIT, "siblings": siblings})
        elif path == f"/api/models/owner/name/tree/{COMMIT}":
            entries = [
                {"type": "file", "path": name, "size": size, "oid": f"{number:040x}"}
                for number, (name, size) in enumerate(repository.items())
            ]
            self.answer(entries)
        elif not path.startswith(f"/owner/name/resolve/{COMMIT}/"):
            self.refuse("RepoNotFound")
        elif (file := self.server.folder / path.rpartition("/")[2]).is_file():
            self.answer(file.read_bytes())
        else:
            self.refuse(self.server.reason)

    def do_HEAD(self):
        self.do_GET()

    def answer(self, content):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hash(body):x}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def refuse(self, code):
        self.send_response(404)
        self.send_header("X-Error-Code", code)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hub(online, tmp_path):
    """The small hub, with a model in it, serving."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SmallHub)
    server.folder = tmp_path / "served"
    save_bert(server.folder)
    (server.folder / "onnx").mkdir()
    (server.folder / "onnx" / "model.json").write_text("{}")
    server.repository = {
        str(path.relative_to(server.folder)): path.stat().st_size
        for path in server.folder.rglob("*")
        if path.is_file()
    }
    server.asked = []
    server.reason = "EntryNotFound"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    online(server.server_address[1])
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def refused(entry, *parts):
    with pytest.raises(ModelError) as error:
        model_folder(entry)
    for part in parts:
        assert part in str(error.value)


# Folders


def test_folder_that_does_not_exist_is_refused(tmp_path):
    refused(
        folder_entry(tmp_path / "nowhere"),
        "'./mine' is no model folder",
        "config.json",
        "*.safetensors",
    )


def test_file_in_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    refused(folder_entry(tmp_path / "file"), "is no model folder")


def test_folder_without_a_config_is_refused(tmp_path):
    entry = save_bert(tmp_path)
    (tmp_path / "config.json").unlink()
    refused(entry, "is no model folder")


def test_pickled_weights_are_refused(tmp_path):
    entry = save_bert(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save({}, tmp_path / "pytorch_model.bin")
    refused(entry, "'./mine' has no safetensors weights", "pickled weights are not loaded")


@pytest.mark.parametrize(
    "named",
    [
        "pytorch_model.bin",
        "../model-00001-of-00001.safetensors",
        "model-00002-of-00002.safetensors",
    ],
)
def test_index_that_names_anything_but_its_own_shards_is_refused(tmp_path, named):
    entry = save_bert(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00002.safetensors")
    torch.save({}, tmp_path / "pytorch_model.bin")
    index = {
        "metadata": {},
        "weight_map": {"one": "model-00001-of-00002.safetensors", "two": named},
    }
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    refused(entry, "is not complete")


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"one": []}}']
)
def test_damaged_index_is_refused(tmp_path, content):
    entry = save_bert(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00001.safetensors")
    (tmp_path / "model.safetensors.index.json").write_text(content)
    refused(entry, "model.safetensors.index.json cannot be read")


def test_weights_over_the_limit_are_refused_with_both_sizes(tmp_path):
    entry = save_bert(tmp_path)
    with (tmp_path / "model.safetensors").open("r+b") as weights:
        weights.truncate(3 * 1024**3)  # a hole: it takes no room on the disk
    refused(entry, "3.00 GiB", "2.00 GiB")


# The hub


def test_hub_model_with_the_network_switched_off_is_refused_at_once(cache, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(files, "_ask", lambda *_: pytest.fail("the hub was asked"))
    with pytest.raises(
        NetworkNeededError,
        match="'gpt2' needs the network, which does not answer; bundled and always there: minilm",
    ):
        model_folder(find_model("gpt2"))


def test_hub_that_refuses_connections_is_no_network(online):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening
        online(closed.getsockname()[1])
        with pytest.raises(NetworkNeededError, match="'owner/name' needs the network"):
            model_folder(find_model("owner/name"))


def test_hub_that_never_answers_is_given_up(online, monkeypatch):
    monkeypatch.setattr(files, "HUB_SECONDS", 0.3)
    asked = threading.Event()

    def never(*_):
        asked.set()
        threading.Event().wait()

    # As where a name server does not answer: no timeout of the request is in force there.
    monkeypatch.setattr(files, "_ask", never)
    errors = []

    def load():
        with pytest.raises(NetworkNeededError) as error:
            model_folder(find_model("owner/name"))
        errors.append(error)

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert asked.is_set()
    assert len(errors) == 1


def test_hub_model_that_does_not_exist_is_an_error_of_its_own(hub):
    refused(find_model("owner/nobody"), "'owner/nobody' is no public model of the hub")


def test_hub_model_is_fetched_without_a_word_and_then_needs_no_network(hub, monkeypatch, capfd):
    loaded = load_model(find_model("owner/name"))
    assert loaded.entry.kind == "hub"
    assert not any("onnx" in path for path in hub.asked if "resolve" in path)
    assert capfd.readouterr() == ("", "")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert load_model(find_model("owner/name")).limit == loaded.limit


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"model.safetensors": 5 * 1024**3}, "5.00 GiB"),
        ({"model.safetensors": None, "pytorch_model.bin": 11}, "pickled weights are not loaded"),
        ({"config.json": None}, "is no model folder"),
    ],
    ids=["too large", "pickled", "no config"],
)
def test_hub_model_that_may_not_be_loaded_is_not_fetched(hub, change, part):
    changed = hub.repository | change
    hub.repository = {name: size for name, size in changed.items() if size is not None}
    refused(find_model("owner/name"), "'owner/name'", part)
    assert not any("resolve" in path for path in hub.asked)


def test_fetch_that_fails_is_no_network(hub):
    shutil.rmtree(hub.folder)
    with pytest.raises(NetworkNeededError, match="'owner/name' needs the network"):
        model_folder(find_model("owner/name"))


def test_hub_model_that_its_owners_keep_back_is_an_error_of_its_own(hub):
    shutil.rmtree(hub.folder)
    hub.reason = "GatedRepo"
    refused(find_model("owner/name"), "'owner/name' is given out by its owners on request only")


def test_cache_that_takes_no_files_is_an_error_of_its_own(hub, cache):
    cache.write_text("a file where a folder should be")
    refused(find_model("owner/name"), "'owner/name' cannot be kept on this machine")


@pytest.mark.parametrize("missing", ["model.safetensors", "tokenizer.json"])
def test_cache_that_lacks_a_part_is_not_used(hub, monkeypatch, missing):
    folder = model_folder(find_model("owner/name"))
    (folder / missing).unlink()
    for other in folder.glob("tokenizer_config.json"):
        other.unlink()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(NetworkNeededError):
        model_folder(find_model("owner/name"))
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert (model_folder(find_model("owner/name")) / missing).is_file()
