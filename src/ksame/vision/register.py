"""Registration: a face still becomes a face image in a common frame (N def. 2.2).

Position, scale and in-plane rotation are taken out; nothing is warped beyond that.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.errors import InputError
from ksame.geometry import inverse, similarity
from ksame.vision.images import check_rgb
from ksame.vision.landmarks import LEFT_MOUTH, LEFT_PUPIL, NOSE_TIP, RIGHT_MOUTH, RIGHT_PUPIL
from ksame.vision.sampling import sample

# Right eye, left eye, nose tip, corners of the mouth of a mean face, from the point between the
# eyes in units of their distance: 57 frontal faces, s.d. 0.07 for the nose and 0.08 for the mouth.
_MEAN_FACE = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 0.646], [-0.42, 1.07], [0.42, 1.07]])


@dataclass(frozen=True)
class Frame:
    """A common frame: its size, where the eyes lie in it, and which points place a face.

    ``uses`` are indices into right eye, left eye, nose tip, right and left corner of the mouth.
    """

    width: int
    height: int
    eye_distance: float
    eye_level: float
    uses: tuple[int, ...]
    grey: bool

    @property
    def places(self) -> Floats:
        """Where the five points of a mean face lie in the frame."""
        return _MEAN_FACE * self.eye_distance + ((self.width - 1) / 2, self.eye_level)


FRAMES: dict[str, Frame] = {
    # N sec. 5: 99 columns and 134 rows, grey, from the centres of the eyes and the tip of the nose
    "newton": Frame(
        width=99, height=134, eye_distance=42.0, eye_level=48.0, uses=(0, 1, 2), grey=True
    ),
    # G sec. 5.1: 81 x 92, from the eyes, the tip of the nose and the centre of the mouth
    "gross": Frame(
        width=81, height=92, eye_distance=33.0, eye_level=30.0, uses=(0, 1, 2, 3, 4), grey=True
    ),
    "aligned": Frame(
        width=256, height=256, eye_distance=72.0, eye_level=104.0, uses=(0, 1, 2, 3, 4), grey=False
    ),
}


@dataclass(frozen=True)
class RegisteredFace:
    """A face in a common frame.

    Attributes
    ----------
    pixels : (height, width) or (height, width, 3) uint8 array
    to_photo : (2, 3) array
        The similarity that takes a position in the frame to its place in the photo.
    """

    pixels: Image = field(repr=False)
    to_photo: Floats


def register(rgb: Image, points: Floats, frame: str | Frame = "newton") -> RegisteredFace:
    """Bring a face into a frame by the least-squares similarity of its points.

    Parameters
    ----------
    rgb : (h, w, 3) or (h, w) uint8 array
    points : (5, 2) or (478, 2) array
        Of :class:`ksame.vision.Face` or :class:`ksame.vision.Landmarks`, in photo pixels.
    frame : str or Frame
        ``newton``, ``gross``, ``aligned`` or a frame of one's own.
    """
    chosen = _chosen(frame)
    uses = list(chosen.uses)
    to_photo = inverse(similarity(_five(points)[uses], chosen.places[uses]))
    size = (chosen.width, chosen.height)
    # the edge of the photo is repeated: a black wedge would pull on every mean and eigenface
    pixels = sample(check_rgb(rgb), to_photo, size, border=cv2.BORDER_REPLICATE)
    if chosen.grey:
        pixels = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    return RegisteredFace(pixels, to_photo)


def _chosen(frame: str | Frame) -> Frame:
    if isinstance(frame, Frame):
        return frame
    if frame not in FRAMES:
        raise InputError(f"frame={frame!r} is unknown. Take one of {', '.join(FRAMES)}.")
    return FRAMES[frame]


def _five(points: Floats) -> Floats:
    """The five points that place a face, out of 5 or 478."""
    points = np.asarray(points, np.float64)
    if points.shape == (478, 2):
        points = points[[RIGHT_PUPIL, LEFT_PUPIL, NOSE_TIP, RIGHT_MOUTH, LEFT_MOUTH]]
    if points.shape != (5, 2):
        raise InputError(f"points have shape {points.shape}; (5, 2) or (478, 2) is needed.")
    if not np.isfinite(points).all() or np.hypot(*(points[1] - points[0])) < 1:
        raise InputError("the eyes lie less than 1 px apart; such a face cannot be registered.")
    return points
