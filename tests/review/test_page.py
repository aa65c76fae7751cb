"""The page in a real browser: what a person does reaches the release."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from review_plans import HOSTILE

from ksame.review.session import Ended
from ksame.verification import verify

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow

PEOPLE = 7


def _open(page, review, path=None):
    page.goto(path or review.address)
    page.wait_for_selector("#release:not([disabled])", timeout=60000)
    return page


def _until(page, script, value, seconds=60.0):
    """Ask the page until it agrees; its policy forbids what Playwright would do instead."""
    end = time.monotonic() + seconds
    while (found := page.evaluate(script)) != value:
        assert time.monotonic() < end, (script, found)
        page.wait_for_timeout(30)


ROWS = "document.querySelectorAll('.person').length"


def _people(page) -> int:
    return int(page.locator("#view-people .count").inner_text())


def _person(page, name):
    return page.locator(f'.person[data-person="{name}"]')


def _faces(page, name) -> int:
    return _person(page, name).locator(".face").count()


def _counted(page):
    """The effect of the last step is known."""
    page.wait_for_selector("#release:not([disabled])")


def _book(release):
    return json.loads(release.ledger.read_text(encoding="utf-8"))


def test_a_whole_story_from_opening_to_release(page, start, plan):
    """Merge, split, draw, dismiss, keep, correct, set aside, undo, reload, release, report."""
    review = start(plan)
    _open(page, review)
    assert "token" not in page.url
    assert _people(page) == PEOPLE
    # merge by choosing
    page.get_by_label("Merge p002 with somebody").click()
    page.keyboard.type("p003")
    page.keyboard.press("Enter")
    _until(page, ROWS, PEOPLE - 1)
    assert _people(page) == PEOPLE - 1
    # split by selecting
    _person(page, "p000").locator(".face").nth(1).click()
    page.locator("#selection").get_by_text("New person").click()
    page.wait_for_selector('.person[data-person="person-00000"]')
    assert _people(page) == PEOPLE
    # undo and redo the split
    page.locator("#undo").click()
    page.wait_for_selector('.person[data-person="person-00000"]', state="detached")
    assert _people(page) == PEOPLE - 1
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
    _counted(page)
    assert page.locator("#undo").get_attribute("title").endswith("dismissed 1 face")
    assert _people(page) == PEOPLE + 1  # whoever was drawn is somebody new
    # release
    page.locator("#release").click()
    page.locator("#ask").get_by_text("Shown unprotected, by consent: p005").wait_for()
    page.locator("#go").click()
    page.wait_for_selector("#slider", timeout=60000)
    page.locator("#slider").fill("20")
    assert (
        page.locator(".pair img").nth(1).evaluate("e => e.style.clipPath")
        == "inset(0px 0px 0px 20%)"
    )
    _until(page, "document.querySelectorAll('.pair img')[1].naturalWidth > 100", True)
    with page.context.expect_page() as report:
        page.get_by_text("Open the report").click()
    report.value.wait_for_selector("text=Release report")
    page.get_by_text("Finish").click()
    page.wait_for_selector("text=The server has ended")
    release = review.join().release
    book, decisions = _book(release), release.certificate["decisions"]
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
    _open(page, review)
    page.get_by_label("Merge p002 with somebody").click()
    page.keyboard.type("p003")
    page.keyboard.press("Enter")
    _until(page, ROWS, PEOPLE - 1)
    saved = json.loads((plan.work / "review.json").read_text(encoding="utf-8"))
    decided = Corrections.from_json(saved["done"][0]["change"])
    _counted(page)
    page.keyboard.press("r")
    page.locator("#go").click()
    page.wait_for_selector("#slider", timeout=60000)
    page.close()
    release = review.join().release
    options = {"k": 2, "seed": 7, "jobs": 1, "allow_faceless": True}
    plain = run(Plan(album, tmp_path / "plain", persons="folder", **options))
    ledger = tmp_path / "corrected.json"
    ledger.write_text(json.dumps(corrected(_book(plain), decided)), encoding="utf-8")
    again = run(Plan(album, tmp_path / "again", persons=str(ledger), **options))
    assert again.certificate["files"] == release.certificate["files"]
    assert again.certificate["groups"] == release.certificate["groups"]
    assert release.certificate["people"] == plain.certificate["people"] - 1


def test_everything_can_be_done_with_the_keyboard_alone(page, start, plan):
    review = start(plan)
    _open(page, review)
    page.locator(".face").first.wait_for()
    press = page.keyboard.press
    _until(page, "document.activeElement.classList.contains('face')", True)
    # split: the first face of the first person, who has two
    press("Home")
    press("Space")
    press("n")
    page.wait_for_selector('.person[data-person="person-00000"]')
    press("Control+z")
    page.wait_for_selector('.person[data-person="person-00000"]', state="detached")
    # merge: this person with another, by typing
    press("Home")
    press("m")
    page.keyboard.type("p004")
    press("Enter")
    _until(page, ROWS, PEOPLE - 1)
    press("Control+z")
    _until(page, ROWS, PEOPLE)
    # keep as is, and protect again
    press("Home")
    press("k")
    page.wait_for_selector(".person.kept")
    press("k")
    page.wait_for_selector(".person.kept", state="detached")
    # draw: on the wall, which is the last photo
    press("3")
    press("End")
    press("Enter")
    page.wait_for_selector("#photo")
    press("d")
    for _ in range(4):
        press("ArrowLeft")
    press("Shift+ArrowDown")
    press("Enter")
    page.wait_for_selector("text=drawn by you")
    # set the photo aside, and take that back
    press("s")
    page.wait_for_selector("text=Take in again")
    press("Control+z")
    page.wait_for_selector("#aside:has-text('Set aside')")
    press("Escape")
    page.wait_for_selector("#photo", state="detached")
    # dismiss: somebody of the second row, whoever was drawn is in the first
    press("2")
    press("Home")
    press("ArrowDown")
    press("x")
    page.wait_for_selector("#undo[title$='dismissed 1 face']")
    _counted(page)
    press("r")
    page.wait_for_selector("#go")
    press("Enter")
    page.wait_for_selector("#slider", timeout=60000)
    page.close()
    release = review.join().release
    decisions = release.certificate["decisions"]
    assert (decisions["faces_drawn"], decisions["faces_dismissed"]) == (1, 1)
    assert decisions["people_kept"] == 0


def test_people_are_merged_and_faces_moved_by_dragging(page, start, plan):
    _open(page, start(plan))
    _person(page, "p004").locator("h3").drag_to(_person(page, "p003"))
    page.wait_for_selector('.person[data-person="p004"]', state="detached")
    assert _faces(page, "p003") == 2
    _person(page, "p000").locator(".face").first.drag_to(_person(page, "p002"))
    _until(page, "document.querySelectorAll('.person[data-person=p002] .face').length", 2)
    assert _faces(page, "p000") == 1


def test_two_tabs_show_the_same(page, start, plan):
    review = start(plan)
    _open(page, review)
    other = page.context.new_page()
    _open(other, review, page.url)
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
    _open(page, first)
    page.get_by_label("Merge p002 with somebody").click()
    page.keyboard.type("p003")
    page.keyboard.press("Enter")
    page.wait_for_selector('.person[data-person="p002"]', state="detached")
    page.goto("about:blank")
    assert isinstance(first.join().error, Ended)
    assert not plan.out.exists()
    _open(page, start(plan))
    assert _people(page) == PEOPLE - 1
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

    def begin():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        for line in process.stderr:
            if line.startswith("http://"):
                return process, line.strip()
        raise AssertionError("no address was printed")

    process, address = begin()
    try:
        page.goto(address)
        _counted(page)
        page.get_by_label("Merge p002 with somebody").click()
        page.keyboard.type("p003")
        page.keyboard.press("Enter")
        page.wait_for_selector('.person[data-person="p002"]', state="detached")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        page.wait_for_selector("#lost:not([hidden])", timeout=60000)
        process, address = begin()
        page.goto(address)
        _counted(page)
        assert _people(page) == PEOPLE - 1
    finally:
        process.kill()
        process.communicate(timeout=30)


def test_names_that_are_markup_stay_names(page, start, plan):
    _open(page, start(plan))
    row = page.locator(f'.person:has(h3:text-is("{HOSTILE}"))')
    row.wait_for()
    page.keyboard.press("3")
    page.get_by_text(f"{HOSTILE}.jpg").first.wait_for()
    page.get_by_label(re.compile("^<img")).first.click()
    page.wait_for_selector("#photo")
    assert page.evaluate("window.boom") is None
    assert page.locator("img[src='x']").count() == 0


def test_k_is_told_at_once_and_what_cannot_be_released_is_not(page, start, plan):
    """Seven people, k = 2: merged into one there is nothing to share."""
    _open(page, start(plan))
    assert "7 people" in page.locator("#effect").inner_text()
    for name in ("p001", "p002", "p003", "p004", "p005"):
        page.get_by_label(f"Merge {name} with somebody").click()
        page.keyboard.type("p000")
        page.keyboard.press("Enter")
        page.wait_for_selector(f'.person[data-person="{name}"]', state="detached")
    page.get_by_label("Merge p000 with somebody").click()
    page.keyboard.press("Enter")
    _until(page, ROWS, 1)
    page.wait_for_selector("text=k = 2 cannot be met")
    assert page.locator("#release").is_disabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_about(page, start, plan, scheme):
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=scheme)
    _open(page, start(plan))

    def check(what):
        page.wait_for_timeout(250)
        found = [
            (one["id"], [node["html"][:120] for node in one["nodes"][:3]])
            for one in axe.run(page)["violations"]
        ]
        assert found == [], (what, found)

    check("people")
    page.locator(".face").first.click()
    check("a selection")
    page.locator("#effect summary").click()
    check("the effect")
    page.locator("#effect summary").click()
    page.get_by_label("Merge p002 with somebody").click()
    check("choosing a person")
    page.keyboard.press("Escape")
    page.get_by_label("Looks of p002").click()
    check("looks")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    check("photos")
    page.locator(".shot").first.click()
    page.locator("#draw").click()
    check("a photo")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    check("questions")
    page.keyboard.press("?")
    check("keys")
    page.keyboard.press("Escape")
    page.locator("#release").click()
    check("release")
    if scheme == "light":
        page.locator("#go").click()
        page.wait_for_selector("#slider", timeout=60000)
        check("the last screen")


def test_a_page_that_was_never_opened_holds_up_nothing(start, plan, monkeypatch):
    from ksame.review import server

    monkeypatch.setattr(server, "UNOPENED", 0.5)
    began = time.monotonic()
    assert isinstance(start(plan).join().error, Ended)
    assert time.monotonic() - began < 60
