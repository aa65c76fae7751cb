"""Pixels other than the certified surrogate are found though every hash and digest was mended.

What a face should look like is never asked of the code under test: the forger paints it.
"""

import hashlib
import json
import shutil

import numpy as np
import pytest

from ksame.verification import verify

DIFFERS = "a face differs from the one its group shares"


def said(forged):
    return " | ".join(map(str, verify(forged.out, forged.ledger).findings))


def a_face(forged):
    """A replaced face with the neutral look, alone in its photo."""
    _, ledger = forged.read()
    files = [face["file"] for face in ledger["faces"]]
    return next(
        face
        for face in ledger["faces"]
        if face["state"] == "neutral" and files.count(face["file"]) == 1
    )


def part_of(face, shape, x0, y0, x1, y1):
    """Which pixels of the photo lie in a box of the head frame."""
    (a, b, tx), (c, d, ty) = face["placement"]
    y, x = np.indices(shape[:2])
    u, v = a * x + b * y + tx, c * x + d * y + ty
    return (u >= x0) & (u < x1) & (v >= y0) & (v < y1)


def test_the_original_put_back(forged):
    name = a_face(forged)["file"]
    forged.repaint(name, forged.pixels(name)[1])
    assert verify(forged.out).holds, "without the ledger nobody can know"
    assert f"{name}: {DIFFERS}" in said(forged)


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_a_little_of_the_original_mixed_in(forged, share):
    name = a_face(forged)["file"]
    new, old = forged.pixels(name)
    forged.repaint(name, np.rint(new * (1 - share) + old * share).astype(np.uint8))
    assert f"{name}: {DIFFERS}" in said(forged)


def test_all_pixels_a_little_brighter(forged):
    """Three levels are seen by the mean alone: no single place differs by much."""
    name = a_face(forged)["file"]
    new, _ = forged.pixels(name)
    forged.repaint(name, np.clip(new.astype(int) + 3, 0, 255).astype(np.uint8))
    assert f"{name}: {DIFFERS}" in said(forged)


def test_one_original_eye(forged):
    """One place differs, the mean hardly does."""
    face = a_face(forged)
    name = face["file"]
    new, old = forged.pixels(name)
    eye = part_of(face, new.shape, 152, 216, 200, 248)
    new[eye] = old[eye]
    forged.repaint(name, new)
    assert f"{name}: {DIFFERS}" in said(forged)


def test_hair_that_is_not_the_surrogates(forged):
    """Above the brows everything is replaced by another colour; the face stays."""
    face = a_face(forged)
    new, old = forged.pixels(face["file"])
    hair = part_of(face, new.shape, 100, 0, 348, 140)
    new[hair] = old[hair]
    forged.repaint(face["file"], new)
    assert f"{face['file']}: {DIFFERS}" in said(forged)


def test_a_smile_that_is_told_as_a_straight_face(forged):
    """Both looks are the group's own; the ledger names the wrong one."""

    def rename(certificate, ledger):
        face = next(f for f in ledger["faces"] if f["state"] == "smile")
        face["state"] = "neutral"

    forged.edit(rename)
    assert DIFFERS in said(forged)


def test_a_look_that_nobody_described(forged):
    def rename(certificate, ledger):
        ledger["faces"][0]["state"] = "left"

    forged.edit(rename)
    assert "a face shows a look that its group does not have" in said(forged)


def test_the_head_of_another_group(forged):
    def swap(certificate, ledger):
        one, two = ledger["groups"]
        for field in ("surrogate", "pixels", "looks"):
            one[field], two[field] = two[field], one[field]
        ledger["groups"].reverse()

    forged.edit(swap)
    assert said(forged).count(DIFFERS) >= 12


def test_other_cells_with_the_certified_digest(forged):
    """Cells made to fit altered pixels do not fit the digest that was published."""

    def recolour(certificate, ledger):
        look = ledger["groups"][0]["looks"]["neutral"]
        look["colours"] = "80" * (len(look["colours"]) // 2)

    forged.edit(recolour)
    assert "its digest is not that of its looks" in said(forged)


def test_a_look_that_leaves_the_face_open(forged):
    """Cells, digest and certificate agree on a surrogate that covers nothing."""

    def shrink(certificate, ledger):
        group = ledger["groups"][0]
        for look in group["looks"].values():
            look["solid"], look["colours"] = "00" * 112, ""
        told = {"pixels": group["pixels"], "looks": group["looks"]}
        text = json.dumps(told, sort_keys=True, separators=(",", ":"))
        before, group["surrogate"] = (
            group["surrogate"],
            hashlib.sha256(text.encode()).hexdigest(),
        )
        for published in certificate["groups"]:
            if published["surrogate"] == before:
                published["surrogate"] = group["surrogate"]

    forged.edit(shrink)
    assert "leaves eyes and mouth as they were" in said(forged)


def test_a_placement_that_is_no_similarity_or_lies_elsewhere(forged):
    def stretch(certificate, ledger):
        next(f for f in ledger["faces"] if f["placement"])["placement"][0][0] *= 1.2

    forged.edit(stretch)
    assert "position, scale and rotation alone" in said(forged)

    def move(certificate, ledger):
        for face in ledger["faces"]:
            if face["placement"]:
                face["placement"][0] = [1.0, 0.0, 5000.0]
                face["placement"][1] = [0.0, 1.0, 5000.0]

    forged.edit(move)
    assert "a head does not lie where the face was" in said(forged)


def test_a_black_box_that_is_not_black(forged):
    _, ledger = forged.read()
    face = next(f for f in ledger["faces"] if f["hidden"])
    new, old = forged.pixels(face["file"])
    x0, y0, x1, y1 = face["hidden"]
    assert not new[y0:y1, x0:x1].any()
    faint = new.copy()
    faint[y0:y1, x0:x1] = old[y0:y1, x0:x1] // 12
    for changed in (old, faint):
        forged.repaint(face["file"], np.where(np.indices(new.shape)[1] > 352, changed, new))
        assert "a face that was to be blacked out is not black" in said(forged)


def test_a_black_box_beside_its_face(forged):
    def shrink(certificate, ledger):
        next(f for f in ledger["faces"] if f["hidden"])["hidden"] = [0, 0, 0, 0]

    forged.edit(shrink)
    assert "a black box does not cover its face" in said(forged)


def test_a_box_that_is_told_but_not_drawn_over_a_replaced_face(forged):
    """A box hides a head from the comparison only if it is black itself."""
    name = a_face(forged)["file"]
    forged.repaint(name, forged.pixels(name)[1])

    def hide(certificate, ledger):
        face = next(f for f in ledger["faces"] if f["file"] == name)
        face["hidden"] = [0, 0, 352, 352]

    forged.edit(hide)
    assert f"{name}: a face that was to be blacked out is not black" in said(forged)


def test_the_only_face_of_a_look(forged):
    """A single face cannot be compared with its group, but with the certified look it can."""
    certificate, ledger = forged.read()
    group = a_face(forged)["group"]
    kept = a_face(forged)["file"]
    gone = {
        f["file"]
        for f in ledger["faces"]
        if f["group"] == group and f["state"] == "neutral" and f["file"] != kept
    }
    for name in gone:
        (forged.out / name).unlink()
        certificate["files"].pop(name)
        ledger["files"].pop(name)
    ledger["faces"] = [f for f in ledger["faces"] if f["file"] not in gone]
    shutil.copyfile(ledger["files"][kept], forged.out / kept)
    forged.write(certificate, ledger)
    assert f"{kept}: {DIFFERS}" in said(forged)
