"""Clips on the page: stepping by frame, extending a track, drawing one, and what is released."""

import json

import pytest
from browsing import book_of, counted, open_page, until
from filmed import FRAMES, LATE
from review_plans import clip_plan

from ksame.release import Corrections, run
from ksame.release.clips.packing import unpacked
from ksame.release.listing import corrected
from ksame.verification import verify

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow
ABOUT = 3  # frames around a detection that a track covers too


def _open_clip(page, review):
    open_page(page, review)
    page.keyboard.press("3")
    page.get_by_label("party.mp4").click()
    page.wait_for_selector("#canvas[data-frame]", timeout=60000)


def _at(page, frame):
    """The frame and its boxes are shown."""
    page.wait_for_selector(f'#canvas[data-frame="{frame}"]', timeout=60000)


def _spans(page):
    """First and last frame of every track, as a screen reader is told."""
    told = page.locator(".track > button").evaluate_all("all => all.map((e) => e.ariaLabel)")
    found = [one.split("frames ")[1].split(",")[0].split(" to ") for one in told]
    return sorted((int(first), int(last)) for first, last in found)


def _choose_late(page):
    """Select the track of whoever is seen late."""
    late = page.locator(".track > button").filter(has_not_text="no such")
    for number in range(late.count()):
        if not late.nth(number).get_attribute("aria-label").count("frames 1 to"):
            late.nth(number).click()
            return
    raise AssertionError("every track begins with the clip")


def _release(page, review):
    page.keyboard.press("Escape")
    page.wait_for_selector("#clip", state="detached")
    counted(page)
    page.keyboard.press("r")
    page.locator("#go").click()
    page.wait_for_selector("#slider", timeout=120000)
    return review


def test_frames_are_stepped_through_with_keys_and_buttons(page, start, with_clip):
    _open_clip(page, start(with_clip))
    assert page.locator(".track").count() == 2
    page.keyboard.press("Home")
    _at(page, 0)
    assert page.locator(".box").count() == 1  # the other one is not seen yet
    page.keyboard.press("ArrowRight")
    _at(page, 1)
    page.keyboard.press("Shift+ArrowRight")
    _at(page, 11)
    assert page.locator(".box").count() == 2
    page.locator("#back").click()
    _at(page, 10)
    page.locator("#on10").click()
    _at(page, 20)
    page.locator("#scrub").fill("4")
    _at(page, 4)
    _choose_late(page)
    page.keyboard.press("Home")
    page.keyboard.press("]")
    first = _spans(page)[1][0] - 1
    assert LATE - ABOUT <= first <= LATE
    _at(page, first)
    page.keyboard.press("End")
    _at(page, FRAMES - 1)
    assert f"Frame {FRAMES} of {FRAMES}" in page.locator("#frame").inner_text()
    assert page.locator("#still").evaluate("e => e.naturalWidth") <= 1000


