"""The first seconds of a clip, before and after beside each other: to be looked at, not published.

The people of a single clip are too few for any k. The preview fills the groups with people who do
not exist, and shows what the release would look like; it claims nothing.
"""

import os
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Final

import numpy as np

from ksame.errors import InputError
from ksame.files import HIDDEN
from ksame.media.clips.opening import opened, video_stream
from ksame.media.clips.reading import decoded
from ksame.release.clips.beside import TICKS, PrivateWriter, fitted
from ksame.runners import Progress

SECONDS: Final = 10.0


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
    writer = PrivateWriter(out)
    with opened(clip) as container:
        stream = video_stream(container)
        base = stream.time_base or Fraction(1, TICKS)
        start: int | None = None
        for frame in decoded(container, stream):
            start = frame.pts if start is None else start
            at = round(((frame.pts or 0) - (start or 0)) * base * TICKS)
            if at > seconds * TICKS:
                break
            times.append(max(at, times[-1] + 1 if times else 0))
            rgb = np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
            writer.write(np.rot90(rgb, round(frame.rotation / 90)), times[-1])
    writer.close()
    return times


def _beside(before: Path, after: Path, out: Path, times: list[int]) -> None:
    """Both clips in one, the original on the left."""
    writer = PrivateWriter(out)
    with opened(before) as one, opened(after) as two:
        frames = zip(
            decoded(one, video_stream(one)), decoded(two, video_stream(two)), times, strict=True
        )
        for left, right, at in frames:
            pair = [fitted(np.asarray(f.to_ndarray(format="rgb24"))) for f in (left, right)]
            writer.write(np.concatenate(pair, axis=1), at)
    writer.close()
