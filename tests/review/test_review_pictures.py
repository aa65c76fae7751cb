"""No picture that leaves the server is larger than the page shows, and clips are read once."""

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from ksame.review.footage import Shot
from ksame.review.pictures import CROP, FRAME, THUMBNAIL, VIEW, Pictures

LARGE = (2100, 2800)


@pytest.fixture(scope="module")
def photo(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.png"
    cv2.imwrite(str(path), np.random.default_rng(0).integers(0, 255, (*LARGE, 3), np.uint8))
    return path


def _size(data):
    return Image.open(io.BytesIO(data)).size


def test_no_picture_is_larger_than_the_page_shows(photo):
    pictures = Pictures(10**8)
    assert max(_size(pictures.view(Shot(photo)))) == VIEW < max(LARGE)
    assert max(_size(pictures.thumbnail(Shot(photo)))) == THUMBNAIL
    assert _size(pictures.crop(Shot(photo), (0, 0, 900, 900))) == (CROP, CROP)


@pytest.mark.parametrize("box", [(0, 0, 300, 300), (2600, 1900, 2790, 2090), (20, 1000, 120, 1100)])
def test_a_face_at_the_border_is_shown_without_what_lies_beyond(photo, box):
    """Noise is nowhere flat; a grey border would be."""
    crop = np.asarray(Image.open(io.BytesIO(Pictures(10**8).crop(Shot(photo), box))), float)
    edges = crop[:4], crop[-4:], crop[:, :4], crop[:, -4:]
    assert min(edge.std() for edge in edges) > 8


def test_what_is_kept_stays_within_its_bounds(photo):
    pictures = Pictures(10**8, most=100_000)
    for at in range(30):
        pictures.crop(Shot(photo), (at, at, at + 200, at + 200))
    assert sum(map(len, pictures._kept.values())) <= 100_000


def test_a_large_clip_is_shown_small_and_some_frames_are_read_at_once(tmp_path, monkeypatch):
    import ksame.media.clips as clips
    from made_clips import Recipe, make_clip

    clip = make_clip(tmp_path / "clip.mp4", Recipe(frames=30, width=1600, height=900))
    pictures = Pictures(10**8)
    facts = pictures.facts_of(clip)
    read = []
    own = clips.read_frames
    counting = lambda path, facts, part: read.append(part) or own(path, facts, part)  # noqa: E731
    monkeypatch.setattr(clips, "read_frames", counting, raising=False)
    shown = [pictures.view(Shot(clip, facts, frame)) for frame in range(12)]
    assert {max(_size(data)) for data in shown} == {FRAME}
    assert len(set(shown)) == 12
    assert [(one.start, one.stop) for one in read] == [(0, 12)]
    assert max(_size(pictures.view(Shot(clip, facts, 29)))) == FRAME
    assert [(one.start, one.stop) for one in read[1:]] == [(24, 30)]
