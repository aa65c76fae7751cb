"""Somebody who lies beside somebody upright is a track from the first frame to the last."""

import cv2
import numpy as np
from filming import FRAMES, film, photos_by_person

from ksame.media import read_photo
from ksame.media.clips import read_facts
from ksame.release.clips import searching
from ksame.release.clips.gathering import load_rows, tracks_of
from ksame.release.clips.searching import SegmentSearch, search_segment
from ksame.store import Store
from ksame.vision import find_faces

TURNS, AROUND = 3, 200  # quarters; px of plain ground around the head


def test_somebody_who_lies_beside_somebody_upright_is_followed(tmp_path, monkeypatch):
    upright, other = (person[0] for person in photos_by_person()[:2])
    lying = tmp_path / "lying.png"
    turned = np.ascontiguousarray(np.rot90(cv2.imread(str(other)), TURNS))
    sides = (AROUND,) * 4
    cv2.imwrite(
        str(lying), cv2.copyMakeBorder(turned, *sides, cv2.BORDER_CONSTANT, value=(128,) * 3)
    )
    both = [cv2.resize(read_photo(path).rgb, (240, 240)) for path in (upright, lying)]
    plain = find_faces(np.hstack(both), turned=False)
    assert len(plain) == 1, "else this tells nothing"
    clip = film(tmp_path / "clip.mp4", upright, lying)
    facts = read_facts(clip)
    monkeypatch.setattr(searching, "load_facts", lambda store, key: facts)
    store = Store(tmp_path)
    search_segment(SegmentSearch(clip, store, "clip", "key", 0, FRAMES))
    tracks = tracks_of(load_rows(store, ["key"]), facts)
    assert [(track.first, track.stop) for track in tracks] == [(0, FRAMES)] * 2
