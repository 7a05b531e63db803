"""Lists of texts from files, good and bad ones."""

import pytest

from mha_viz.errors import TextError
from mha_viz.models.tokens import MAX_CHARACTERS
from mha_viz.ui.atlas.lists import lines_of, read_file


def test_list_has_one_text_a_line_and_no_empty_ones():
    assert lines_of("One, two\r\n\r\n three ") == ["One, two", "three"]


def test_table_gives_the_first_cell_of_each_row_that_is_not_empty():
    content = 'One, two\n"A text, with a comma",7\n\n,last'
    assert lines_of(content, is_csv=True) == ["One", "A text, with a comma", "last"]


def test_file_with_a_byte_order_mark_is_read_without_it():
    assert read_file("Zoë\n数".encode("utf-8-sig"), is_csv=False) == (["Zoë", "数"], "")


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\xff\xfe", "Zoë".encode("latin-1")])
@pytest.mark.parametrize("is_csv", [False, True])
def test_file_that_is_no_text_is_refused(content: bytes, is_csv: bool):
    with pytest.raises(TextError, match="expected text in UTF-8"):
        read_file(content, is_csv=is_csv)


@pytest.mark.parametrize("content", [b"", b"\n \n\t\n", b"\xef\xbb\xbf", b"a\0b\0"])
@pytest.mark.parametrize("is_csv", [False, True])
def test_file_without_a_text_is_refused(content: bytes, is_csv: bool):
    with pytest.raises(TextError, match="has no text in it"):
        read_file(content, is_csv=is_csv)


def test_table_whose_cell_never_ends_is_refused():
    with pytest.raises(TextError, match="expected a table with commas"):
        read_file(b'"' + b"x" * MAX_CHARACTERS, is_csv=True)


def test_text_too_long_for_any_model_is_left_out_and_said():
    content = b"short\n" + b"x" * (MAX_CHARACTERS + 1) + b"\nlast"
    texts, said = read_file(content, is_csv=False)
    assert texts == ["short", "last"]
    assert said == "1 of the 3 texts of this file left out: longer than 200,000 characters"
