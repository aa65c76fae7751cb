"""Where the coded pictures and pieces of sound of a stream lie, from an mp4's tables."""

import struct
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from ksame.verification.reading import Malformed

MOST_SAMPLES = 10_000_000  # of a stream: more is no clip


class Sample(NamedTuple):
    """The bytes of one coded picture or piece of sound."""

    start: int
    stop: int


def read_samples(tables: Mapping[bytes, bytes]) -> list[Sample]:
    """All samples of a stream, in order (ISO 14496-12, sections 8.7.3 to 8.7.5).

    Raises
    ------
    Malformed
        The tables do not agree.
    """
    sizes = _sizes(tables.get(b"stsz", b""))
    offsets = _offsets(tables)
    samples: list[Sample] = []
    for offset, count in zip(
        offsets, _per_chunk(tables.get(b"stsc", b""), len(offsets)), strict=True
    ):
        for size in sizes[len(samples) : len(samples) + count]:
            samples.append(Sample(offset, offset + size))
            offset += size
    if len(samples) != len(sizes):
        raise Malformed("an index that does not fit its pictures")
    return samples


def _sizes(table: bytes) -> tuple[int, ...]:
    """How long every sample is."""
    if len(table) < 12:
        raise Malformed("no sizes of pictures")
    common, count = struct.unpack(">II", table[4:12])
    if count > MOST_SAMPLES:
        raise Malformed("more pictures than a clip can have")
    if common:
        return (int(common),) * int(count)
    if len(table) != 12 + 4 * count:
        raise Malformed("a broken box")
    return tuple(int(size) for size in struct.unpack(f">{count}I", table[12:]))


def _offsets(tables: Mapping[bytes, bytes]) -> tuple[int, ...]:
    """Where every chunk of samples begins."""
    form, table = ("I", tables[b"stco"]) if b"stco" in tables else ("Q", tables.get(b"co64", b""))
    if len(table) < 8:
        raise Malformed("no places of pictures")
    (count,) = struct.unpack(">I", table[4:8])
    if len(table) != 8 + struct.calcsize(form) * count:
        raise Malformed("a broken box")
    return tuple(int(place) for place in struct.unpack(f">{count}{form}", table[8:]))


def _per_chunk(table: bytes, chunks: int) -> list[int]:
    """How many samples every chunk has."""
    if len(table) < 8:
        raise Malformed("no chunks of pictures")
    (count,) = struct.unpack(">I", table[4:8])
    if len(table) != 8 + 12 * count:
        raise Malformed("a broken box")
    runs = [struct.unpack(">III", table[8 + 12 * i : 20 + 12 * i]) for i in range(count)]
    firsts = [first for first, _, _ in runs] + [chunks + 1]
    found: list[int] = []
    for (first, after), (_, samples, _) in zip(pairwise(firsts), runs, strict=True):
        if not 0 < first <= after <= chunks + 1:
            raise Malformed("an index that does not fit its pictures")
        found += [samples] * (after - first)
    if len(found) != chunks:
        raise Malformed("an index that does not fit its pictures")
    return found
