"""What a person decided: nothing that the certificate does not state is accepted."""

from dataclasses import replace

import numpy as np
import pytest

from ksame.verification.decisions import check_decisions, check_stated
from ksame.verification.detected import strangers
from ksame.verification.documents import Certificate, Face, Group, Ledger
from ksame.verification.photos import Listed

BOX = (10.0, 10.0, 60.0, 60.0)
CLAIM = "nothing is claimed for 1 faces of 1 people, listed under kept"


def _face(person, **given):
    told = {"file": "1.jpg", "box": BOX, "person": person, "group": 0, "placement": None}
    return Face(**{**told, "state": None, "hidden": None, "numbers": {}, **given})


KEPT = _face("x", group=None, numbers=None, kept=True)


def _group(people):
    return Group(0, "s", frozenset(people), frozenset(), None, "", {}, (), {})


@pytest.fixture
def certificate():
    return Certificate(
        raw={}, guarantee="k-anonymity", k=2, composite="natural", groups=(),
        files={"1.jpg": "", "2.jpg": ""}, report=("", ""), counts={}, withheld={},
        claims=(CLAIM,), decisions={"people_kept": 1, "faces_kept": 1}, kept={"1.jpg": (BOX,)},
    )  # fmt: skip


@pytest.fixture
def ledger():
    return Ledger({}, {}, (KEPT, _face("y", file="2.jpg")), (_group({"y"}),), {}, 0)


def _broken(certificate, ledger):
    return [f.what for f in (*check_stated(certificate), *check_decisions(certificate, ledger))]


def test_a_kept_person_who_is_listed_is_accepted(certificate, ledger):
    assert _broken(certificate, ledger) == []


def test_a_kept_face_that_is_not_listed_is_refused(certificate, ledger):
    silent = replace(certificate, kept={}, decisions={}, claims=())
    assert any("does not list" in what for what in _broken(silent, ledger))


def test_a_kept_face_in_another_place_is_refused(certificate, ledger):
    elsewhere = replace(certificate, kept={"1.jpg": ((0.0, 0.0, 5.0, 5.0),)})
    assert any("does not list" in what for what in _broken(elsewhere, ledger))


def test_a_second_kept_face_beside_a_listed_one_is_refused(certificate, ledger):
    more = replace(ledger, faces=(*ledger.faces, replace(KEPT, file="2.jpg")))
    assert any("does not list" in what for what in _broken(certificate, more))
    assert any("faces_kept=1" in what for what in _broken(certificate, more))


def test_a_list_without_the_sentence_claims_too_much(certificate, ledger):
    assert any("claims too much" in w for w in _broken(replace(certificate, claims=()), ledger))
    other = replace(certificate, claims=(CLAIM.replace("1 faces", "0 faces"),))
    assert any("claims too much" in what for what in _broken(other, ledger))


def test_dismissals_are_counted_and_said(certificate, ledger):
    left = replace(ledger, dismissed={"2.jpg": (BOX,)})
    assert any("faces_dismissed=0" in what for what in _broken(certificate, left))
    told = replace(certificate, decisions={**certificate.decisions, "faces_dismissed": 1})
    assert any("claims too much" in what for what in _broken(told, left))
    said = replace(told, claims=(CLAIM, "nothing is claimed for 1 places that"))
    assert _broken(said, left) == []


def test_nobody_is_half_kept(certificate, ledger):
    faces = (*ledger.faces, _face("x", file="2.jpg", box=(0.0, 0.0, 1.0, 1.0)))
    half = replace(ledger, faces=faces)
    assert any("in another photo" in what for what in _broken(certificate, half))


def test_who_is_shown_hides_nobody(certificate, ledger):
    counted = replace(ledger, groups=(_group({"x", "y"}),))
    assert any("counts somebody who is shown" in w for w in _broken(certificate, counted))


def test_a_kept_face_is_neither_replaced_nor_nobodys(certificate, ledger):
    for spoiled in (replace(KEPT, group=0), replace(KEPT, person=None)):
        faces = (spoiled, *ledger.faces[1:])
        assert any("and yet" in w for w in _broken(certificate, replace(ledger, faces=faces)))


def test_drawn_faces_and_corrected_looks_are_counted(certificate, ledger):
    faces = (KEPT, replace(ledger.faces[1], drawn=True, looks=True))
    found = _broken(certificate, replace(ledger, faces=faces))
    assert any("faces_drawn=0" in what for what in found)
    assert any("people_with_corrected_looks=0" in what for what in found)


@pytest.mark.parametrize(
    ("box", "found"),
    [
        (BOX, 0),
        ((12.0, 8.0, 66.0, 70.0), 0),  # a detector's box is never quite the same
        ((0.0, 0.0, 400.0, 400.0), 2),  # a box around the whole photo excuses nobody
    ],
)
def test_a_box_that_is_left_alone_excuses_one_face(box, found):
    seen = [BOX] if box != (0.0, 0.0, 400.0, 400.0) else [BOX, (200.0, 200.0, 260.0, 260.0)]
    listed = Listed((), (), (), False, True, True, untouched=(box,))
    assert strangers(np.zeros((400, 400, 3), np.uint8), listed, lambda _: seen) == found


@pytest.mark.parametrize(("numbers", "found"), [((0, 0, 90, 90), 0), ((0, 0, 200, 200), 1)])
def test_somebody_small_in_the_corner_of_a_drawn_face_is_another(numbers, found):
    face = _face("x", box=(0.0, 0.0, 400.0, 400.0), numbers={"box": list(numbers)})
    listed = Listed((face,), (), (), False, True, True)
    assert strangers(np.zeros((400, 400, 3), np.uint8), listed, lambda _: [BOX]) == found
