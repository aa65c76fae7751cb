"""Faces over time: single detections become tracks, gaps are closed, and motion is smoothed.

Pure functions on arrays: no pixel is read here and no network asked.
"""

from ksame.tracking.covering import Cover, cover
from ksame.tracking.hiding import without_hidden
from ksame.tracking.linking import Limits, link
from ksame.tracking.meetings import meetings
from ksame.tracking.smoothing import calm, interpolate, smooth

__all__ = [
    "Cover",
    "Limits",
    "calm",
    "cover",
    "interpolate",
    "link",
    "meetings",
    "smooth",
    "without_hidden",
]
