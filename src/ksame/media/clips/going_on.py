"""A decoder that goes on: the next segment of a clip seldom begins at a key frame.

Whoever reads segment after segment would decode the frames from the last key frame again for each
of them, 2.5 times as many as there are where a clip of four segments has one key frame. So the
decoder of the segment that was read last is kept, one in each process, and closed with the clip.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from av.video.frame import VideoFrame

from ksame.media.clips.segments import Segment

File = tuple[str, int, int, int]


@dataclass
class Going:
    """The frames of a clip from ``number`` on, as they are decoded."""

    path: str | os.PathLike[str] = field(repr=False)
    stream: int
    number: int
    frames: Iterator[VideoFrame] = field(repr=False)
    file: File | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.file = _file(self.path)

    def until(self, wanted: Segment) -> Iterator[VideoFrame]:
        """The frames of a segment that does not begin before; fewer where decoding ends early."""
        while self.number < wanted.stop:
            frame = next(self.frames, None)
            if frame is None:
                return
            self.number += 1
            if self.number > wanted.start:
                yield frame

    def leave(self, stop: int) -> None:
        """Keep the decoder for the next segment, unless the clip ends here."""
        _kept.clear()
        if self.number < stop:
            _kept.append(self)


_kept: list[Going] = []
"""The decoder that was left last, if any; whoever takes it out has it alone."""


def taken(path: str | os.PathLike[str], stream: int, near: range) -> Going | None:
    """The decoder of the same file that stands at one of the frames ``near``, if one was left."""
    try:
        left = _kept.pop()
    except IndexError:
        return None
    same = left.file is not None and (left.file, left.stream) == (_file(path), stream)
    return left if same and left.number in near else None


def _file(path: str | os.PathLike[str]) -> File | None:
    """Which file this is, and when it was last written; None for one that is gone."""
    try:
        told = Path(path).stat()
    except OSError:
        return None
    return str(Path(path).absolute()), told.st_ino, told.st_size, told.st_mtime_ns
