"""Model faces other than the ones that the ledger's numbers give are found, every digest mended.

What a face should look like is never asked of the code under test: the forger paints it.
"""

import base64
import hashlib
import json
import zlib

import cv2
import numpy as np
import pytest

from ksame.release.last_look import sure_faces
from ksame.verification import verify

DIFFERS = "a face differs from the one that its group's code and its numbers give"


def said(forged, **options):
    return " | ".join(map(str, verify(forged.out, forged.ledger, **options).findings))


def a_face(ledger):
    """A replaced face that is alone in its photo."""
    files = [face["file"] for face in ledger["faces"]]
    return next(f for f in ledger["faces"] if f["numbers"] and files.count(f["file"]) == 1)


def eye_of(face):
    """The detector's first eye, and the eyes' distance."""
    (x, y), (x2, y2) = face["points"][:2]
    return (x, y), float(np.hypot(x2 - x, y2 - y))


def change(forged, key, number, by):
    """Another number in the ledger for one face; returns its file."""
    named = []

    def edit(certificate, ledger):
        face = a_face(ledger)
        face["numbers"][key][number] += by
        named.append(face["file"])

    forged.edit(edit)
    return named[0]


def test_the_release_holds(model_release):
    verdict = verify(model_release.out, model_release.ledger, detector=sure_faces)
    assert verdict.findings == ()
    assert model_release.complete, "no photo was withheld because its verification failed"
    assert any("its group's code and its numbers" in name for name in verdict.checked)
    assert any("a detector finds no face" in name for name in verdict.checked)


def test_the_original_put_back(modelled):
    name = a_face(modelled.read()[1])["file"]
    modelled.repaint(name, modelled.pixels(name)[1])
    assert verify(modelled.out).holds, "without the ledger nobody can know"
    assert f"{name}: {DIFFERS}" in said(modelled)


def test_one_original_eye(modelled):
    face = a_face(modelled.read()[1])
    new, old = modelled.pixels(face["file"])
    (x, y), wide = eye_of(face)
    mask = np.zeros(new.shape[:2], np.uint8)
    cv2.circle(mask, (round(x), round(y)), round(0.35 * wide), 1, -1)
    new[mask > 0] = old[mask > 0]
    modelled.repaint(face["file"], new)
    assert f"{face['file']}: {DIFFERS}" in said(modelled)


def test_a_tenth_of_the_original_mixed_in(modelled):
    name = a_face(modelled.read()[1])["file"]
    new, old = modelled.pixels(name)
    modelled.repaint(name, np.rint(0.9 * new + 0.1 * old).astype(np.uint8))
    assert f"{name}: {DIFFERS}" in said(modelled)


def test_all_pixels_a_little_brighter(modelled):
    """Three levels are seen by the mean alone: no single place differs by much."""
    name = a_face(modelled.read()[1])["file"]
    new, _ = modelled.pixels(name)
    modelled.repaint(name, np.clip(new.astype(int) + 3, 0, 255).astype(np.uint8))
    assert f"{name}: {DIFFERS}" in said(modelled)


def test_a_mark_on_the_cheek(modelled):
    """One place differs by much, the mean by little."""
    face = a_face(modelled.read()[1])
    new, _ = modelled.pixels(face["file"])
    (x, y), wide = eye_of(face)
    mask = np.zeros(new.shape[:2], np.uint8)
    cv2.circle(mask, (round(x), round(y + 0.5 * wide)), round(0.1 * wide), 1, -1)
    new[mask > 0] = np.where(new[mask > 0] > 128, new[mask > 0] - 50, new[mask > 0] + 50)
    modelled.repaint(face["file"], new)
    assert f"{face['file']}: {DIFFERS}" in said(modelled)


def test_another_groups_face(modelled):
    """The codes of two groups change places, with their digests."""

    def swap(certificate, ledger):
        one, two = ledger["groups"][:2]
        one["code"], two["code"] = two["code"], one["code"]
        one["surrogate"], two["surrogate"] = two["surrogate"], one["surrogate"]

    modelled.edit(swap)
    _, ledger = modelled.read()
    name = a_face(ledger)["file"]
    assert f"{name}: {DIFFERS}" in said(modelled)


@pytest.mark.parametrize(
    ("key", "number", "by"),
    [("pose", 0, 4), ("pose", 7, 4), ("pose", 3, 6), ("light", 0, 4), ("light", 1, 8),
     ("expression", 0, 5), ("outline", 4, 9)],
)  # fmt: skip
def test_other_numbers(modelled, key, number, by):
    name = change(modelled, key, number, by)
    assert name in said(modelled)


@pytest.mark.parametrize(("key", "number"), [("pose", 7), ("light", 2), ("expression", 3)])
def test_numbers_finer_than_a_step(modelled, key, number):
    name = change(modelled, key, number, 0.25)
    assert f"{name}: {key}[{number}] of a face is no whole number of steps" in said(modelled)


@pytest.mark.parametrize(
    ("key", "number", "what"),
    [
        ("light", 0, "the light of a face is told in finer steps than it may be"),
        ("light", 7, "the light of a face is told in finer steps than it may be"),
        ("outline", 3, "the outline of a face is told in more than three numbers"),
    ],
)
def test_numbers_that_tell_more_of_a_person_than_they_may(modelled, key, number, what):
    name = change(modelled, key, number, 1)
    assert f"{name}: {what}" in said(modelled)


