"""A corrected ledger of a clip that is wrong, by a slip or by malice, shows nobody's face.

The oracle is none of the code's: the people do not exist, and where their faces are is known from
the scene that they were rendered from.
"""

import json

import cv2
import numpy as np
import pytest
from filming import film, frames_of, photos_by_person, plan, swayed

from ksame.datasets.demo_people import demo_people
from ksame.release import run
from ksame.verification import verify

FRAMES = 5
_SIDE = 240  # px of each picture of the clip
_SHOWN = 0.5  # of a face's pixels that are as they were: the face is shown
_AS_IT_WAS = 10  # levels of 255 that coding moves a pixel by


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Three people beside each other in one short clip."""
    folder = tmp_path_factory.mktemp("slips") / "in"
    folder.mkdir()
    film(folder / "three.mp4", *_people(), frames=FRAMES)
    return folder


@pytest.fixture(scope="module")
def first(clips, tmp_path_factory):
    """What the ledger of a release of it lists, from the left."""
    made = run(plan(clips, tmp_path_factory.mktemp("first") / "out", k=2))
    book = json.loads(made.ledger.read_text())
    book["faces"].sort(key=lambda face: face["box"][0])
    assert len(book["faces"]) == 3
    return book


def _people():
    return [photos[0] for photos in photos_by_person()[:3]]


def _again(clips, book, folder):
    corrected = folder / "corrected.json"
    corrected.write_text(json.dumps(book))
    return run(plan(clips, folder / "out", k=2, persons=str(corrected)))


def _shown(release, clips) -> list[float]:
    """The largest share of each one's face that is as it was in any frame, from the left."""
    demo, most = demo_people(), [0.0] * 3
    released = next(release.out.glob("*.mp4"), None)
    if released is None:  # withheld
        return most
    pairs = zip(frames_of(clips / "three.mp4"), frames_of(released), strict=True)
    for number, (before, after) in enumerate(pairs):
        same = np.abs(before.astype(int) - after).max(axis=2) <= _AS_IT_WAS
        for i, path in enumerate(_people()):
            at = [str(p) for p in demo.paths].index(str(path))
            high, wide = demo.image(at).shape[:2]
            inner = demo.points[at][17:] * [_SIDE / wide, _SIDE / high] + [i * _SIDE, 0]
            inner = inner + swayed(number)[:, 2]
            mask = np.zeros(same.shape, np.uint8)
            cv2.fillConvexPoly(mask, cv2.convexHull(inner.round().astype(np.int32)), 1)
            most[i] = max(most[i], float(same[mask > 0].mean()))
    return most


def _drawn(face, box):
    """A face of a ledger as a person draws it: over all frames, at one place."""
    own = [round(float(value), 2) for value in box]
    marks = [[0.0, *own], [FRAMES - 1.0, *own]]
    return {**face, "box": own, "drawn": True, "marks": marks}


def test_the_ledger_as_it_was_shows_nobody(clips, first, tmp_path):
    assert max(_shown(_again(clips, first, tmp_path), clips)) < _SHOWN


def test_a_track_moved_to_what_models_took_for_no_face(clips, first, tmp_path):
    """Its own models take it for one: their word counts, not the ledger's."""
    gone, *others = first["faces"]
    book = {**first, "faces": others, "ignored": {gone["file"]: [gone["box"]]}}
    release = _again(clips, book, tmp_path)
    assert max(_shown(release, clips)) < _SHOWN
    assert release.certificate["doubtful"] == 0
    assert verify(release.out, release.ledger).holds


def test_a_box_around_both_excuses_nobody(clips, first, tmp_path):
    one, other, third = first["faces"]
    ends = np.array([one["box"], other["box"]])
    box = [*ends[:, :2].min(axis=0), *ends[:, 2:].max(axis=0)]
    release = _again(clips, {**first, "faces": [_drawn(one, box), third]}, tmp_path)
    assert max(_shown(release, clips)) < _SHOWN
    assert verify(release.out, release.ledger).holds


def test_consent_in_a_box_around_both_is_one_persons(clips, first, tmp_path):
    one, other, third = first["faces"]
    ends = np.array([one["box"], other["box"]])
    box = [*ends[:, :2].min(axis=0), *ends[:, 2:].max(axis=0)]
    kept = {**_drawn(one, box), "kept": True, "person": "somebody else"}
    release = _again(clips, {**first, "faces": [kept, third]}, tmp_path)
    assert sum(share > _SHOWN for share in _shown(release, clips)) <= 1


def test_a_box_beside_a_face_hides_half_of_it_and_the_rest_is_hidden_too(clips, first, tmp_path):
    one, *others = first["faces"]
    x0, y0, x1, y1 = one["box"]
    by = 0.6 * (x1 - x0)
    book = {**first, "faces": [_drawn(one, [x0 - by, y0, x1 - by, y1]), *others]}
    release = _again(clips, book, tmp_path)
    assert _shown(release, clips)[0] < 0.3
    assert verify(release.out, release.ledger).holds


def test_frames_in_which_nobodys_track_is_filled_are_counted(clips, first, tmp_path):
    """The certificate said 0 of them where no single frame was filled on top."""
    book = json.loads(json.dumps(first))
    book["faces"][0]["person"] = None
    release = _again(clips, book, tmp_path)
    assert release.certificate["hidden"] == 1
    assert release.certificate["clips"]["filled_frames"] == FRAMES
    assert max(_shown(release, clips)) < _SHOWN
