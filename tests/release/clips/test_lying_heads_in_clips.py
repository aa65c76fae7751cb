"""Somebody who lies beside somebody upright is a track from the first frame to the last."""

import cv2
import numpy as np
from filming import FRAMES, film, photos_by_person

from ksame.media.clips import Segment, read_facts, read_frames
from ksame.release.clips import searching
from ksame.release.clips.gathering import load_rows, tracks_of
from ksame.release.clips.searching import SegmentSearch, search_segment
from ksame.store import Store
from ksame.vision import find_faces

WHO, TURNS, AROUND = 7, 3, 200  # quarters; px of plain ground around the head that lies
FAINT = 0.3  # what is less sure begins no track, whoever else sees it


def test_somebody_who_lies_beside_somebody_upright_is_followed(tmp_path, monkeypatch):
    people = photos_by_person()
    turned = np.ascontiguousarray(np.rot90(cv2.imread(str(people[WHO][0])), TURNS))
    sides = (AROUND,) * 4
    ground = cv2.copyMakeBorder(turned, *sides, cv2.BORDER_CONSTANT, value=(128,) * 3)
    cv2.imwrite(str(tmp_path / "lying.png"), ground)
    clip = film(tmp_path / "clip.mp4", people[0][0], tmp_path / "lying.png")
    facts = read_facts(clip)
    for rgb in read_frames(clip, facts, Segment(0, FRAMES)):
        assert len(find_faces(rgb, FAINT, turned=False)) == 1, "else this tells nothing"
    monkeypatch.setattr(searching, "load_facts", lambda store, key: facts)
    store = Store(tmp_path)
    search_segment(SegmentSearch(clip, store, "clip", "key", 0, FRAMES))
    tracks = tracks_of(load_rows(store, ["key"]), facts)
    assert [(track.first, track.stop) for track in tracks] == [(0, FRAMES)] * 2
