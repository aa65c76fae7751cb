"""Clips before and after beside each other: private, for whoever looks at a release."""

import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
import cv2
import numpy as np

from ksame.arrays import Image
from ksame.files import HIDDEN
from ksame.media.clips import read_facts, read_frames
from ksame.media.clips.reading import MAX_PIXELS

TICKS: Final = 90_000  # a second: what time stamps of any clip are rounded to
_WIDEST: Final = 960  # px of each side: two of them fit on a screen
_QUALITY: Final = "16"  # constant rate factor of a file that is looked at once


def folder_beside(out: Path) -> Path:
    """Where the clips before and after lie: beside OUT, which never holds an original."""
    return out.with_name(out.name + ".before-after")


def write_before_after(
    released: Path, book: Mapping[str, Any], target: Path, max_pixels: int = MAX_PIXELS
) -> None:
    """Every clip of a release beside its original, the original on the left.

    The folder and its files are their owner's alone. Clips of an earlier release in it are removed.
    """
    names = sorted(book.get("clips", {}))
    if not names:
        return
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.chmod(0o700)
    for old in target.rglob("*.mp4"):
        old.unlink()
    for name in names:
        place = target / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = place.with_name(f"{HIDDEN}{place.name}")
        _write_pair(Path(book["files"][name]), released / name, draft, max_pixels)
        draft.replace(place)


def _write_pair(before: Path, after: Path, out: Path, max_pixels: int) -> None:
    """Both clips in one, at the times of the released one."""
    facts = [read_facts(path, max_pixels) for path in (before, after)]
    writer = PrivateWriter(out)
    frames = zip(read_frames(before, facts[0]), read_frames(after, facts[1]), strict=True)
    last = -1
    for number, pair in enumerate(frames):
        last = max(round(facts[1].seconds_at(number) * TICKS), last + 1)
        writer.write(np.concatenate([fitted(side) for side in pair], axis=1), last)
    writer.close()


def fitted(rgb: Image) -> Image:
    """A picture of which two fit beside each other on a screen."""
    scale = min(_WIDEST / rgb.shape[1], 1.0)
    size = max(round(rgb.shape[1] * scale), 2), max(round(rgb.shape[0] * scale), 2)
    small: Image = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    return small


class PrivateWriter:
    """Writes pictures with their times to an mp4 that is its owner's alone."""

    def __init__(self, path: Path) -> None:
        # private from its first byte on: it shows originals
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        self._container = av.open(str(path), "w", format="mp4")
        self._stream: av.VideoStream | None = None

    def write(self, rgb: Image, at: int) -> None:
        """Add a picture; sides become even, as the coder wants them."""
        height, width = rgb.shape[0] // 2 * 2, rgb.shape[1] // 2 * 2
        if self._stream is None:
            self._stream = self._container.add_stream("libx264", rate=25)
            self._stream.width, self._stream.height = width, height
            self._stream.pix_fmt = "yuv420p"
            self._stream.options = {"crf": _QUALITY, "preset": "veryfast", "bf": "0"}
            self._stream.codec_context.time_base = Fraction(1, TICKS)
        picture = np.ascontiguousarray(rgb[:height, :width])
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        frame.pts, frame.time_base = at, Fraction(1, TICKS)
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Finish the file."""
        if self._stream is not None:
            self._container.mux(self._stream.encode(None))
        self._container.close()
