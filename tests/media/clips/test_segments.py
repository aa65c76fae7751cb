"""Segments hold every frame once, are encoded apart, and always give the same bytes."""

import hashlib

import numpy as np
import pytest

from ksame.errors import InputError, MediaError
from ksame.media.clips import (
    Segment,
    SegmentWriter,
    join,
    pack_times,
    read_facts,
    read_frames,
    read_pairs,
    split,
    unpack_times,
)
from ksame.media.clips.reading import decoded
from made_clips import Recipe, make_clip, released


@pytest.fixture(scope="module")
def long_clip(tmp_path_factory):
    recipe = Recipe(frames=500, cut=130, coding={"g": "75"})
    return make_clip(tmp_path_factory.mktemp("clips") / "clip.mp4", recipe)


def test_segments_hold_every_frame_once(long_clip):
    facts = read_facts(long_clip)
    segments = split(facts)
    assert [i for s in segments for i in range(s.start, s.stop)] == list(range(500))
    assert len(segments) > 3


def test_segments_begin_at_cuts_and_key_frames(long_clip):
    facts = read_facts(long_clip)
    assert facts.cuts == (130,)
    starts = {segment.start for segment in split(facts)}
    assert 130 in starts
    assert starts <= {0, *facts.keys, *facts.cuts}
    assert 260 in {segment.start for segment in split(facts, cuts=[260])}


def test_long_shots_without_key_frames_are_split(tmp_path):
    facts = read_facts(
        make_clip(
            tmp_path / "clip.mp4", Recipe(frames=450, coding={"g": "999", "sc_threshold": "0"})
        )
    )
    assert [len(segment) for segment in split(facts)] == [113, 113, 113, 111]


@pytest.mark.parametrize("codec", ["h264", "hevc"])
def test_the_same_bytes_on_every_run(codec, long_clip, tmp_path):
    facts = read_facts(long_clip)
    digests = set()
    # what an encoder makes of memory that it did not set shows in some runs only
    for run in range(5):
        out = released(long_clip, facts, tmp_path / f"{run}.mp4", codec=codec)
        digests.add(hashlib.sha256(out.read_bytes()).hexdigest())
    assert len(digests) == 1


def test_segments_may_be_encoded_in_any_order(long_clip, tmp_path):
    facts = read_facts(long_clip)
    expected = released(long_clip, facts, tmp_path / "forwards.mp4").read_bytes()
    segments = split(facts)
    files = [tmp_path / f"{number}.part" for number in range(len(segments))]
    for segment, file in reversed(list(zip(segments, files, strict=True))):
        with SegmentWriter(file, facts, segment) as writer:
            for frame in read_pairs(long_clip, facts, segment):
                writer.write(frame)
    join(files, facts, tmp_path / "backwards.mp4")
    assert (tmp_path / "backwards.mp4").read_bytes() == expected


def test_a_missing_frame_is_refused(long_clip, tmp_path):
    facts = read_facts(long_clip)
    segment = Segment(0, 4)
    frames = list(read_pairs(long_clip, facts, segment))
    writer = SegmentWriter(tmp_path / "a.mp4", facts, segment)
    for frame in frames[:3]:
        writer.write(frame)
    with pytest.raises(InputError, match="has 4 frames and got 3"):
        writer.close()
    writer = SegmentWriter(tmp_path / "b.mp4", facts, Segment(0, 3))
    for frame in frames[:3]:
        writer.write(frame)
    with pytest.raises(InputError, match="got one more"):
        writer.write(frames[3])


def test_joining_too_few_or_too_many_segments_is_refused(long_clip, tmp_path):
    facts = read_facts(long_clip)
    released(long_clip, facts, tmp_path / "out.mp4")
    files = sorted(tmp_path.glob("*.segment"))
    with pytest.raises(InputError, match="the clip has 500"):
        join(files[:-1], facts, tmp_path / "few.mp4")
    with pytest.raises(InputError, match="more than the clip's 500"):
        join([*files, files[0]], facts, tmp_path / "many.mp4")


def test_a_disk_without_a_place_is_said(long_clip, tmp_path):
    facts = read_facts(long_clip)
    released(long_clip, facts, tmp_path / "out.mp4")
    with pytest.raises(MediaError, match="cannot be written"):
        join(sorted(tmp_path.glob("*.segment")), facts, tmp_path / "nowhere" / "out.mp4")


def test_pictures_of_another_size_are_refused(long_clip, tmp_path):
    facts = read_facts(long_clip)
    writer = SegmentWriter(tmp_path / "a.mp4", facts, Segment(0, 1))
    with pytest.raises(InputError, match="a frame of this clip is"):
        writer.write(np.zeros((20, 20, 3), np.uint8))


def test_unknown_codecs_are_refused(long_clip, tmp_path):
    with pytest.raises(InputError, match="Take one of h264, hevc"):
        SegmentWriter(tmp_path / "a.mp4", read_facts(long_clip), Segment(0, 1), codec="theora")


@pytest.mark.parametrize("times", [[7], [0, 5], [3, 4, 5, 9, 13, 17, 18, 40]])
def test_packed_times_come_back(times):
    assert unpack_times(pack_times(np.array(times, np.int64))).tolist() == times


def test_segments_in_their_order_are_decoded_once(tmp_path, monkeypatch):
    clip = make_clip(
        tmp_path / "clip.mp4", Recipe(frames=450, coding={"g": "999", "sc_threshold": "0"})
    )
    facts = read_facts(clip)
    segments = split(facts)
    apart = [[p.copy() for p in read_frames(clip, facts, s)] for s in reversed(segments)][::-1]
    count = [0]

    def counted(*asked, **options):
        for frame in decoded(*asked, **options):
            count[0] += 1
            yield frame

    monkeypatch.setattr("ksame.media.clips.frames.decoded", counted)
    together = [list(read_frames(clip, facts, segment)) for segment in segments]
    assert count[0] == 450
    for one, other in zip(apart, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_clip_that_was_written_anew_is_opened_anew(tmp_path):
    path = tmp_path / "clip.mp4"
    facts = read_facts(make_clip(path, Recipe(frames=450, coding={"g": "999"})))
    first, second, *_ = split(facts)
    list(read_frames(path, facts, first))
    path.unlink()
    make_clip(path, Recipe(frames=second.start, coding={"g": "999"}))
    with pytest.raises(MediaError, match="frames now"):
        list(read_frames(path, facts, second))
