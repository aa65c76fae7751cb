"""The page in a real browser: what a person does reaches the release."""

import json
import re

import pytest
from browsing import PEOPLE, ROWS, book_of, counted, open_page, people_counted, person_row, until
from review_plans import HOSTILE

from ksame.verification import verify

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow


def test_a_whole_story_from_opening_to_release(page, start, plan):
    """Merge, split, draw, dismiss, keep, correct, set aside, undo, reload, release, report."""
    review = start(plan)
    open_page(page, review)
    assert "token" not in page.url
    assert people_counted(page) == PEOPLE
    # merge by choosing
    page.get_by_label("Merge p002 with somebody").click()
    page.keyboard.type("p003")
    page.keyboard.press("Enter")
    until(page, ROWS, PEOPLE - 1)
    assert people_counted(page) == PEOPLE - 1
    # split by selecting
    person_row(page, "p000").locator(".face").nth(1).click()
    page.locator("#selection").get_by_text("New person").click()
    page.wait_for_selector('.person[data-person="person-00000"]')
    assert people_counted(page) == PEOPLE
    # undo and redo the split
    page.locator("#undo").click()
    page.wait_for_selector('.person[data-person="person-00000"]', state="detached")
    assert people_counted(page) == PEOPLE - 1
    page.locator("#redo").click()
    page.wait_for_selector('.person[data-person="person-00000"]')
    # looks
    page.get_by_label("Looks of p004").click()
    page.get_by_label("Age of p004").select_option("old")
    page.wait_for_selector('.person[data-person="p004"] .looks.set')
    page.locator("#looks").get_by_text("Done").click()
    # consent
    page.get_by_label("Keep p005 as is").click()
    page.wait_for_selector('.person[data-person="p005"].kept')
    # a missed face is drawn on the wall, with the mouse
    page.locator("#view-photos").click()
    page.get_by_label("wall.png").click()
    page.locator("#draw").click()
    room = page.locator("#canvas").bounding_box()
    page.mouse.move(room["x"] + room["width"] * 0.3, room["y"] + room["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(room["x"] + room["width"] * 0.5, room["y"] + room["height"] * 0.6, steps=4)
    page.mouse.up()
    page.wait_for_selector("text=drawn by you")
    page.keyboard.press("Escape")
    # what is no face is dismissed
    page.get_by_label(re.compile("^p001-neutral.jpg")).click()
    page.locator("#photo aside").get_by_text("Not a face").click()
    page.wait_for_selector("#photo .box.gone")
    page.keyboard.press("Escape")
    # a reload in the middle loses nothing
    page.reload()
    counted(page)
    assert page.locator("#undo").get_attribute("title").endswith("dismissed 1 face")
    assert people_counted(page) == PEOPLE + 1  # whoever was drawn is somebody new
    # release
    page.locator("#release").click()
    page.locator("#ask").get_by_text("Shown unprotected, by consent: p005").wait_for()
    page.locator("#go").click()
    page.wait_for_selector("#pass")  # how far it has come
    page.wait_for_selector("#slider", timeout=60000)
    page.locator("#slider").fill("20")
    assert (
        page.locator(".pair img").nth(1).evaluate("e => e.style.clipPath")
        == "inset(0px 0px 0px 20%)"
    )
    until(page, "document.querySelectorAll('.pair img')[1].naturalWidth > 100", True)
    with page.context.expect_page() as report:
        page.get_by_text("Open the report").click()
    report.value.wait_for_selector("text=Release report")
    page.get_by_text("Finish").click()
    page.wait_for_selector("text=The server has ended")
    release = review.join().release
    book, decisions = book_of(release), release.certificate["decisions"]
    assert decisions == {
        "faces_drawn": 1,
        "faces_dismissed": 1,
        "people_with_corrected_looks": 1,
        "people_kept": 1,
        "faces_kept": 1,
    }
    drawn = [face for face in book["faces"] if face["drawn"]]
    assert [face["group"] is not None or face["hidden"] is not None for face in drawn] == [True]
    assert verify(release.out, release.ledger).findings == ()
    assert not plan.work.exists()  # nothing private is left but the ledger


def test_the_bytes_are_those_of_the_same_corrections_as_a_ledger(
    page, start, plan, album, tmp_path
):
    """A review on the page, and the same decisions in a ledger on the command line."""
    from ksame.release import Corrections, Plan, run
    from ksame.release.listing import corrected

    review = start(plan)
    open_page(page, review)
    page.get_by_label("Merge p002 with somebody").click()
    page.keyboard.type("p003")
    page.keyboard.press("Enter")
    until(page, ROWS, PEOPLE - 1)
    saved = json.loads((plan.work / "review.json").read_text(encoding="utf-8"))
    decided = Corrections.from_json(saved["done"][0]["change"])
    counted(page)
    page.keyboard.press("r")
    page.locator("#go").click()
    page.wait_for_selector("#slider", timeout=60000)
    page.close()
    release = review.join().release
    options = {"k": 2, "seed": 7, "jobs": 1, "allow_faceless": True}
    plain = run(Plan(album, tmp_path / "plain", persons="folder", **options))
    ledger = tmp_path / "corrected.json"
    ledger.write_text(json.dumps(corrected(book_of(plain), decided)), encoding="utf-8")
    again = run(Plan(album, tmp_path / "again", persons=str(ledger), **options))
    assert again.certificate["files"] == release.certificate["files"]
    assert again.certificate["groups"] == release.certificate["groups"]
    assert release.certificate["people"] == plain.certificate["people"] - 1


def test_k_is_told_at_once_and_what_cannot_be_released_is_not(page, start, plan):
    """Seven people, k = 2: merged into one there is nothing to share."""
    open_page(page, start(plan))
    assert "7 people" in page.locator("#effect").inner_text()
    for name in ("p001", "p002", "p003", "p004", "p005"):
        page.get_by_label(f"Merge {name} with somebody").click()
        page.keyboard.type("p000")
        page.keyboard.press("Enter")
        page.wait_for_selector(f'.person[data-person="{name}"]', state="detached")
    page.get_by_label("Merge p000 with somebody").click()
    page.keyboard.press("Enter")
    until(page, ROWS, 1)
    page.wait_for_selector("text=k = 2 cannot be met")
    assert page.locator("#release").is_disabled()


def test_names_that_are_markup_stay_names(page, start, plan):
    open_page(page, start(plan))
    row = page.locator(f'.person:has(h3:text-is("{HOSTILE}"))')
    row.wait_for()
    page.keyboard.press("3")
    page.get_by_text(f"{HOSTILE}.jpg").first.wait_for()
    page.get_by_label(re.compile("^<img")).first.click()
    page.wait_for_selector("#photo")
    assert page.evaluate("window.boom") is None
    assert page.locator("img[src='x']").count() == 0


def test_an_open_question_is_settled_both_ways(page, start, with_clip):
    """The album with the clip leaves one pair open: it decides how many people there are."""
    open_page(page, start(with_clip))
    page.wait_for_selector("#same")
    people, taken = people_counted(page), page.locator(".question").inner_text()
    page.keyboard.press("d" if "for one person" in taken else "s")
    page.wait_for_selector("text=No open questions")
    assert people_counted(page) == people + (1 if "for one person" in taken else -1)
    page.keyboard.press("Control+z")
    page.wait_for_selector("#same")
    assert people_counted(page) == people
    page.keyboard.press("s" if "for one person" in taken else "d")
    page.wait_for_selector("text=No open questions")
    assert people_counted(page) == people
