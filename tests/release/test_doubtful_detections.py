"""Detections that other models take for no face: left alone, listed, counted, and nobody else's."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from ksame.datasets.demo_people import demo_people
from ksame.faces import Face
from ksame.files import sha256_of
from ksame.release import Plan, run
from ksame.release.last_look import sure_faces
from ksame.release.styles import model as style
from ksame.verification import verify
from ksame.vision.yunet import YuNet


@pytest.fixture
def pairs(tmp_path):
    """Photos of six people, each with a larger stranger to the left."""
    demo = demo_people()
    for n in range(6):
        near, far = (Image.fromarray(demo.image(row)) for row in (3 * (n + 6), 3 * n))
        photo = Image.new("RGB", (near.width * 2, near.height), "white")
        photo.paste(near, (0, 0))
        photo.paste(far.resize((far.width * 3 // 4,) * 2), (near.width + 40, 40))
        folder = tmp_path / "album" / demo.persons[3 * n]
        folder.mkdir(parents=True)
        photo.save(folder / "a.png")
    return tmp_path / "album"


@pytest.fixture
def doubtful(monkeypatch):
    """A detector that is hardly sure of anything."""
    real = YuNet.detect

    def unsure(self, rgb, min_score):
        found = real(self, rgb, min_score)
        found = replace(found, score=np.minimum(found.score, 0.7))
        return found[np.flatnonzero(found.score >= min_score)]

    monkeypatch.setattr(YuNet, "detect", unsure)


@pytest.fixture
def blind(monkeypatch):
    """At first the large face, found first, is taken for none."""
    real = style.find_pose

    def wrong(rgb, face):
        return (None, False) if face.box[0] < rgb.shape[1] / 2 else real(rgb, face)

    monkeypatch.setattr(style, "find_pose", wrong)


@pytest.fixture
def release(pairs, tmp_path):
    """Makes the release, once everything is patched."""
    return lambda: run(Plan(pairs, tmp_path / "out", k=3, persons="folder", seed=3, jobs=1))


def test_a_face_that_was_doubted_and_is_plain_in_the_file_is_hidden(release, blind):
    """The verifier's detector would find it, and nobody takes it for a lamp."""
    released = release()
    ledger = json.loads(released.ledger.read_text(encoding="utf-8"))
    assert not any(ledger["ignored"].values())
    assert sum(face["hidden"] is not None for face in ledger["faces"]) == 6
    assert verify(released.out, released.ledger, detector=sure_faces).findings == ()


def test_what_is_left_alone_is_listed_and_counted(release, blind, doubtful):
    released = release()
    ledger = json.loads(released.ledger.read_text(encoding="utf-8"))
    assert set(ledger["ignored"]) == set(released.certificate["files"])
    assert released.certificate["doubtful"] == 6
    assert len(ledger["faces"]) == 6
    assert verify(released.out, released.ledger, detector=sure_faces).findings == ()


def test_the_others_keep_their_own_embeddings(pairs, monkeypatch):
    """A face's number is its place among those that are kept, not among all detections."""
    from ksame.media import read_photo
    from ksame.release.find import Search, _look
    from ksame.vision import embed_sface

    monkeypatch.setattr(
        style, "find_pose", lambda rgb, face: (None, bool(face.box[0] > rgb.shape[1] / 2))
    )
    path = sorted(pairs.rglob("a.png"))[0]
    picture, arrays = _look(Search(path, None, "model", 10**8, True), sha256_of(path), "key", None)
    assert len(picture.faces) == 1
    rgb = read_photo(path).rgb
    own = embed_sface(rgb, next(iter(picture.faces)))
    assert np.allclose(arrays["0/sface"], own)


def test_landmarks_beside_their_face_are_not_taken(monkeypatch):
    """The landmark model reads the neighbour: the five points of the detector serve."""
    from ksame import vision
    from ksame.vision import find_faces, second_look

    rgb = demo_people().image(0)
    face = next(iter(find_faces(rgb)))
    found = vision.find_landmarks(rgb, face)
    astray = type(found)(found.points + 2 * face.size, found.depth, found.score)
    monkeypatch.setattr(vision, "find_landmarks", lambda *_, **__: astray)
    monkeypatch.setattr(second_look, "find_landmarks_again", lambda *_, **__: astray)
    marks, is_face = style.find_pose(rgb, Face(face.box, 0.9, face.points))
    assert is_face
    assert marks is not None
    assert np.abs(marks.points.mean(axis=0) - found.points.mean(axis=0)).max() < 0.2 * face.size
