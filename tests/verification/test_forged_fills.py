"""Filled faces: nothing of the original is there, and nobody is left out of the ledger."""

import numpy as np
import pytest

from ksame.release.hiding import hide
from ksame.release.last_look import sure_faces
from ksame.verification import verify
from ksame.verification.documents import Face
from ksame.verification.filled import detail, most_detail


def said(forged, **options):
    return " | ".join(map(str, verify(forged.out, forged.ledger, **options).findings))


def the_filled(ledger):
    return next(face for face in ledger["faces"] if face["hidden"])


def put_back(modelled):
    """The original is painted where a face was filled; returns that face."""
    face = the_filled(modelled.read()[1])
    new, old = modelled.pixels(face["file"])
    x0, y0, x1, y1 = face["hidden"]
    new[y0:y1, x0:x1] = old[y0:y1, x0:x1]
    modelled.repaint(face["file"], new)
    return face


def test_the_original_put_back(modelled):
    face = put_back(modelled)
    assert f"{face['file']}: a filled face shows" in said(modelled)


def test_a_second_entry_does_not_shield_the_original(modelled):
    """Two ovals over each other hide nothing from each other."""
    face = put_back(modelled)

    def edit(certificate, ledger):
        ledger["faces"].append(dict(the_filled(ledger)))
        certificate["hidden"] += 1

    modelled.edit(edit)
    assert f"{face['file']}: a filled face shows" in said(modelled)


def test_the_ledger_names_another_box(modelled):
    def edit(certificate, ledger):
        face = the_filled(ledger)
        face["hidden"] = [0, 0, 8, 8]

    modelled.edit(edit)
    assert "a filled region does not cover its face" in said(modelled)


def test_a_face_that_the_ledger_leaves_out(modelled):
    """The original is put back and its entry deleted: only a detector can know."""
    face = put_back(modelled)

    def edit(certificate, ledger):
        ledger["faces"].remove(the_filled(ledger))
        certificate["hidden"] -= 1

    modelled.edit(edit)
    assert verify(modelled.out, modelled.ledger).holds
    assert f"{face['file']}: shows 1 faces that the ledger does not list" in said(
        modelled, detector=sure_faces
    )


def test_a_face_that_the_ledger_calls_doubtful(modelled):
    """The original is put back, listed as a doubtful detection, and counted as one."""
    face = put_back(modelled)

    def edit(certificate, ledger):
        ledger["faces"].remove(the_filled(ledger))
        ledger["ignored"] = {face["file"]: [face["box"]]}
        certificate["hidden"] -= 1
        certificate["doubtful"] = 1

    modelled.edit(edit)
    assert verify(modelled.out, modelled.ledger).holds
    found = said(modelled, detector=sure_faces)
    assert f"{face['file']}: shows 1 faces that the ledger does not list" in found


def test_a_box_around_two_people_excuses_one(modelled):
    """The original is put back and its entry deleted; a neighbour's box is drawn around both."""
    hidden = put_back(modelled)

    def edit(certificate, ledger):
        ledger["faces"].remove(the_filled(ledger))
        certificate["hidden"] -= 1
        beside = next(f for f in ledger["faces"] if f["file"] == hidden["file"])
        a, b, _, d = beside["box"]
        beside["box"] = [(a + beside["box"][2]) / 2, b, hidden["box"][2], d]

    modelled.edit(edit)
    found = said(modelled, detector=sure_faces)
    assert f"{hidden['file']}: shows 1 faces that the ledger does not list" in found


def test_doubtful_detections_are_counted(modelled):
    """Whoever lists the face as doubtful must say so in the certificate."""

    def edit(certificate, ledger):
        face = the_filled(ledger)
        ledger["ignored"] = {face["file"]: [face["box"]]}

    modelled.edit(edit)
    assert "says doubtful=0, the ledger's faces give 1" in said(modelled)


@pytest.mark.parametrize("size", [24, 60, 150])
@pytest.mark.parametrize("noise", [0, 12])
def test_a_fill_is_told_from_a_face(size, noise):
    """Stripes behind a head, and in its place a fill, or a face of two eyes and a mouth."""
    rng = np.random.default_rng(size)
    y, x = np.indices((400, 400))
    photo = 120 + 60 * np.sin(x / 60) + 30 * np.cos(y / 90)
    photo = np.repeat(photo[..., None], 3, axis=2) + rng.normal(0, noise, (400, 400, 1))
    photo = np.clip(photo, 0, 255).astype(np.uint8)
    box = (200 - size / 2, 200 - size / 2, 200 + size / 2, 200 + size / 2)
    hidden = hide(photo, box, "fill", 3)
    face = Face("a", box, None, None, None, None, hidden)
    assert detail(photo, face) < most_detail(face)
    for dx, dy in ((-0.2, -0.15), (0.2, -0.15), (0, 0.25)):
        spot = np.hypot(x - 200 - dx * size, (y - 200 - dy * size) * 1.5) < 0.11 * size
        photo[spot] = 20
    assert detail(photo, face) > most_detail(face)


def test_an_oval_that_is_all_of_a_photo():
    photo = np.full((20, 20, 3), 200, np.uint8)
    face = Face("a", (0.0, 0.0, 20.0, 20.0), None, None, None, None, (0, 0, 20, 20))
    assert detail(photo, face) < 1e-3


def test_an_oval_larger_than_any_photo_is_told_of():
    """A ledger may list anything; it was a crash of OpenCV."""
    photo = np.random.default_rng(0).integers(0, 255, (60, 60, 3)).astype(np.uint8)
    face = Face("a", (-1e6, -1e6, 1e6, 1e6), None, None, None, None, (0, 0, 60, 60))
    assert np.isfinite(detail(photo, face))
