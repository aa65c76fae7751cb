"""A face of which the detector is never sure is a track where another network sees it too."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from filming import FRAMES, film, photos_by_person

from ksame.media.clips import read_facts
from ksame.release.clips import searching, watching
from ksame.release.clips.gathering import load_rows, tracks_of
from ksame.release.clips.searching import SegmentSearch, search_segment
from ksame.store import Store
from ksame.vision import faint


@pytest.fixture
def searched(tmp_path, monkeypatch):
    """Searches a clip of one face of which the detector is hardly sure; returns its tracks."""
    look = watching._at
    monkeypatch.setattr(
        watching,
        "_at",
        lambda rgb, level: (f := look(rgb, level)) and replace(f, score=np.full(len(f), 0.4)),
    )
    monkeypatch.setattr(watching, "_completed", lambda rgb, found: found)
    clip = film(tmp_path / "clip.mp4", photos_by_person()[0][0])
    facts = read_facts(clip)
    monkeypatch.setattr(searching, "load_facts", lambda store, key: facts)

    def search():
        store = Store(tmp_path)
        search_segment(SegmentSearch(clip, store, "clip", "key", 0, FRAMES))
        return tracks_of(load_rows(store, ["key"]), facts)

    return search


def test_one_frame_is_enough_for_a_track_of_all(searched):
    (track,) = searched()
    assert (track.first, track.stop, len(track.rows)) == (0, FRAMES, FRAMES)


def test_what_nobody_else_sees_is_no_track_and_is_asked_about_now_and_then(searched, monkeypatch):
    asked = []
    monkeypatch.setattr(faint, "_agreed", lambda rgb, *rest: asked.append(float(rgb.sum())))
    assert searched() == []
    assert len(asked) == len(range(0, FRAMES, searching._FAINT_APART))
    assert all(a != b for a, b in pairwise(asked))
