"""What stands in a figure, as a reader sees it."""

import re
from html import unescape


def as_read(label: str) -> str:
    """A label without its markup, its escapes and its marks of direction."""
    return unescape(re.sub(r"<[^>]*>", "", label)).strip("\u2068\u2069")
