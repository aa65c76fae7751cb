"""Makes docs/images/review-*.png: the review page on the built-in synthetic people.

python tools/review_pictures.py
"""

import shutil
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from ksame.datasets.demo_people import demo_people
from ksame.release import Plan
from ksame.review import review

IMAGES = Path(__file__).parents[1] / "docs/images"
PEOPLE = 12
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def _album(folder: Path) -> Path:
    """One folder a person, up to three photos each."""
    demo = demo_people()
    paths = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        paths[person].append(path)
    for number, person in enumerate(sorted(paths)[:PEOPLE]):
        home = folder / person
        home.mkdir(parents=True)
        for path in paths[person][: 3 - number % 3]:
            shutil.copyfile(path, home / path.name)
    return folder


def _take(page: Any, address: str) -> None:
    """Walk through the page, and take a picture of each view."""
    page.goto(address)
    page.wait_for_selector("#release:not([disabled])", timeout=120_000)
    page.get_by_label("Looks of p001").click()
    page.get_by_label("Age of p001").select_option("middle")
    page.wait_for_selector(".looks.set")
    page.locator("#looks").get_by_text("Done").click()
    page.locator('.person[data-person="p003"] .face').first.click()
    page.locator('.person[data-person="p003"] .face').nth(1).click()
    page.wait_for_selector("#release:not([disabled])")
    page.wait_for_timeout(7000)  # the message about the last step has gone
    page.screenshot(path=IMAGES / "review-people.png")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    page.get_by_label("p002-neutral.jpg").click()
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / "review-photo.png")
    page.keyboard.press("Escape")
    page.locator("#release").click()
    page.locator("#go").click()
    page.wait_for_selector("#slider", timeout=180_000)
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / "review-done.png")


def main() -> None:
    """Review a small album in a browser that nobody sees."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        album = _album(Path(folder) / "album")
        plan = Plan(album, Path(folder) / "release", k=3, persons="folder", seed=1)
        ready = threading.Event()
        addresses: list[str] = []

        def opened(address: str) -> None:
            addresses.append(address)
            ready.set()

        running = threading.Thread(target=review, args=(plan, opened))
        running.start()
        ready.wait()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        _take(page, addresses[0])
        browser.close()
        running.join()


if __name__ == "__main__":
    main()
