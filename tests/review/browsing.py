"""What tests do with the page: open it, wait for it (never without a bound), and read it."""

import json
import time

PEOPLE = 7
ROWS = "document.querySelectorAll('.person').length"


def open_page(page, review, path=None):
    page.goto(path or review.address)
    page.wait_for_selector("#release:not([disabled])", timeout=60000)
    return page


def until(page, script, value, seconds=60.0):
    """Ask the page until it agrees; its policy forbids what Playwright would do instead."""
    end = time.monotonic() + seconds
    while (found := page.evaluate(script)) != value:
        assert time.monotonic() < end, (script, found)
        page.wait_for_timeout(30)


def people_counted(page) -> int:
    return int(page.locator("#view-people .count").inner_text())


def person_row(page, name):
    return page.locator(f'.person[data-person="{name}"]')


def faces_of(page, name) -> int:
    return person_row(page, name).locator(".face").count()


def counted(page):
    """The effect of the last step is known."""
    page.wait_for_selector("#release:not([disabled])", timeout=30000)


def merge(page, name, into):
    """Merge two people by choosing."""
    page.get_by_label(f"Merge {name} with somebody").click()
    page.keyboard.type(into)
    page.keyboard.press("Enter")


def book_of(release):
    return json.loads(release.ledger.read_text(encoding="utf-8"))