@pytest.mark.parametrize(
    ("key", "number", "by", "what"),
    [
        ("light", 0, 1000, "the light"),
        ("pose", 1, 500, "the turn"),
        ("expression", 1, 40, "the expression"),
        ("outline", 0, 90, "the outline"),
        ("grain", 0, 900, "the grain"),
    ],
)
def test_numbers_beyond_their_meaning(modelled, key, number, by, what):
    change(modelled, key, number, by)
    assert f"{what} of a face is out of its range" in said(modelled)


def coded(code):
    text = json.dumps(["model face", code], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda code: [9.0, *code[1:]], "out of the model's range"),
        (lambda code: code[:-1], "has not the"),
    ],
)
def test_a_code_that_the_model_does_not_have(modelled, spoil, what):
    def edit(certificate, ledger):
        group = ledger["groups"][0]
        listed = next(g for g in certificate["groups"] if g["surrogate"] == group["surrogate"])
        group["code"] = spoil(group["code"])
        group["surrogate"] = listed["surrogate"] = coded(group["code"])

    modelled.edit(edit)
    assert what in said(modelled)


def test_a_group_without_a_code(modelled):
    def edit(certificate, ledger):
        ledger["groups"][0]["code"] = []

    modelled.edit(edit)
    assert "numbers of a code" in said(modelled)


def test_another_face_model(modelled):
    def edit(certificate, ledger):
        certificate["versions"]["face_model"] = "0" * 64

    modelled.edit(edit)
    assert "names another face model" in said(modelled)


def opened(box, x0, y0, x1, y1):
    """A front that lets the photo through in a part (0 to 1) of a face's box."""
    rows = columns = 96
    kept = np.zeros((rows, columns), bool)
    kept[round(y0 * rows) : round(y1 * rows), round(x0 * columns) : round(x1 * columns)] = True
    bits = np.packbits(np.stack([kept, *np.zeros((2, *kept.shape), bool)])).tobytes()
    packed = base64.b64encode(zlib.compress(bits, 9)).decode("ascii")
    return {"size": [rows, columns], "bits": packed, "paint": [0] * 36}


def test_a_front_over_an_eye(modelled):
    """The original eye is put back, and the ledger says that it lies in front of the face."""
    face = a_face(modelled.read()[1])
    new, old = modelled.pixels(face["file"])
    (x, y), wide = eye_of(face)
    x0, y0, x1, y1 = face["numbers"]["box"]
    part = [x - 0.3 * wide, y - 0.2 * wide, x + 0.3 * wide, y + 0.2 * wide]
    a, b, c, d = (round(value) for value in part)
    new[b:d, a:c] = old[b:d, a:c]
    modelled.repaint(face["file"], new)

    def edit(certificate, ledger):
        share = [(part[i] - (x0, y0)[i % 2]) / (x1 - x0, y1 - y0)[i % 2] for i in range(4)]
        a_face(ledger)["numbers"]["front"] = opened(face["numbers"]["box"], *share)

    modelled.edit(edit)
    assert "the photo passes where brows, eyes, nose or mouth are" in said(modelled)


def test_a_front_over_half_of_the_face(modelled):
    def edit(certificate, ledger):
        numbers = a_face(ledger)["numbers"]
        numbers["front"] = opened(numbers["box"], 0.0, 0.0, 1.0, 1.0)

    modelled.edit(edit)
    assert "the photo passes" in said(modelled)


def test_a_front_that_is_too_fine(modelled):
    def edit(certificate, ledger):
        numbers = a_face(ledger)["numbers"]
        numbers["front"] = opened(numbers["box"], 0, 0, 0.1, 0.1) | {"size": [400, 400]}

    modelled.edit(edit)
    assert "a front has not 1 to 96 cells a side" in said(modelled)


def test_a_box_that_hides_more_than_the_face(modelled):
    """A detector's finds inside of a face's box count as listed: it must be tight."""

    def edit(certificate, ledger):
        face = a_face(ledger)
        face["numbers"]["box"][:2] = [0, 0]

    modelled.edit(edit)
    assert "a face's box is not the one around its drawing" in said(modelled)


def test_a_model_face_beside_the_face(modelled):
    def edit(certificate, ledger):
        face = a_face(ledger)
        x0, y0, x1, y1 = face["box"]
        face["box"] = [0.0, 0.0, 0.2 * (x1 - x0), 0.2 * (y1 - y0)]

    modelled.edit(edit)
    assert "a model face does not lie where the face was" in said(modelled)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda numbers: numbers.clear(),
        lambda numbers: numbers.update(pose=[35] + [0] * 8),
        lambda numbers: numbers.update(pose=[430, *numbers["pose"][1:]]),
        lambda numbers: numbers["pose"].__setitem__(7, 900_000),
        lambda numbers: numbers.update(box=[1, 1, 1, 1]),
        lambda numbers: numbers.update(box=[0, 0, 10**9, 10**9]),
        lambda numbers: numbers.update(front={"size": [4, 4], "bits": "???", "paint": [0] * 18}),
        lambda numbers: numbers.update(front=7),
        lambda numbers: numbers.update(expression=[]),
        lambda numbers: numbers.update(colour=None),
    ],
)
def test_no_numbers_make_it_fall(modelled, spoil):
    def edit(certificate, ledger):
        spoil(a_face(ledger)["numbers"])

    modelled.edit(edit)
    assert said(modelled)
