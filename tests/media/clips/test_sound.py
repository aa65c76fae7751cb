"""Audio: dropped unless asked for, kept bit by bit, or changed."""

from itertools import pairwise

import av
import numpy as np
import pytest

from ksame.errors import InputError
from ksame.media.clips import audio_notes, join, read_facts
from ksame.media.clips.voices import VoiceChanger, move_resonances
from made_clips import Recipe, make_clip, released


def packets(path):
    with av.open(str(path)) as container:
        return [
            (float(packet.pts * packet.time_base), bytes(packet))
            for packet in container.demux(container.streams.audio[0])
            if packet.size
        ]


def sound(path):
    with av.open(str(path)) as container:
        return np.concatenate([f.to_ndarray()[0] for f in container.decode(audio=0)])


@pytest.mark.parametrize(("suffix", "codec"), [("mp4", "aac"), ("mkv", "libmp3lame")])
def test_kept_audio_is_the_same_bit_by_bit(suffix, codec, tmp_path):
    source = make_clip(tmp_path / f"clip.{suffix}", Recipe(frames=50, audio=codec))
    out = released(source, read_facts(source), tmp_path / "out.mp4", audio="keep")
    before, after = packets(source), packets(out)
    assert [data for _, data in before] == [data for _, data in after]
    assert np.allclose([t for t, _ in before], [t for t, _ in after], atol=0.0015)


def test_kept_audio_does_not_move_the_pictures(tmp_path):
    source = make_clip(tmp_path / "clip.mp4", Recipe(frames=50, audio="aac"))
    facts = read_facts(source)
    for audio in ("keep", "mask"):
        out = released(source, facts, tmp_path / f"{audio}.mp4", audio=audio)
        assert read_facts(out).as_json() == facts.as_json()


def test_audio_that_an_mp4_cannot_hold_is_dropped_and_said(tmp_path):
    source = make_clip(tmp_path / "clip.wmv", Recipe(codec="wmv2", audio="wmav2", frames=30))
    facts = read_facts(source)
    assert "wmav2 was dropped" in audio_notes(facts, "keep")[0]
    out = released(source, facts, tmp_path / "out.mp4", audio="keep")
    assert not read_facts(out).audio
    masked = released(source, facts, tmp_path / "masked.mp4", audio="mask")
    assert read_facts(masked).audio[0].codec == "aac"


def test_what_happened_to_the_audio_is_said(tmp_path):
    silent = read_facts(make_clip(tmp_path / "a.mp4"))
    assert audio_notes(silent, "keep") == ()
    spoken = read_facts(make_clip(tmp_path / "b.mp4", Recipe(audio="aac")))
    assert audio_notes(spoken, "drop") == ("the audio was dropped.",)
    assert "nothing is claimed" in audio_notes(spoken, "mask")[0]


def test_masked_audio_is_as_long_and_another_sound(tmp_path):
    source = make_clip(tmp_path / "clip.mp4", Recipe(frames=50, audio="aac"))
    out = released(source, read_facts(source), tmp_path / "out.mp4", audio="mask")
    before, after = sound(source), sound(out)
    assert abs(len(before) - len(after)) <= 2048
    size = min(len(before), len(after))
    spectra = [np.abs(np.fft.rfft(s[4000 : size - 4000])) for s in (before, after)]
    assert np.corrcoef(*spectra)[0, 1] < 0.9
    assert 0.5 < np.std(after) / np.std(before) < 2


def test_wrong_ways_are_refused(tmp_path):
    facts = read_facts(make_clip(tmp_path / "a.mp4"))
    with pytest.raises(InputError, match="Take one of drop, keep, mask"):
        join([], facts, tmp_path / "out.mp4", audio="loud")
    with pytest.raises(InputError, match="needs the clip"):
        join([], facts, tmp_path / "out.mp4", audio="keep")


@pytest.mark.parametrize("pieces", [[16000], [7, 1000, 1, 14992], [333] * 40])
def test_a_coefficient_of_one_changes_nothing(pieces):
    voice = np.random.default_rng(0).normal(0, 0.1, sum(pieces))
    changer = VoiceChanger(16000, coefficient=1.0)
    edges = np.cumsum([0, *pieces])
    made = [changer.change(voice[a:b]) for a, b in pairwise(edges)]
    result = np.concatenate([*made, changer.finish()])
    assert len(result) == len(voice)
    assert np.allclose(result, voice, atol=1e-8)


def test_a_resonance_moves_to_the_angle_that_the_power_says():
    rate, tone = 16000, 2000.0
    seconds = np.arange(640) / rate
    piece = np.sin(2 * np.pi * tone * seconds) * np.hanning(640)
    moved = move_resonances(piece + 1e-4 * np.random.default_rng(0).normal(size=640), 0.8)
    angle = (2 * np.pi * tone / rate) ** 0.8
    predictor = np.abs(np.fft.rfft(moved, 16384))
    peaks = np.abs(np.fft.rfft(piece, 16384)).argmax(), predictor.argmax()
    assert peaks[0] * rate / 16384 == pytest.approx(tone, rel=0.02)
    expected = angle * rate / (2 * np.pi)
    share = predictor[np.abs(np.arange(8193) * rate / 16384 - expected) < 200].sum()
    assert share > 5 * predictor.mean()


def test_silence_stays_silent():
    assert not move_resonances(np.zeros(320), 0.8).any()


def test_masked_audio_is_the_same_on_every_run(tmp_path):
    source = make_clip(tmp_path / "clip.mp4", Recipe(frames=50, audio="aac"))
    facts = read_facts(source)
    made = {
        released(source, facts, tmp_path / f"{run}.mp4", audio="mask").read_bytes()
        for run in range(3)
    }
    assert len(made) == 1
