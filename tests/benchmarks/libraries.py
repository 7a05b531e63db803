"""Scripts that a page wants from the web, out of the npm registry that this machine is set up for."""

import re
import subprocess
import tarfile
from pathlib import Path

# Name in the address: name in the registry, and the file in the package.
_PACKAGES = {
    "require.js": ("requirejs", "package/require.js"),
    "d3": ("d3", "package/dist/d3.min.js"),
    "jquery": ("jquery", "package/dist/jquery.min.js"),
}


def fetch_libraries(html: str, folder: Path) -> dict[str, bytes]:
    """The libraries that a page names, by a part of their addresses that tells them apart.

    Args:
        html: The page.
        folder: Where the packages may be laid.

    Raises:
        OSError: If there is no npm.
        subprocess.CalledProcessError: If its registry has none of them.
    """
    named = re.findall(r"https://[^'\"]+/ajax/libs/([^/'\"]+)/([^/'\"]+)/", html)
    return {f"/{name}/{version}/": _library(name, version, folder) for name, version in named}


def _library(name: str, version: str, folder: Path) -> bytes:
    package, file = _PACKAGES[name]
    try:
        archive = _pack(f"{package}@{version}", folder)
    except subprocess.CalledProcessError:  # that version was never published there
        archive = _pack(f"{package}@^{version}", folder)
    with tarfile.open(archive) as files:
        content = files.extractfile(file)
        if content is None:
            raise FileNotFoundError(f"expected {file} in {archive.name}, and found no file")
        return content.read()


def _pack(wanted: str, folder: Path) -> Path:
    done = subprocess.run(
        ["npm", "pack", "--silent", wanted],
        cwd=folder, check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return folder / done.stdout.split()[-1]
