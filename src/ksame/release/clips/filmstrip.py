"""A few frames of a clip, evenly spaced, for reports."""

import os
from typing import Final

import numpy as np

from ksame.arrays import Image

FRAMES: Final = 6  # of a strip: what fits beside each other


def filmstrip(path: str | os.PathLike[str], count: int = FRAMES) -> list[Image]:
    """Frames of a clip from its beginning to its end.

    They are taken where decoding can begin, so that a long clip costs no more than a short one.
    """
    from ksame.media.clips.opening import opened, video_stream

    found: list[Image] = []
    times: set[int] = set()
    with opened(path) as container:
        stream = video_stream(container)
        start, length = stream.start_time or 0, stream.duration or 0
        for place in range(count):
            container.seek(start + length * place // count, stream=stream, backward=True)
            frame = next(container.decode(stream), None)
            if frame is None or frame.pts is None or frame.pts in times:
                continue
            times.add(frame.pts)
            rgb = frame.to_ndarray(format="rgb24")
            found.append(np.ascontiguousarray(np.rot90(rgb, round(frame.rotation / 90))))
    return found
