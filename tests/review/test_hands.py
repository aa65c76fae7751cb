"""Everything with the keyboard alone, and with the mouse."""

import pytest
from browsing import PEOPLE, ROWS, counted, faces_of, open_page, person_row, until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow


def test_everything_can_be_done_with_the_keyboard_alone(page, start, plan):
    review = start(plan)
    open_page(page, review)
    page.locator(".face").first.wait_for()
    press = page.keyboard.press
    until(page, "document.activeElement.classList.contains('face')", True)
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
    until(page, ROWS, PEOPLE - 1)
    press("Control+z")
    until(page, ROWS, PEOPLE)
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
    counted(page)
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
    open_page(page, start(plan))
    person_row(page, "p004").locator("h3").drag_to(person_row(page, "p003"))
    page.wait_for_selector('.person[data-person="p004"]', state="detached")
    assert faces_of(page, "p003") == 2
    person_row(page, "p000").locator(".face").first.drag_to(person_row(page, "p002"))
    until(page, "document.querySelectorAll('.person[data-person=p002] .face').length", 2)
    assert faces_of(page, "p000") == 1
