"""The verifier reads a clip's file to its last byte, and compares its stream with the ledger."""

import copy
import random
import struct

import pytest

from ksame.media.clips import read_facts
from ksame.verification.mp4 import mp4_extras
from ksame.verification.streams import check_stream
from made_clips import QUARTER_TURN, Recipe, make_clip, released


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A released clip, and what a ledger says of it."""
    folder = tmp_path_factory.mktemp("clips")
    recipe = Recipe(
        times=(40, 80, 81, 200, 260), matrix=QUARTER_TURN, colour=(2, 1, 1, 1), audio="aac"
    )
    source = make_clip(folder / "source.mp4", recipe)
    facts = read_facts(source)
    out = released(source, facts, folder / "out.mp4")
    return out, {"facts": facts.as_json(), "audio": "drop"}


@pytest.mark.parametrize("codec", ["h264", "hevc"])
@pytest.mark.parametrize("audio", ["drop", "keep", "mask"])
@pytest.mark.parametrize("pixels", ["yuv420p", "yuv444p10le"])
def test_nothing_is_wrong_with_what_is_released(codec, audio, pixels, tmp_path):
    source = make_clip(tmp_path / "source.mp4", Recipe(frames=30, audio="aac", pixels=pixels))
    facts = read_facts(source)
    out = released(source, facts, tmp_path / "out.mp4", codec=codec, audio=audio)
    assert mp4_extras(out) == []
    assert list(check_stream(out, {"facts": facts.as_json(), "audio": audio})) == []


def box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(body), kind) + body


def after(data: bytes, kind: bytes, offset: int, new: bytes) -> bytes:
    """The data with bytes replaced at an offset into the content of the first box of a kind."""
    at = data.index(kind) + 4 + offset
    return data[:at] + new + data[at + len(new) :]


def renamed(data: bytes, old: bytes, new: bytes) -> bytes:
    return data.replace(old, new, 1)


FORGERIES = {
    "a box uuid": lambda data: data + box(b"uuid", b"Anna" * 8),
    "a box udta": lambda data: renamed(data, b"\x3dfree", b"\x3dudta"),
    "a box meta": lambda data: renamed(data, b"edts", b"meta"),
    "bytes in free space": lambda data: data + box(b"free", b"Anna"),
    "a date": lambda data: after(data, b"mvhd", 4, b"\xde\xad\xbe\xef"),
    "a language": lambda data: after(data, b"mdhd", 20, b"\x15\xc7"),
    "the name of a handler": lambda data: after(data, b"hdlr", 24, b"A"),
    "the name of an encoder": lambda data: after(data, b"avc1\0", 43, b"Lavc"),
    "a reference to another file": lambda data: after(data, b"url ", 3, b"\x00"),
    "bytes between the pictures": lambda data: data + box(b"mdat", b"Anna"),
    "a second index": lambda data: data + box(b"moov", b""),
    "a brand of file": lambda data: after(data, b"ftyp", 0, b"Anna"),
    "a broken box": lambda data: data[:-20],
    "messages between coded pictures": lambda data: _with_a_message(data),
    "a stream that is neither pictures nor sound": lambda data: renamed(data, b"vide", b"text"),
}


def _with_a_message(data: bytes) -> bytes:
    """The kind of the first coded unit changed to supplemental information."""
    at = data.index(b"mdat") + 4 + 4
    return data[:at] + b"\x06" + data[at + 1 :]


@pytest.mark.parametrize("what", FORGERIES)
def test_what_does_not_belong_into_a_clip_is_named(what, clip, tmp_path):
    genuine = clip[0].read_bytes()
    forged = FORGERIES[what](genuine)
    assert forged != genuine
    path = tmp_path / "forged.mp4"
    path.write_bytes(forged)
    assert what in mp4_extras(path)


def test_a_clip_of_another_writer_is_refused(tmp_path):
    source = make_clip(tmp_path / "source.mp4", Recipe(metadata={"title": "Anna"}))
    assert mp4_extras(source)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_clip_is_a_finding(share, clip, tmp_path):
    data = clip[0].read_bytes()
    path = tmp_path / "cut.mp4"
    path.write_bytes(data[: int(share * len(data))])
    assert mp4_extras(path)
    assert list(check_stream(path, clip[1]))


CHANGED = {
    "width": 66,
    "height": 46,
    "frames": 6,
    "duration": 1,
    "matrix": None,
    "time_base": [1, 90000],
    "timestamps": {"first": 40, "steps": [[16, 5]]},
    "aspect": [4, 3],
    "pixel_format": "yuv420p10le",
    "colour": [1, 1, 1, 1],
}


def test_the_stream_is_that_of_the_ledger(clip):
    assert list(check_stream(*clip)) == []


@pytest.mark.parametrize("name", CHANGED)
def test_another_fact_is_a_finding(name, clip):
    told = copy.deepcopy(clip[1])
    told["facts"][name] = CHANGED[name]
    assert list(check_stream(clip[0], told))


@pytest.mark.parametrize("wrong", [None, "x", -1, [], {}, [1], {"first": 0, "steps": [[0, 9]]}])
@pytest.mark.parametrize("name", ["timestamps", "time_base", "frames", "width"])
def test_malformed_facts_are_findings(name, wrong, clip):
    told = copy.deepcopy(clip[1])
    told["facts"][name] = wrong
    assert list(check_stream(clip[0], told))


def test_sound_that_is_not_listed_is_a_finding(tmp_path):
    source = make_clip(tmp_path / "source.mp4", Recipe(audio="aac"))
    facts = read_facts(source)
    out = released(source, facts, tmp_path / "out.mp4", audio="keep")
    told = {"facts": facts.as_json(), "audio": "drop"}
    assert "has sound that the ledger does not list" in list(check_stream(out, told))


def test_broken_bytes_never_end_the_check(clip, tmp_path):
    """The head of the file, where the index is, with bytes changed at random."""
    data, chance = clip[0].read_bytes(), random.Random(0)
    path = tmp_path / "broken.mp4"
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            broken[chance.randrange(1200)] = chance.randrange(256)
        path.write_bytes(broken)
        assert isinstance(mp4_extras(path), list)
        list(check_stream(path, clip[1]))
