"""A finished photo is turned to look for heads that lie, unless the photo showed that none does."""

import cv2
import numpy as np
import pytest

from ksame.datasets import demo_people
from ksame.files import sha256_of
from ksame.release.find import FOUND, KNOWN, Search, find_one
from ksame.release.last_look import look_again
from ksame.release.upright import is_upright
from ksame.store import Store
from ksame.vision import detect

SIDE = 240  # px of the smaller picture


def photo(turn=None):
    """Somebody upright, and beside it a wall or somebody whose head is turned by quarters."""
    people = demo_people()
    rgb = np.full((2 * SIDE, 4 * SIDE, 3), 128, np.uint8)
    rgb[:, : 2 * SIDE] = cv2.resize(people.image(0), (2 * SIDE, 2 * SIDE))
    if turn is not None:
        small = cv2.resize(people.image(1), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        rgb[SIDE // 2 : -SIDE // 2, -SIDE:] = np.rot90(small, turn)
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
    return is_upright(store, FOUND, picture.key)


@pytest.mark.parametrize(("turn", "upright"), [(None, True), (3, False)])
def test_the_first_look_tells_whether_anybody_lies(tmp_path, turn, upright):
    assert told(tmp_path, photo(turn)) is upright


def test_a_photo_whose_faces_a_ledger_lists_was_not_searched(tmp_path):
    assert not told(tmp_path, photo(), faces=[])


@pytest.mark.parametrize("lying", [True, False])
def test_the_last_look_turns_what_may_show_somebody_who_lies(monkeypatch, lying):
    asked = []
    monkeypatch.setattr(detect, "lying_faces", lambda *_: asked.append(True) or [])
    look_again(photo(), [], lying=lying)
    assert asked == [True] * lying
