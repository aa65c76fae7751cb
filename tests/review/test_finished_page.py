"""A finished release on the page: one correction, and only what it changes is made again."""

import pytest
from browsing import book_of, counted, merge, open_page, people_counted, until
from review_plans import plan_of

from ksame.files import sha256_of
from ksame.release import run
from ksame.review.finished import finished_plan
from ksame.verification import verify

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow


def test_a_merge_in_a_finished_release(page, start, album, tmp_path):
    made = run(plan_of(album, tmp_path / "out"))
    plan = finished_plan(made.out, made.ledger, tmp_path / "again", jobs=1)
    review = start(plan, made.out)
    open_page(page, review)
    people = people_counted(page)
    merge(page, "p002", "p001")
    until(page, "document.querySelectorAll('.person').length", people - 1)
    counted(page)
    page.locator("#effect summary").click()
    page.locator("#effect").get_by_text("the face that they share already").wait_for()
    page.locator("#effect summary").click()
    page.locator("#release").click()
    page.locator("#go").click()
    page.wait_for_selector("#slider", timeout=60000)
    until(page, "document.querySelectorAll('.pair img')[0].naturalWidth > 100", True)
    page.get_by_text("Finish").click()
    again = review.join().release
    old, new = book_of(made), book_of(again)
    before = {old["originals"][name]: sha256_of(made.out / name) for name in old["files"]}
    after = {new["originals"][name]: sha256_of(again.out / name) for name in new["files"]}
    same = [sha for sha in before if before[sha] == after[sha]]
    assert 0 < len(same) < len(before)
    assert again.certificate["people"] == made.certificate["people"] - 1
    assert verify(again.out, again.ledger).findings == ()
