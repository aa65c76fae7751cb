"""Hard cuts, found on thumbnails while a clip is decoded."""

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation, VideoReformatter

from ksame.arrays import Floats32

_SIDE = 32
"""Pixels of a thumbnail's sides: a shot's layout without its detail."""

_CHANGE = 22.0
"""Grey levels by which thumbnails differ on average across a cut at least."""

_OVER_USUAL = 3.0
"""How many times the usual change between neighbours a cut is; fast motion is less."""


class CutFinder:
    """Frame by frame: whether a new shot begins. Keeps a thumbnail and a running mean, no more."""

    def __init__(self) -> None:
        self._reformatter = VideoReformatter()
        self._last: Floats32 | None = None
        self._usual = 0.0

    def is_cut(self, frame: VideoFrame) -> bool:
        """Whether this frame begins a new shot; call it for every frame in order."""
        small = self._reformatter.reformat(
            frame, _SIDE, _SIDE, "gray", interpolation=Interpolation.FAST_BILINEAR, threads=1
        )
        thumbnail = small.to_ndarray().astype(np.float32)
        if self._last is None:
            self._last = thumbnail
            return False
        change = float(np.abs(thumbnail - self._last).mean())
        cut = change > _CHANGE and change > _OVER_USUAL * self._usual
        # a cut says nothing of how much the new shot moves
        self._usual = 0.0 if cut else 0.8 * self._usual + 0.2 * change
        self._last = thumbnail
        return cut
