"""A clip's boxes, from its first byte to its last (ISO 14496-12, 14496-15).

Every box must be one that pictures, times and sound need, and every byte of the media data must
belong to a coded picture or a piece of sound. Coded pictures may hold slices and parameter sets;
the messages that encoders and cameras put between them are refused.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ksame.verification.reading import Malformed
from ksame.verification.samples import Sample, read_samples

MOST_INDEX = 1 << 28  # bytes of the index of a clip; hours of video have a few million
_INSIDE: dict[bytes, frozenset[bytes]] = {
    b"": frozenset([b"ftyp", b"moov", b"mdat", b"free"]),
    b"moov": frozenset([b"mvhd", b"trak", b"free"]),
    b"trak": frozenset([b"tkhd", b"edts", b"mdia"]),
    b"edts": frozenset([b"elst"]),
    b"mdia": frozenset([b"mdhd", b"hdlr", b"minf"]),
    b"minf": frozenset([b"vmhd", b"smhd", b"dinf", b"stbl"]),
    b"dinf": frozenset([b"dref"]),
    b"stbl": frozenset(
        [b"stsd", b"stts", b"stss", b"stsc", b"stsz", b"stco", b"co64", b"sgpd", b"sbgp"]
    ),
}
# what a description of coded pictures or of sound may hold: its set-up, colours, shape, rate
_SET_UPS = frozenset([b"avcC", b"hvcC", b"colr", b"pasp", b"btrt"])
_SOUND_SET_UPS = frozenset([b"esds", b"dOps", b"dac3", b"dec3", b"dfLa", b"alac", b"ddts", b"btrt"])
_BRANDS = frozenset([b"isom", b"iso2", b"iso4", b"iso6", b"avc1", b"hvc1", b"mp41", b"mp42"])
_PICTURES = {b"avc1": "h264", b"hvc1": "hevc", b"hev1": "hevc"}
# bytes of fields before the boxes of a description: of pictures, and of sound
_PICTURE_FIELDS, _SOUND_FIELDS = 78, 28
_UNDETERMINED = 0x55C4  # the language of nobody


@dataclass(frozen=True, slots=True)
class Box:
    """A box of the index: its kind, its bytes, and the boxes inside."""

    kind: bytes
    body: bytes = field(repr=False)
    inside: tuple["Box", ...] = field(default=(), repr=False)

    def all(self, *kinds: bytes) -> list["Box"]:
        """The boxes at a path of kinds below this one."""
        found = [self]
        for kind in kinds:
            found = [box for outer in found for box in outer.inside if box.kind == kind]
        return found


@dataclass(frozen=True, slots=True)
class Media:
    """The parts of a clip's file: its index, and where its media data lies."""

    index: Box = field(repr=False)
    data: tuple[tuple[int, int], ...]


def mp4_extras(path: Path) -> list[str]:
    """Names of what a clip holds besides pictures, times and sound; empty if there is nothing."""
    try:
        with path.open("rb") as file:
            media = _read(file)
            extras = [*_fields(media.index), *_streams(media.index)]
            return list(dict.fromkeys([*extras, *_data(file, media)]))
    except (Malformed, struct.error, IndexError) as error:
        return [str(error) if isinstance(error, Malformed) else "a broken box"]


def _read(file: BinaryIO) -> Media:
    """The top of the file; anything that is not index or data must be known and empty."""
    end = file.seek(0, 2)
    position, index, data = 0, None, []
    while position < end:
        file.seek(position)
        size, kind, head = _head(file.read(16))
        if size < head or position + size > end:
            raise Malformed("a broken box")
        if kind not in _INSIDE[b""]:
            raise Malformed(f"a box {_name(kind)}")
        if kind == b"mdat":
            data.append((position + head, position + size))
        else:
            if size > MOST_INDEX:
                raise Malformed("an index too large for a clip")
            file.seek(position + head)
            body = file.read(size - head)
            if kind == b"free" and any(body):
                raise Malformed("bytes in free space")
            if kind == b"ftyp" and not _is_plain_brand(body):
                raise Malformed("a brand of file")
            if kind == b"moov":
                if index is not None:
                    raise Malformed("a second index")
                index = Box(kind, body, tuple(_boxes(kind, body)))
        position += size
    if index is None:
        raise Malformed("no index")
    return Media(index, tuple(data))


def _is_plain_brand(body: bytes) -> bool:
    """Whether a file says of its kind nothing but well-known names."""
    names = {body[:4], *(body[at : at + 4] for at in range(8, len(body), 4))}
    return names <= _BRANDS and int.from_bytes(body[4:8], "big") in (0, 512)


def _head(first: bytes) -> tuple[int, bytes, int]:
    """Size, kind and length of the head of a box."""
    size, kind = struct.unpack(">I4s", first[:8])
    if size == 1:
        return *struct.unpack(">Q", first[8:16]), kind, 16
    return size, kind, 8


