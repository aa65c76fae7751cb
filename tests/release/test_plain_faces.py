"""Finished photos are searched for lying and veiled faces, unless all were plain to see before."""

import cv2
import numpy as np
import pytest

from ksame.datasets import demo_people
from ksame.files import sha256_of
from ksame.release.find import FOUND, KNOWN, Search, find_one
from ksame.release.last_look import look_again
from ksame.release.plain_faces import only_plain_faces
from ksame.store import Store
from ksame.vision import detect

SIDE = 240  # px of the smaller picture


def photo(turn=None, light=1.0):
    """Somebody upright, and beside it a wall, or somebody turned by quarters or in the dark."""
    people = demo_people()
    rgb = np.full((2 * SIDE, 4 * SIDE, 3), 128, np.uint8)
    rgb[:, : 2 * SIDE] = cv2.resize(people.image(0), (2 * SIDE, 2 * SIDE))
    if turn is not None:
        small = cv2.resize(people.image(1), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        rgb[SIDE // 2 : -SIDE // 2, -SIDE:] = np.rot90(small, turn) * light
    return rgb


def told(folder, rgb, faces=None):
    """What the first look at a photo tells, with a ledger's faces if there are any."""
    path, store = folder / "photo.png", Store(folder / "store")
    store.root.mkdir()
    cv2.imwrite(str(path), rgb[..., ::-1])
    known = None
    if faces is not None:
        known = "ledger"
        store.save(KNOWN, known, {}, {sha256_of(path): {"faces": faces}})
    picture = find_one(Search(path, store, "model", 10**8, True, known=known))
    return only_plain_faces(store, FOUND, picture.key)


@pytest.mark.parametrize(
    ("turn", "light", "plain"), [(None, 1.0, True), (3, 1.0, False), (0, 0.04, False)]
)
def test_the_first_look_tells_whether_all_faces_are_plain(tmp_path, turn, light, plain):
    assert told(tmp_path, photo(turn, light)) is plain


def test_a_photo_whose_faces_a_ledger_lists_was_not_searched(tmp_path):
    assert not told(tmp_path, photo(), faces=[])


@pytest.mark.parametrize("only_plain", [True, False])
@pytest.mark.parametrize("look", ["lying_faces", "veiled_faces"])
def test_the_last_look_searches_what_was_not_plain(monkeypatch, look, only_plain):
    asked = []
    monkeypatch.setattr(detect, look, lambda *_: asked.append(True) or [])
    look_again(photo(), [], only_plain=only_plain)
    assert asked == [True] * (not only_plain)
