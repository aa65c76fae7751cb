"""The first seconds of a clip, before and after beside each other: to be looked at, not published.

The people of a single clip are too few for any k. The preview fills the groups with people who do
not exist, and shows what the release would look like; it claims nothing.
"""

import os
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import cv2
import numpy as np

from ksame.arrays import Image
from ksame.errors import InputError
from ksame.files import HIDDEN
from ksame.media.clips.opening import opened, video_stream
from ksame.media.clips.reading import decoded
from ksame.runners import Progress

SECONDS: Final = 10.0
_WIDEST: Final = 960  # px of each side: two of them fit on a screen
_QUALITY: Final = "16"  # constant rate factor of a file that is looked at once
_TICKS: Final = 90_000  # a second: what time stamps of any clip are rounded to


def preview(
    clip: str | os.PathLike[str],
    out: str | os.PathLike[str],
    seconds: float = SECONDS,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Path:
    """Write the first seconds of a clip, before and after; readable by its owner alone.

    Raises
    ------
    MediaError
        The clip cannot be read.
    InputError
        OUT is there already, or no face of the clip can be replaced.
    """
    from ksame.release.options import usual_jobs
    from ksame.release.pipeline import deidentify

    target = Path(out)
    if target.exists():
        raise InputError(f"{target} exists already. Choose another name, or move it away.")
    with tempfile.TemporaryDirectory(prefix="ksame-preview-", dir=target.parent) as folder:
        source = Path(folder, "excerpt.mp4")
        times = _excerpt(Path(clip), source, seconds)
        release = deidentify(
            source,
            Path(folder, "out"),
            k=2,
            reference="nobody",
            progress=progress,
            jobs=jobs or usual_jobs(),
        )
        names = sorted(release.certificate["files"])
        if not names:
            raise InputError(f"the clip cannot be shown: {release.withheld[0][1]}.")
        draft = target.with_name(f"{HIDDEN}{target.name}")
        _beside(source, release.out / names[0], draft, times)
        draft.chmod(0o600)
        draft.replace(target)
    return target


def _excerpt(clip: Path, out: Path, seconds: float) -> list[int]:
    """The first seconds of a clip, upright; returns the time of each frame in ticks."""
    times: list[int] = []
    writer = _Writer(out)
    with opened(clip) as container:
        stream = video_stream(container)
        base = stream.time_base or Fraction(1, _TICKS)
        start: int | None = None
        for frame in decoded(container, stream):
            start = frame.pts if start is None else start
            at = round(((frame.pts or 0) - (start or 0)) * base * _TICKS)
            if at > seconds * _TICKS:
                break
            times.append(max(at, times[-1] + 1 if times else 0))
            rgb = np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
            writer.write(np.rot90(rgb, round(frame.rotation / 90)), times[-1])
    writer.close()
    return times


def _beside(before: Path, after: Path, out: Path, times: list[int]) -> None:
    """Both clips in one, the original on the left."""
    writer = _Writer(out)
    with opened(before) as one, opened(after) as two:
        frames = zip(
            decoded(one, video_stream(one)), decoded(two, video_stream(two)), times, strict=True
        )
        for left, right, at in frames:
            pair = [_fitted(np.asarray(f.to_ndarray(format="rgb24"))) for f in (left, right)]
            writer.write(np.concatenate(pair, axis=1), at)
    writer.close()


def _fitted(rgb: Image) -> Image:
    scale = min(_WIDEST / rgb.shape[1], 1.0)
    size = max(round(rgb.shape[1] * scale), 2), max(round(rgb.shape[0] * scale), 2)
    small: Image = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    return small


class _Writer:
    """Writes pictures with their times to an mp4 of its own."""

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
            self._stream.codec_context.time_base = Fraction(1, _TICKS)
        picture = np.ascontiguousarray(rgb[:height, :width])
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        frame.pts, frame.time_base = at, Fraction(1, _TICKS)
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Finish the file."""
        if self._stream is not None:
            self._container.mux(self._stream.encode(None))
        self._container.close()
