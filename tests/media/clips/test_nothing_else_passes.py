"""Tags, chapters, subtitles, data, captions and messages of encoders never reach a release."""

from fractions import Fraction

import av
import pytest

from ksame.media.clips import read_facts
from ksame.media.clips.boxes import boxes
from made_clips import Recipe, make_clip, released

PLACE = "+48.8577+002.295/"
TAGS = {"title": "Annas Hochzeit", "artist": "Schmidt", "location": PLACE, "comment": "secret"}


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "mov"])
@pytest.mark.parametrize("codec", ["h264", "hevc"])
@pytest.mark.parametrize("audio", ["drop", "keep", "mask"])
def test_tags_do_not_pass(suffix, codec, audio, tmp_path):
    source = make_clip(tmp_path / f"clip.{suffix}", Recipe(frames=25, metadata=TAGS, audio="aac"))
    with av.open(str(source)) as container:
        assert container.metadata
    out = released(source, read_facts(source), tmp_path / "out.mp4", codec=codec, audio=audio)
    assert out.stat().st_mtime < 400_000_000
    data = out.read_bytes()
    for words in (*TAGS.values(), "48.85", "udta", "Handler"):
        assert words.encode() not in data
    with av.open(str(out)) as container:
        assert set(container.metadata) <= {"major_brand", "minor_version", "compatible_brands"}
        for stream in container.streams:
            assert set(stream.metadata) <= {"language", "vendor_id", "handler_name"}
            assert stream.language in (None, "und")
        assert len(container.streams) == (1 if audio == "drop" else 2)


def test_encoders_do_not_sign(tmp_path):
    source = make_clip(tmp_path / "clip.mp4", Recipe(audio="aac"))
    assert b"x264" in source.read_bytes()
    for codec in ("h264", "hevc"):
        out = released(source, read_facts(source), tmp_path / f"{codec}.mp4", codec=codec)
        for words in (b"x264", b"x265", b"Lavf", b"Lavc"):
            assert words not in out.read_bytes()
    masked = released(source, read_facts(source), tmp_path / "masked.mp4", audio="mask")
    assert b"Lavc" not in masked.read_bytes()


def test_chapters_and_subtitles_do_not_pass(tmp_path):
    source = tmp_path / "clip.mkv"
    plain = make_clip(tmp_path / "plain.mkv")
    with av.open(str(plain)) as inputs, av.open(str(source), "w") as out:
        video = out.add_stream_from_template(inputs.streams.video[0], opaque=True)
        words = out.add_mux_stream("subrip")
        chapter = {"id": 1, "start": 0, "end": 400, "time_base": Fraction(1, 1000)}
        out.set_chapters([chapter | {"metadata": {"title": "Anna arrives"}}])
        for packet in inputs.demux(inputs.streams.video[0]):
            if packet.size:
                packet.stream = video
                out.mux(packet)
        said = av.Packet(b"Anna says hello")
        said.pts = said.dts = 0
        said.duration, said.stream = 100, words
        out.mux(said)
    for words in (b"Anna says", b"Anna arrives"):
        assert words in source.read_bytes()
    result = released(source, read_facts(source), tmp_path / "out.mp4", audio="keep")
    assert b"Anna" not in result.read_bytes()
    with av.open(str(result)) as container:
        assert [stream.type for stream in container.streams] == ["video"]


def test_only_boxes_of_pictures_and_times_are_in_the_file(tmp_path):
    source = make_clip(tmp_path / "clip.mp4", Recipe(metadata=TAGS))
    out = released(source, read_facts(source), tmp_path / "out.mp4")
    with out.open("rb") as stream:
        kinds = {box.path[-1] for box in boxes(stream)}
    assert kinds <= set(
        b"ftyp moov mvhd trak tkhd edts elst mdia mdhd hdlr minf vmhd dinf dref stbl stsd stts "
        b"stss stsc stsz stco free mdat".split()
    )