def test_a_track_is_extended_drawn_dismissed_and_undone_and_the_bytes_are_a_ledgers(
    page, start, with_clip, filmed, tmp_path
):
    review = start(with_clip)
    _open_clip(page, review)
    # extend, by keys: to the first frame, with the box that the track begins with
    _choose_late(page)
    page.keyboard.press("Home")
    _at(page, 0)
    page.keyboard.press("e")
    page.wait_for_selector("#new")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=extended by you", timeout=60000)
    assert _spans(page) == [(1, FRAMES), (1, FRAMES)]
    _at(page, 0)
    until(page, "document.querySelectorAll('#canvas .box').length", 2)
    # dismiss a track, and take that back
    page.keyboard.press("x")
    page.wait_for_selector(".bar.gone")
    page.keyboard.press("Control+z")
    page.wait_for_selector(".bar.gone", state="detached")
    # draw on the wall, with the mouse, over the frames 3 to 8
    page.locator("#scrub").fill("4")
    _at(page, 4)
    page.locator("#draw").click()
    page.wait_for_selector("#new")
    room = page.locator("#canvas").bounding_box()
    page.mouse.move(room["x"] + room["width"] * 0.84, room["y"] + room["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(room["x"] + room["width"] * 0.96, room["y"] + room["height"] * 0.6, steps=4)
    page.mouse.up()
    page.wait_for_selector("#make")
    page.locator("#first-frame").fill("3")
    page.keyboard.press("Tab")
    page.locator("#last-frame").fill("8")
    page.keyboard.press("Tab")
    page.locator("#make").click()
    page.wait_for_selector("text=drawn by you", timeout=60000)
    assert (3, 8) in _spans(page)
    # the corrections are saved: a reload shows them
    page.reload()
    counted(page)
    page.keyboard.press("3")
    page.get_by_label("party.mp4").click()
    page.wait_for_selector("text=drawn by you")
    saved = json.loads((with_clip.work / "review.json").read_text(encoding="utf-8"))
    decided = Corrections()
    for step in saved["done"]:
        decided = decided.after(Corrections.from_json(step["change"]))
    _release(page, review)
    # before and after, frame by frame
    clip = page.locator(".strip button").count() - 1
    for number in range(clip + 1):
        page.locator(".strip button").nth(number).click()
        if page.locator("#moment").is_visible():
            break
    page.locator("#moment").fill("6")
    until(page, "document.querySelectorAll('.pair img')[0].naturalWidth > 100", True)
    page.get_by_text("Finish").click()
    release = review.join().release
    book = book_of(release)
    assert release.certificate["decisions"]["faces_drawn"] == 1
    drawn = next(face for face in book["faces"] if face["drawn"])
    track = drawn["numbers"]["track"]
    assert (track["first"], len(unpacked(track))) == (2, 6)
    assert drawn["group"] is None  # there is no face on the wall: it is filled
    assert verify(release.out, release.ledger).findings == ()
    # the same corrections in a ledger on the command line
    plain = run(clip_plan(filmed, tmp_path / "plain"))
    ledger = tmp_path / "corrected.json"
    ledger.write_text(json.dumps(corrected(book_of(plain), decided)), encoding="utf-8")
    again = run(clip_plan(filmed, tmp_path / "again", persons=str(ledger)))
    assert again.certificate["files"] == release.certificate["files"]


def test_a_track_becomes_a_new_person_and_is_merged_again(page, start, with_clip):
    """As with photos: the people of tracks are split and merged."""
    _open_clip(page, start(with_clip))
    people = int(page.locator("#view-people .count").inner_text())
    entry = page.locator(".entry").first
    entry.get_by_text("New person").click()
    until(page, "Number(document.querySelector('#view-people .count').textContent)", people + 1)
    page.locator(".entry").first.get_by_text("Somebody else…").click()
    page.keyboard.press("Enter")
    until(page, "Number(document.querySelector('#view-people .count').textContent)", people)


ASK = """async (request) => (await (await fetch("/api/act", {method: "POST", headers:
{"content-type": "application/json"}, body: JSON.stringify(request)})).json()).error"""
BOX = [0, 0, 50, 50]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"frame": 9999}, "no frame 10000"),
        ({"frame": -1}, "no frame 0"),
        ({"frame": FRAMES - 1}, "covers frame"),
        ({"frame": 0, "box": [0, 0, 3, 3]}, "at least 8 pixels"),
        ({"frame": "x"}, "no longer there"),
        ({"face": 0}, "only the track of a clip"),
        ({"do": "draw", "photo": 3, "frame": 5, "first": 6, "last": 9}, "without it"),
    ],
)
def test_what_cannot_be_done_with_a_track_is_told(page, start, with_clip, change, why):
    _open_clip(page, start(with_clip))
    page.locator(".track > button").first.click()
    page.wait_for_selector("#extend[disabled]")  # the track covers the frame that is shown
    face = int(page.locator(".track > button").last.get_attribute("id").split("-")[1])
    request = {"do": "extend", "face": face, "frame": 0, "box": BOX, **change}
    assert why in page.evaluate(ASK, request)
