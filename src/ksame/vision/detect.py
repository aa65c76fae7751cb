"""Find every face of a photo, near and far, by looking at it at several scales.

YuNet sees faces of about 12 to 500 pixels. A photo is therefore searched at a fine scale for the
small faces and at coarser ones, each a quarter of the one before, for faces that fill the frame.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ksame import geometry
from ksame.arrays import Image
from ksame.errors import InputError
from ksame.faces import Face, Faces
from ksame.vision.detectors import Detector
from ksame.vision.detectors import detector as detector_by_name
from ksame.vision.faint import FAINT, confirmed
from ksame.vision.images import check_rgb
from ksame.vision.lying import lying_faces
from ksame.vision.passes import Pass, Search, detect_all, detect_cut, detect_turned, stretched
from ksame.vision.veiled import veiled_faces
from ksame.vision.yunet import YuNet

FINEST_SIDE = 2560  # beyond it a pass takes more than a second
COARSEST_SIDE = 160  # a face that fills the photo still has the pixels that the network wants
SURE = 0.6  # score from which on the detector is believed alone
_USUAL_SIDE = 640
_SMALLEST_SIDE = 256  # smaller photos are enlarged
_SHORT_SIDE = 320  # a face that fills a frame of this height is found
_STRIDE = 32  # the network pads each side to a multiple of it
_TURNS = (90.0, -90.0, 180.0, 45.0, -45.0)  # degrees
_SAME_OVERLAP = 0.4  # intersection over union of two boxes that are one face
_SAME_CENTRE = 0.35  # of the smaller side: centres nearer than that nearly coincide,
_SAME_SIZE = 4.0  # unless one box is so many times larger than the other
_WITHIN = 0.8  # of a box's area: it lies inside another one
_LESS_CERTAIN = 0.1  # of the score


def find_faces(
    rgb: Image,
    min_score: float = SURE,
    *,
    finest: int = FINEST_SIDE,
    turned: bool | None = None,
    detector: Detector | None = None,
    faint: float = 1.0,
) -> Faces:
    """Find the faces of a photo, the largest first.

    Parameters
    ----------
    rgb : (h, w, 3) or (h, w) uint8 array
    min_score : float
        Lower finds more and mistakes more things for faces.
    finest : int
        Long side in pixels of the finest pass over a 4:3 photo; others get as many pixels. A face
        must have about 12 pixels at that scale.
    turned : bool or None
        Also search copies of the photo that are turned, for heads that lie on their side or upside
        down, and one with its contrast stretched, for the nearly black ones. None does so where
        the plain passes found nothing.
    detector : Detector, optional
        Who looks (`ksame.vision.detectors`); YuNet by default.
    faint : float
        A score below ``min_score`` from which on faces are returned as well: for whoever asks
        another network about them.
    """
    if not 0 < min_score <= 1:
        raise InputError(f"min_score={min_score} must lie in (0, 1]. Take one of 0.5 to 0.9.")
    if finest < COARSEST_SIDE:
        raise InputError(f"finest={finest} must be at least {COARSEST_SIDE} pixels.")
    image = check_rgb(rgb)
    search = Search(detector or YuNet(), min(min_score, faint))
    passes = passes_over(image.shape[1], image.shape[0], finest)
    found = detect_all(image, passes, search)
    found += detect_cut(image, passes[-1], search)
    if turned or (turned is None and not any((one.score >= min_score).any() for one in found)):
        side = min(max(passes[0].width, passes[0].height), _USUAL_SIDE)
        found += [detect_turned(image, angle, side, search) for angle in _TURNS]
        found += detect_all(stretched(image), passes[-2:], search)
    faces = _merge(Faces.merge(found))
    return faces[np.argsort(-faces.size, kind="stable")]


def find_faces_by(
    name: str, rgb: Image, known: Callable[[Face], bool] | None = None, *, only_plain: bool = False
) -> Faces:
    """The faces that YuNet finds, faint, lying and veiled ones if CenterFace sees them too, and
    those that the detector of a name finds besides.

    ``known`` tells of a faint one that it is a face: CenterFace is not asked then. With
    ``only_plain`` lying and veiled ones are not looked for.
    """
    image = check_rgb(rgb)
    found = confirmed(image, find_faces(image, SURE, faint=FAINT), SURE, known)
    if name != YuNet.name:
        found = merge_faces([found, find_faces(rgb, detector=detector_by_name(name))])
    return found if only_plain else with_lying_and_veiled(image, found)


def with_lying_and_veiled(rgb: Image, found: Faces) -> Faces:
    """What was found, and what lies or is veiled beside it; the same value if nothing does."""
    if lying := lying_faces(rgb, found, YuNet(), SURE):
        found = merge_faces([found, Faces.of(lying)])
    if veiled := veiled_faces(rgb, found, YuNet(), SURE):
        found = merge_faces([found, Faces.of(veiled)])
    return found


def merge_faces(found: Sequence[Faces]) -> Faces:
    """The faces of several looks at one picture, each once, the largest first."""
    faces = _merge(Faces.merge(found))
    return faces[np.argsort(-faces.size, kind="stable")]


def passes_over(width: int, height: int, finest: int) -> list[Pass]:
    """The sizes at which a photo is searched, finest first.

    Photos above 640 px are searched at three quarters of their size: the smallest faces that are
    lost by it have fewer than 16 pixels, and the time is halved. What limits the finest pass is
    its number of pixels, so that a panorama is not shrunk until nobody can be seen.
    """
    long_side, short_side = max(width, height), min(width, height)
    fine = max(min(long_side, _USUAL_SIDE), int(0.75 * long_side) // _STRIDE * _STRIDE)
    most = finest * np.sqrt(0.75 * long_side / short_side)  # as many pixels as a 4:3 photo has
    scale = min(max(fine, _SMALLEST_SIDE), most) / long_side
    scales = [scale]
    while scale * short_side > _SHORT_SIDE:
        scale /= 4
        scales.append(scale)
    sizes = [(max(round(width * s), 1), max(round(height * s), 1)) for s in scales]
    return [Pass(*size, bordered=size == sizes[-1]) for size in sizes]


def _merge(faces: Faces) -> Faces:
    """Keep one of each face: the best scored of those that are the same.

    The same face: boxes that overlap, or centres that nearly coincide (a turned
    pass has larger boxes). A box inside a larger one is dropped only where it is clearly less
    certain, so that a child's face in front of an adult's stays.
    """
    faces = faces[np.argsort(-faces.score, kind="stable")]
    boxes, score = faces.xyxy, faces.score
    areas, centres = geometry.area(boxes), geometry.centre(boxes)
    sides = np.sqrt(areas)
    kept: list[int] = []
    for i, box in enumerate(boxes):
        shared = geometry.intersection(box, boxes[kept])
        small, large = np.minimum(sides[i], sides[kept]), np.maximum(sides[i], sides[kept])
        apart = np.linalg.norm(centres[i] - centres[kept], axis=1)
        same = shared > _SAME_OVERLAP * (areas[i] + areas[kept] - shared)
        same |= (apart < _SAME_CENTRE * small) & (large < _SAME_SIZE * small)
        within = shared > _WITHIN * areas[i]
        if not (same | (within & (score[i] < score[kept] - _LESS_CERTAIN))).any():
            kept.append(i)
    return faces[kept]
