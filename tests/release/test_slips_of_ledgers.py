"""A corrected ledger that is wrong, by a slip or by malice, shows nobody's original face.

The oracle is none of the code's: the people do not exist, and where their faces are is known from
the scene that they were rendered from.
"""

import json

import cv2
import numpy as np
import pytest
from PIL import Image

from ksame.datasets.demo_people import demo_people
from ksame.release import Plan, run
from ksame.verification import verify

K = 2
_CUT = slice(80, 270)  # columns: heads stand close to each other
_SHOWN = 0.5  # of a face's pixels that are as they were: the face is shown


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Two photos of two people each, side by side, all four different."""
    folder = tmp_path_factory.mktemp("pairs") / "album"
    folder.mkdir()
    demo = demo_people()
    for number in range(2):
        one, two = (demo.image(3 * (2 * number + i))[:, _CUT] for i in range(2))
        Image.fromarray(np.hstack([one, two])).save(folder / f"{number}.png")
    return folder


@pytest.fixture(scope="module")
def first(pairs, tmp_path_factory):
    """What the ledger of a release of them lists."""
    made = run(_plan(pairs, tmp_path_factory.mktemp("first") / "out"))
    book = json.loads(made.ledger.read_text())
    assert len(book["faces"]) == 4
    for number, face in enumerate(sorted(book["faces"], key=lambda f: (f["file"], f["box"][0]))):
        face["person"] = f"p{number}"
    return book


def _plan(photos, out, **options):
    return Plan(photos, out, k=K, seed=7, jobs=1, **options)


def _shown(release) -> list[float]:
    """The share of each face's pixels that are as they were, photo by photo, from the left."""
    demo, shares = demo_people(), []
    files = json.loads(release.ledger.read_text())["files"]
    for name, path in sorted(files.items(), key=lambda item: item[1]):
        before, after = (np.asarray(Image.open(p)) for p in (path, release.out / name))
        number, wide = int(path[-5]), before.shape[1] // 2
        for i in range(2):
            aside = np.array([i * wide - _CUT.start, 0])
            inner = demo.points[3 * (2 * number + i)][17:] + aside
            mask = np.zeros(before.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, cv2.convexHull(inner.round().astype(np.int32)), 1)
            same = (np.abs(before.astype(int) - after).max(axis=2) <= 2)[mask > 0]
            shares.append(float(same.mean()))
    return shares


def _again(pairs, book, tmp_path):
    corrected = tmp_path / "corrected.json"
    corrected.write_text(json.dumps(book))
    return run(_plan(pairs, tmp_path / "out", persons=corrected))


def _without_one(first):
    """The ledger without one of two faces of a photo, that face, and the one beside it."""
    book = json.loads(json.dumps(first))
    gone = book["faces"].pop(0)
    other = next(face for face in book["faces"] if face["file"] == gone["file"])
    return book, gone, other


def test_the_ledger_as_it_was_shows_nobody(pairs, first, tmp_path):
    assert max(_shown(_again(pairs, first, tmp_path))) < _SHOWN


def test_a_face_moved_to_what_models_took_for_no_face(pairs, first, tmp_path):
    """Its own models take it for one: their word counts, not the ledger's."""
    book, gone, _ = _without_one(first)
    book["ignored"] = {gone["file"]: [gone["box"]]}
    release = _again(pairs, book, tmp_path)
    assert max(_shown(release)) < _SHOWN
    assert release.certificate["doubtful"] == 0
    assert verify(release.out, release.ledger).holds


def test_a_box_around_the_whole_photo_excuses_nobody(pairs, first, tmp_path):
    """What counts is whether pixels were changed where a face is seen, not who lists a box."""
    book, gone, other = _without_one(first)
    ends = np.array([gone["box"], other["box"]])
    other["box"] = [*ends[:, :2].min(axis=0), *ends[:, 2:].max(axis=0)]
    release = _again(pairs, book, tmp_path)
    assert max(_shown(release), default=0.0) < _SHOWN
    assert verify(release.out, release.ledger).holds


def test_consent_in_a_box_around_both_is_one_persons(pairs, first, tmp_path):
    book, gone, other = _without_one(first)
    ends = np.array([gone["box"], other["box"]])
    other["box"] = [*ends[:, :2].min(axis=0), *ends[:, 2:].max(axis=0)]
    other |= {"drawn": True, "kept": True, "person": "somebody else"}
    release = _again(pairs, book, tmp_path)
    assert sum(share > _SHOWN for share in _shown(release)) <= 1


def test_a_box_beside_a_face_hides_half_of_it_and_the_rest_is_hidden_too(pairs, first, tmp_path):
    """The fill covers most of the box in which half a face is still found."""
    book = json.loads(json.dumps(first))
    one = max(book["faces"], key=lambda face: face["box"][0])
    x0, y0, x1, y1 = one["box"]
    one["box"] = [x0 - 90, y0, x1 - 90, y1]
    release = _again(pairs, book, tmp_path)
    assert max(_shown(release)) < 0.3
    assert verify(release.out, release.ledger).holds


@pytest.mark.parametrize("box", [(-5e4, -5e4, 5e4, 5e4), (5e4, 10, 5e4 + 90, 100)])
def test_a_box_that_is_no_place_of_its_photo_withholds_it(pairs, first, tmp_path, box):
    """A fill as large as that took minutes, and then the verifier broke."""
    book = json.loads(json.dumps(first))
    book["faces"][0] |= {"box": list(box), "person": None}
    release = _again(pairs, book, tmp_path)
    assert "off it" in release.withheld[0][1]
    assert max(_shown(release), default=0.0) < _SHOWN
