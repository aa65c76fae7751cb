"""What a clip is beside its pictures comes out as it went in."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ksame.media.clips import Segment, read_facts, read_frames, read_pairs, split
from made_clips import QUARTER_TURN, Recipe, make_clip, released

UNSTEADY = (0, 40, 41, 130, 200, 900, 940, 1000, 1003)

CASES = {
    "steady.mp4": Recipe(),
    "unsteady.mp4": Recipe(times=UNSTEADY),
    "unsteady.mkv": Recipe(times=UNSTEADY),
    "late.mkv": Recipe(times=(330, 370, 410, 450)),
    "late.mp4": Recipe(times=(330, 370, 410, 450)),
    "one.mp4": Recipe(frames=1),
    "reordered.mp4": Recipe(frames=40, coding={"bf": "3"}),
    "turned.mp4": Recipe(matrix=QUARTER_TURN),
    "odd.mp4": Recipe(width=61, height=47, pixels="yuv444p"),
    "odd.webm": Recipe(width=61, height=47, codec="libvpx-vp9"),
    "odd_height.webm": Recipe(width=62, height=47, codec="libvpx-vp9"),
    "half.mp4": Recipe(pixels="yuv422p"),
    "deep.mp4": Recipe(pixels="yuv420p10le"),
    "bt709.mp4": Recipe(colour=(1, 1, 1, 1)),
    "full.mp4": Recipe(colour=(2, 1, 1, 1)),
    "bt601.mp4": Recipe(colour=(1, 6, 6, 6)),
    "hlg.mp4": Recipe(pixels="yuv420p10le", colour=(1, 9, 18, 9)),
    "pq.mkv": Recipe(pixels="yuv420p10le", colour=(1, 9, 16, 9), codec="libx265"),
    "ntsc.mp4": Recipe(times=range(0, 12012, 1001), time_base=Fraction(1, 30000)),
    "ntsc.avi": Recipe(codec="mpeg4", times=range(12), time_base=Fraction(1001, 30000)),
    "plain.avi": Recipe(codec="mpeg4", times=range(12), time_base=Fraction(1, 25)),
    "plain.wmv": Recipe(codec="wmv2"),
    "plain.mov": Recipe(codec="prores_ks", pixels="yuv422p10le"),
    "plain.mpg": Recipe(codec="mpeg2video", times=range(12), time_base=Fraction(1, 25)),
    "plain.gif": Recipe(codec="gif", pixels="rgb8", times=range(12), time_base=Fraction(1, 25)),
    "wide.mp4": Recipe(aspect=Fraction(16, 11)),
    "rgb.mkv": Recipe(codec="ffv1", pixels="bgr0"),
    "grey.mkv": Recipe(codec="ffv1", pixels="gray"),
    "twelve.mkv": Recipe(codec="ffv1", pixels="yuv420p12le"),
    "raw.avi": Recipe(
        codec="rawvideo", pixels="yuv420p", times=range(12), time_base=Fraction(1, 25)
    ),
    "mjpeg.avi": Recipe(
        codec="mjpeg", pixels="yuvj420p", times=range(12), time_base=Fraction(1, 25)
    ),
    "sound.mp4": Recipe(audio="aac", frames=25),
}


@pytest.mark.parametrize("name", CASES)
def test_every_fact_comes_out_again(name, tmp_path):
    source = make_clip(tmp_path / name, CASES[name])
    facts = read_facts(source)
    again = read_facts(released(source, facts, tmp_path / "out.mp4"))
    assert again.as_json() == facts.as_json()
    assert again.codec == "h264"
    assert not again.audio


def test_every_fact_of_av1_comes_out_again(tmp_path):
    """The clip is a file: run by root, SVT-AV1 makes whoever encodes with it a real-time process.

    What that process starts is one too, and a browser then lets nothing else run on two processors.
    """
    source = Path(__file__).with_name("av1.mkv")
    facts = read_facts(source)
    assert (facts.codec, facts.frames, facts.width, facts.height) == ("libdav1d", 12, 64, 48)
    again = read_facts(released(source, facts, tmp_path / "out.mp4"))
    assert again.as_json() == facts.as_json()


@pytest.mark.parametrize("name", ["steady.mp4", "unsteady.mp4", "turned.mp4", "deep.mp4", "pq.mkv"])
def test_other_codecs_keep_the_facts_too(name, tmp_path):
    source = make_clip(tmp_path / name, CASES[name])
    facts = read_facts(source)
    again = read_facts(released(source, facts, tmp_path / "out.mp4", codec="hevc"))
    assert again.as_json() == facts.as_json()
    assert again.codec == "hevc"


def test_losses_are_said(tmp_path):
    deep = read_facts(make_clip(tmp_path / "deep.mkv", CASES["twelve.mkv"]))
    assert deep.notes == ("the clip has 12 bits a sample; it is released with 10.",)
    gif = read_facts(make_clip(tmp_path / "plain.gif", CASES["plain.gif"]))
    assert "laid over white" in gif.notes[0]
    assert read_facts(make_clip(tmp_path / "plain.mp4")).notes == ()


@pytest.mark.parametrize("name", ["unsteady.mp4", "unsteady.mkv", "ntsc.mp4"])
def test_times_are_those_that_were_written(name, tmp_path):
    recipe = CASES[name]
    facts = read_facts(make_clip(tmp_path / name, recipe))
    seconds = [float(t * facts.time_base) for t in facts.timestamps]
    assert seconds == pytest.approx([float(t * recipe.time_base) for t in recipe.times])


@pytest.mark.parametrize("name", ["steady.mp4", "odd.mp4", "turned.mp4", "full.mp4", "hlg.mp4"])
def test_pictures_come_out_nearly_as_they_went_in(name, tmp_path):
    source = make_clip(tmp_path / name, CASES[name])
    facts = read_facts(source)
    out = released(source, facts, tmp_path / "out.mp4")
    for before, after in zip(
        read_frames(source, facts), read_frames(out, read_facts(out)), strict=True
    ):
        assert np.abs(before.astype(int) - after).mean() < 5


def test_pictures_are_upright(tmp_path):
    facts = read_facts(make_clip(tmp_path / "turned.mp4", Recipe(matrix=QUARTER_TURN)))
    assert (facts.width, facts.height) == (64, 48)
    assert facts.upright_size == (48, 64)
    upright = next(read_frames(tmp_path / "turned.mp4", facts))
    assert upright.shape == (64, 48, 3)
    # red grows downwards in the stored picture: turned clockwise, it grows to the left
    assert upright[40, 2, 0] > upright[40, 45, 0] + 100


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("mirrored", [False, True])
def test_upright_and_stored_are_inverse(quarters, mirrored, tmp_path):
    turns = {0: (1, 0, 0, 1), 1: (0, -1, 1, 0), 2: (-1, 0, 0, -1), 3: (0, 1, -1, 0)}
    a, b, c, d = (65536 * v for v in turns[quarters])
    if mirrored:
        a, b = -a, -b
    matrix = (a, b, 0, c, d, 0, 0, 0, 1 << 30)
    facts = read_facts(make_clip(tmp_path / "clip.mp4", Recipe(frames=2, matrix=matrix)))
    # the matrix that changes nothing is the same as none
    assert facts.matrix == (None if (quarters, mirrored) == (0, False) else matrix)
    stored = np.arange(48 * 64 * 3).reshape(48, 64, 3).astype(np.uint8)
    upright = facts.upright(stored)
    assert upright.shape[:2] == facts.upright_size[::-1]
    assert (facts.stored(upright) == stored).all()
    # where ISO 14496-12 puts the pixel (x, y): (a x + c y, b x + d y), moved into the picture
    x, y = 5, 9
    shown = np.array([a * x + c * y, b * x + d * y]) // 65536
    corner = np.array([a * 63 + c * 47, b * 63 + d * 47]) // 65536
    column, row = shown - np.minimum(corner, 0)
    assert (upright[row, column] == stored[y, x]).all()


def test_segments_read_the_same_pictures_as_the_whole(tmp_path):
    recipe = Recipe(frames=120, cut=60, coding={"g": "30"})
    source = make_clip(tmp_path / "clip.mp4", recipe)
    facts = read_facts(source)
    whole = list(read_frames(source, facts))
    parts = [picture for s in split(facts) for picture in read_frames(source, facts, s)]
    assert len(split(facts)) > 1
    assert len(whole) == len(parts) == 120
    assert all((a == b).all() for a, b in zip(whole, parts, strict=True))


def test_frames_without_times_are_counted(tmp_path):
    source = make_clip(tmp_path / "clip.h264", Recipe(frames=30, coding={"bf": "0"}))
    facts = read_facts(source)
    assert facts.frames == 30
    tail = list(read_frames(source, facts, Segment(20, 30)))
    whole = list(read_frames(source, facts))
    assert all((a == b).all() for a, b in zip(tail, whole[20:], strict=True))


def test_what_is_not_changed_keeps_its_own_samples(tmp_path):
    from ksame.media.clips.colours import Converter, samples
    from ksame.media.clips.merging import merged

    source = make_clip(tmp_path / "clip.mp4", CASES["hlg.mp4"])
    facts = read_facts(source)
    frame = next(read_pairs(source, facts))
    changed = frame.rgb.copy()
    changed[7:40, 11:52] = (200, 10, 10)
    planes = merged(changed, frame.rgb, frame.planes, facts, Converter(facts))
    luma, old = samples(planes)[0], samples(frame.planes)[0]
    outside = np.ones(luma.shape, bool)
    outside[7:40, 11:52] = False
    assert (luma[outside] == old[outside]).all()
    back = Converter(facts).to_rgb(planes, planes)
    assert np.abs(back[14:32, 18:44].astype(int) - (200, 10, 10)).max() <= 6
