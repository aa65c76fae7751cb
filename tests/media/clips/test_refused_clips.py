"""Broken, truncated and empty clips: a clear reason, and no name in it."""

import av
import numpy as np
import pytest

from ksame.errors import MediaError
from ksame.media.clips import Segment, read_facts, read_frames
from made_clips import Recipe, make_clip

SECRET = "anna_schmidt"


def refused(path, match):
    with pytest.raises(MediaError, match=match) as found:
        read_facts(path)
    assert SECRET not in str(found.value)


def test_empty_and_missing_files(tmp_path):
    (tmp_path / f"{SECRET}.mp4").write_bytes(b"")
    refused(tmp_path / f"{SECRET}.mp4", "0 bytes")
    refused(tmp_path / f"{SECRET}.mov", "cannot be read")
    refused(tmp_path, "not a file")


def test_what_is_no_clip(tmp_path):
    file = tmp_path / f"{SECRET}.mp4"
    file.write_bytes(b"just some words" * 100)
    refused(file, "no format that can be read")


def test_scripts_that_name_other_files_are_not_followed(tmp_path):
    make_clip(tmp_path / "other.mp4")
    script = tmp_path / f"{SECRET}.mp4"
    script.write_text("ffconcat version 1.0\nfile other.mp4\n")
    refused(script, "no format that can be read")


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "avi", "wmv", "gif", "mov"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_truncated(suffix, share, tmp_path):
    codec = {"avi": "mpeg4", "wmv": "wmv2", "gif": "gif"}.get(suffix, "libx264")
    pixels = "rgb8" if suffix == "gif" else "yuv420p"
    # with the index in front, an mp4 can be opened without its end
    muxing = {"movflags": "faststart"} if suffix in ("mp4", "mov") else {}
    recipe = Recipe(frames=50, codec=codec, pixels=pixels, muxing=muxing)
    whole = make_clip(tmp_path / f"whole.{suffix}", recipe)
    assert read_facts(whole).frames == 50
    cut = tmp_path / f"{SECRET}.{suffix}"
    data = whole.read_bytes()
    cut.write_bytes(data[: int(len(data) * share)])
    refused(cut, "truncated")


def test_a_damaged_stream(tmp_path):
    whole = make_clip(tmp_path / "whole.mp4", Recipe(frames=50))
    data = bytearray(whole.read_bytes())
    start = data.index(b"mdat") + 400
    data[start : start + 1500] = np.random.default_rng(1).bytes(1500)
    broken = tmp_path / f"{SECRET}.mp4"
    broken.write_bytes(data)
    refused(broken, "damaged")


def test_no_video_stream(tmp_path):
    path = tmp_path / f"{SECRET}.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(
            np.zeros((2, 1024), np.float32), format="fltp", layout="stereo"
        )
        frame.sample_rate, frame.pts = 44100, 0
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    refused(path, "no video stream")


def test_frames_that_are_too_large(tmp_path):
    path = make_clip(tmp_path / "clip.mp4")
    with pytest.raises(MediaError, match="3072 pixels; at most 3000"):
        read_facts(path, max_pixels=3000)


def test_a_clip_that_shrinks_while_it_is_worked_on(tmp_path):
    path = make_clip(tmp_path / "clip.mp4", Recipe(frames=20))
    facts = read_facts(path)
    make_clip(path, Recipe(frames=10))
    with pytest.raises(MediaError, match="10 frames now and had 20"):
        list(read_frames(path, facts, Segment(0, 20)))
