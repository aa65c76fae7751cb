"""What the page says about k is what the release then does, also where groups stay."""

import shutil
from collections import Counter
from dataclasses import replace

import pytest
from browsing import book_of
from filmed import photos_by_person
from review_plans import plan_of

from ksame.release import Corrections, Plan, run
from ksame.release.orders import WAITING
from ksame.review.finished import finished_plan
from ksame.review.session import Session

pytestmark = pytest.mark.slow


def _people(folder, numbers):
    """One photo of each of some synthetic people."""
    photos = photos_by_person()
    for number in numbers:
        (folder / f"p{number}").mkdir(parents=True)
        path = photos[number][0]
        shutil.copyfile(path, folder / f"p{number}" / path.name)
    return folder


class _Looking(Session):
    """A session whose person decides at once, and which keeps what the page would have said."""

    def __init__(self, plan, decided, made):
        super().__init__(plan, made)
        self._answer = decided

    def __call__(self, album, people):
        self._decided.set()
        super().__call__(album, people)
        from ksame.review.effect import effect_of

        desk = self._scene.desk
        self.told = effect_of(desk.job, desk.after(self._answer))
        self.end()
        return self._answer


def _release(plan, decided, made=None):
    session = _Looking(plan, decided, made)
    return session, run(plan, review=session, made=made)


def test_a_continued_release_keeps_its_groups_and_new_people_wait(tmp_path):
    first = run(Plan(_people(tmp_path / "a", range(4)), tmp_path / "first", k=2, seed=1, jobs=1,
                     persons="folder"))  # fmt: skip
    plan = Plan(_people(tmp_path / "b", range(5)), tmp_path / "second", k=2, seed=2, jobs=1,
                persons="folder", continues=first.ledger)  # fmt: skip
    session, second = _release(plan, Corrections())
    told = session.told
    assert (told.people, told.known, told.waiting) == (4, 4, 1)
    assert list(told.groups) == sorted(g["people"] for g in second.certificate["groups"])
    assert [why for _, why in second.withheld] == [WAITING]


def test_a_continued_release_with_enough_new_people_tells_both(tmp_path):
    first = run(Plan(_people(tmp_path / "a", range(2)), tmp_path / "first", k=2, seed=1, jobs=1,
                     persons="folder"))  # fmt: skip
    plan = Plan(_people(tmp_path / "b", range(5)), tmp_path / "second", k=2, seed=2, jobs=1,
                persons="folder", continues=first.ledger)  # fmt: skip
    session, second = _release(plan, Corrections())
    told = session.told
    assert (told.people, told.known, told.waiting) == (5, 2, 0)
    assert list(told.groups) == sorted(g["people"] for g in second.certificate["groups"])


def test_a_merge_in_a_finished_release_says_who_stays_and_who_joins(album, tmp_path):
    made = run(plan_of(album, tmp_path / "out"))
    book = book_of(made)
    one, other = sorted({face["person"] for face in book["faces"]})[2:4]
    places = {
        (book["originals"][face["file"]], tuple(face["box"])): one
        for face in book["faces"]
        if face["person"] == other
    }
    plan = finished_plan(made.out, made.ledger, tmp_path / "again", jobs=1)
    session, again = _release(plan, Corrections(persons=places), made.out)
    told = session.told
    assert told.people == made.certificate["people"] - 1
    assert told.known + told.joined == told.people
    assert list(told.groups) == sorted(g["people"] for g in again.certificate["groups"])
    stayed = Counter(_faces_by_person(book)) & Counter(_faces_by_person(book_of(again)))
    assert told.known <= len(stayed)


def _faces_by_person(book):
    return [(p, g["surrogate"]) for g in book["groups"] for p in g["people"]]


def test_a_person_too_many_for_the_limit_is_counted_as_the_release_does(album, tmp_path):
    plan = replace(plan_of(album, tmp_path / "out"), per_person=1)
    session, release = _release(plan, Corrections())
    assert list(session.told.groups) == sorted(g["people"] for g in release.certificate["groups"])
