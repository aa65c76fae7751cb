"""Clips that `benchmarks/video.py` makes itself: shorter ones, and ones that must be withheld."""

import shutil
from itertools import islice
from pathlib import Path

import av
import numpy as np

from ksame.errors import MediaError
from ksame.media.clips import read_facts, read_frames


def trimmed(clip: Path, out: Path, frames: int) -> Path:
    """The first frames of a clip, upright, encoded anew almost without loss.

    A clip that cannot be read stays as it is: the release must withhold it.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        facts = read_facts(clip)
    except MediaError:
        return Path(shutil.copyfile(clip, out))
    out = out.with_suffix(".mp4")
    pictures = list(islice(read_frames(clip, facts), frames))
    height, width = (side // 2 * 2 for side in pictures[0].shape[:2])
    with av.open(str(out), "w") as container:
        stream = container.add_stream("libx264", rate=facts.rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"crf": "8", "preset": "ultrafast"}
        for rgb in pictures:
            even = np.ascontiguousarray(rgb[:height, :width])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(even, format="rgb24")))
        container.mux(stream.encode(None))
    return out


def spoilt(clip: Path, folder: Path) -> list[Path]:
    """Clips that must be withheld: truncated, empty, no clip at all."""
    folder.mkdir()
    data = clip.read_bytes()
    for name, content in {
        "truncated": data[: len(data) // 2],
        "empty": b"",
        "text": b"x" * 999,
    }.items():
        (folder / f"{name}{clip.suffix}").write_bytes(content)
    return sorted(folder.iterdir())
