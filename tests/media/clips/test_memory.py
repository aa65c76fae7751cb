"""Memory does not grow with the length of a clip."""

import psutil
import pytest

from ksame.media.clips import read_facts
from made_clips import Recipe, make_clip, released


@pytest.mark.slow
def test_a_long_clip_takes_no_more_memory_than_a_short_one(tmp_path):
    size = {"width": 320, "height": 240}
    short = make_clip(tmp_path / "short.mp4", Recipe(frames=100, audio="aac", **size))
    long = make_clip(tmp_path / "long.mp4", Recipe(frames=1200, audio="aac", **size))
    released(short, read_facts(short), tmp_path / "a.mp4", change=lambda rgb: rgb // 2)
    before = psutil.Process().memory_info().rss
    facts = read_facts(long)
    released(long, facts, tmp_path / "b.mp4", change=lambda rgb: rgb // 2, audio="mask")
    grown = psutil.Process().memory_info().rss - before
    # all pictures of the clip have 276 million bytes
    assert facts.frames == 1200
    assert grown < 60e6