def _boxes(outer: bytes, body: bytes) -> Iterator[Box]:
    """The boxes inside one, each of a kind that belongs there."""
    position = 0
    while position < len(body):
        size, kind, head = _head(body[position : position + 16])
        if size < head or position + size > len(body):
            raise Malformed("a broken box")
        if kind not in _INSIDE[outer]:
            raise Malformed(f"a box {_name(kind)}")
        content = body[position + head : position + size]
        inside = tuple(_boxes(kind, content)) if kind in _INSIDE else ()
        if kind == b"free" and any(content):
            raise Malformed("bytes in free space")
        yield Box(kind, content, inside)
        position += size


def _fields(index: Box) -> Iterator[str]:
    """Dates, languages and names that boxes of the right kinds may still carry."""
    dated = [
        *index.all(b"mvhd"),
        *index.all(b"trak", b"tkhd"),
        *index.all(b"trak", b"mdia", b"mdhd"),
    ]
    for box in dated:
        if any(box.body[4 : 20 if box.body[0] else 12]):
            yield "a date"
    for box in index.all(b"trak", b"mdia", b"mdhd"):
        if struct.unpack(">H", box.body[-4:-2])[0] != _UNDETERMINED:
            yield "a language"
    for box in index.all(b"trak", b"mdia", b"hdlr"):
        if any(box.body[12:]):
            yield "the name of a handler"
    for box in index.all(b"trak", b"mdia", b"minf", b"dinf", b"dref"):
        # one entry, which says that the data is in this file
        if box.body != struct.pack(">IIIII", 0, 1, 12, int.from_bytes(b"url ", "big"), 1):
            yield "a reference to another file"


def _streams(index: Box) -> Iterator[str]:
    """One stream of pictures, streams of sound, and nothing else; nothing but set-ups in them."""
    pictures = 0
    for track in index.all(b"trak"):
        handler = _only(track, b"mdia", b"hdlr").body[8:12]
        described = _only(track, b"mdia", b"minf", b"stbl", b"stsd").body
        size, kind, head = _head(described[8:24])
        if struct.unpack(">I", described[4:8])[0] != 1 or size + 8 != len(described):
            yield "a second description of a stream"
        if handler == b"vide" and kind in _PICTURES:
            pictures += 1
            if any(described[8 + head + 8 : 8 + head + 24]) or any(
                described[8 + head + 42 : 8 + head + 74]
            ):
                yield "the name of an encoder"
            yield from _set_ups(described[8 + head + _PICTURE_FIELDS :], _SET_UPS)
        elif handler == b"soun":
            yield from _set_ups(described[8 + head + _SOUND_FIELDS :], _SOUND_SET_UPS)
        else:
            yield "a stream that is neither pictures nor sound"
    if pictures != 1:
        yield f"{pictures} streams of pictures"


def _set_ups(body: bytes, allowed: frozenset[bytes]) -> Iterator[str]:
    """What is wrong with the boxes inside a description."""
    position = 0
    while position < len(body):
        size, kind, head = _head(body[position : position + 16])
        if size < head or position + size > len(body):
            yield "a broken box"
            return
        if kind not in allowed:
            yield f"a box {_name(kind)}"
        position += size


def _data(file: BinaryIO, media: Media) -> Iterator[str]:
    """Every byte of the media data belongs to one sample; coded pictures hold no messages."""
    samples: list[Sample] = []
    for track in media.index.all(b"trak"):
        tables = {box.kind: box.body for box in _only(track, b"mdia", b"minf", b"stbl").inside}
        found = read_samples(tables)
        kind = tables[b"stsd"][12:16]
        samples += found
        if kind in _PICTURES:
            yield from _messages(file, found, _PICTURES[kind])
    samples.sort()
    places = iter(samples)
    for start, stop in media.data:
        while start < stop:
            sample = next(places, None)
            if sample is None or sample.start != start or sample.stop > stop:
                yield "bytes between the pictures"
                return
            start = sample.stop
    if next(places, None) is not None:
        yield "pictures outside of the media data"


def _messages(file: BinaryIO, samples: list[Sample], codec: str) -> Iterator[str]:
    """Units in coded pictures that are no slices and no parameter sets."""
    for sample in samples:
        position = sample.start
        while position < sample.stop:
            file.seek(position)
            first = file.read(5)
            if len(first) < 5:
                yield "a broken picture"
                return
            size = int.from_bytes(first[:4], "big")
            kind = first[4] & 31 if codec == "h264" else first[4] >> 1 & 63
            # slices and parameter sets: H.264 table 7-1, H.265 table 7-1
            shown = kind in (1, 5, 7, 8) if codec == "h264" else kind <= 21 or kind in (32, 33, 34)
            position += 4 + size
            if not size or position > sample.stop:
                yield "a broken picture"
                return
            if not shown:
                yield "messages between coded pictures"
                return


def _only(outer: Box, *kinds: bytes) -> Box:
    found = outer.all(*kinds)
    if len(found) != 1:
        raise Malformed(f"{len(found)} boxes {_name(kinds[-1])} of a stream")
    return found[0]


def _name(kind: bytes) -> str:
    """The kind of a box, if it can be shown."""
    return kind.decode("ascii") if kind.isalnum() else "of no known kind"
