"""Tabs, closed pages and killed servers: nothing that a person did is lost."""

import os
import signal
import subprocess
import sys
import time

import pytest
from browsing import PEOPLE, counted, open_page, people_counted

from ksame.review.session import Ended

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow
STARTS, ENDS = 60.0, 20.0  # seconds that a server may take to start, and to be gone after a kill


def test_two_tabs_show_the_same(page, start, plan):
    review = start(plan)
    open_page(page, review)
    other = page.context.new_page()
    open_page(other, review, page.url)
    page.get_by_label("Merge p002 with somebody").click()
    page.keyboard.type("p003")
    page.keyboard.press("Enter")
    other.wait_for_selector('.person[data-person="p002"]', state="detached")
    other.locator("#undo").click()
    page.wait_for_selector('.person[data-person="p002"]')
    # one tab may go; the server stays with the other
    page.wait_for_timeout(300)
    other.close()
    page.wait_for_timeout(2500)
    page.locator("#redo").click()
    page.wait_for_selector('.person[data-person="p002"]', state="detached")


def test_the_server_ends_with_the_page_and_the_next_one_goes_on(page, start, plan):
    first = start(plan)
    open_page(page, first)
    page.get_by_label("Merge p002 with somebody").click()
    page.keyboard.type("p003")
    page.keyboard.press("Enter")
    page.wait_for_selector('.person[data-person="p002"]', state="detached")
    page.goto("about:blank")
    assert isinstance(first.join().error, Ended)
    assert not plan.out.exists()
    open_page(page, start(plan))
    assert people_counted(page) == PEOPLE - 1
    page.locator("#undo").click()
    page.wait_for_selector('.person[data-person="p002"]')


def test_a_killed_server_loses_nothing(page, plan, album, repository):
    """Killed for good in the middle; the page says so, and the same command goes on."""
    command = [sys.executable, "-m", "ksame.cli.app", "review", str(album), "-o", str(plan.out)]
    command += [
        "-k",
        "2",
        "--seed",
        "7",
        "--jobs",
        "1",
        "--persons",
        "folder",
        "--no-open",
        "--allow-faceless",
    ]
    environment = {**os.environ, "PYTHONPATH": str(repository / "src")}
    said = plan.out.with_name("said.txt")

    def begin():
        with said.open("w") as errors:
            process = subprocess.Popen(command, stderr=errors, env=environment)
        end = time.monotonic() + STARTS
        while time.monotonic() < end and process.poll() is None:
            for line in said.read_text(encoding="utf-8").splitlines():
                if line.startswith("http://"):
                    return process, line.strip()
            time.sleep(0.1)
        process.kill()
        raise AssertionError(f"no address was printed: {said.read_text(encoding='utf-8')}")

    process, address = begin()
    try:
        page.goto(address)
        counted(page)
        page.get_by_label("Merge p002 with somebody").click()
        page.keyboard.type("p003")
        page.keyboard.press("Enter")
        page.wait_for_selector('.person[data-person="p002"]', state="detached")
        process.send_signal(signal.SIGKILL)
        process.wait(ENDS)
        page.wait_for_selector("#lost:not([hidden])", timeout=60000)
        process, address = begin()
        page.goto(address)
        counted(page)
        assert people_counted(page) == PEOPLE - 1
    finally:
        process.kill()
        process.wait(ENDS)


def test_a_page_that_was_never_opened_holds_up_nothing(start, plan, monkeypatch):
    from ksame.review import server

    monkeypatch.setattr(server, "UNOPENED", 0.5)
    began = time.monotonic()
    assert isinstance(start(plan).join().error, Ended)
    assert time.monotonic() - began < 60
