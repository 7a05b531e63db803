"""A list of texts from a file or a box: one text a line."""

import csv
from io import StringIO

from mha_viz.errors import TextError
from mha_viz.models.tokens import MAX_CHARACTERS


def read_file(content: bytes, *, is_csv: bool) -> tuple[list[str], str]:
    """The texts of a file, and a sentence about those that are left out; empty if none is.

    Args:
        content: The file.
        is_csv: Whether it is a table with commas.

    Raises:
        TextError: If it is no text, or if there is none in it.
    """
    try:
        written = content.decode("utf-8-sig")
        found = [] if "\0" in written else lines_of(written, is_csv=is_csv)
    except (UnicodeDecodeError, csv.Error) as error:
        kind = "a table with commas" if isinstance(error, csv.Error) else "text in UTF-8"
        raise TextError(
            f"expected {kind}, one text a line, and this file is something else; save it as such, or paste the texts"
        ) from error
    if not found:
        raise TextError(
            "expected a file with one text a line, and this one has no text in it; choose another, or paste the texts"
        )
    texts = [text for text in found if len(text) <= MAX_CHARACTERS]
    n_long = len(found) - len(texts)
    said = f"{n_long:,} of the {len(found):,} texts of this file left out: longer than {MAX_CHARACTERS:,} characters"
    return texts, said if n_long else ""


def lines_of(content: str, *, is_csv: bool = False) -> list[str]:
    """The texts of a list: one a line, of a table the first cell of a row that is not empty."""
    rows = csv.reader(StringIO(content)) if is_csv else ([line] for line in content.splitlines())
    texts = (next((cell.strip() for cell in row if cell.strip()), "") for row in rows)
    return [text for text in texts if text]
