"""What one person types is theirs: it is on no other page, in no other connection and in no log."""

import re
import zlib

from playwright.sync_api import Browser

from tests.browser.conftest import Server, visiting
from tests.browser.plots import chip, expect_in_address, type_text, wait_for_view

SECRET = "zanzibar"


def heard(frames: list[bytes]) -> bytes:
    """What came, and what was packed in it."""
    packed = [
        zlib.decompressobj().decompress(frame[found.start() :])
        for frame in frames
        for found in re.finditer(rb"\x78\x01", frame)
        if _is_packed(frame[found.start() :])
    ]
    return b"".join(frames + packed)


def _is_packed(part: bytes) -> bool:
    try:
        zlib.decompressobj().decompress(part)
    except zlib.error:
        return False
    return True


def test_text_of_one_person_is_in_no_log_and_on_no_other_page(browser: Browser, running: Server):
    with visiting(browser) as person, visiting(browser) as bystander:
        bystander.open(running.address)
        person.open(f"{running.address}/?text=my+{SECRET}")
        wait_for_view(person.page)
        wait_for_view(bystander.page)
        type_text(person.page, f"their {SECRET} and mine")
        person.page.wait_for_function("() => location.search.includes('mine')")
        wait_for_view(person.page)
        chip(person.page, 2).click()
        expect_in_address(person.page, query="2")
        bystander.page.get_by_role("button", name="H3", exact=True).click()
        wait_for_view(bystander.page, heads=["L0 H2", "L0 H3", "L0 H5", "L0 H8"])
        assert SECRET.encode() in heard(person.received)
        # The words are packed: the bystander's own can be read.
        assert b'"hungry"' in heard(bystander.received)
        assert SECRET.encode() not in heard(bystander.received)
        assert SECRET not in bystander.page.content()
        assert SECRET not in running.log
        assert "Traceback" not in running.log
