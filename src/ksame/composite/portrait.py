"""All that the first pass keeps of one face."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Self

import cv2
import numpy as np
import numpy.typing as npt

from ksame.composite import frame
from ksame.composite.blend import Floats32, smoothstep
from ksame.composite.code import encode
from ksame.composite.fill import push_pull
from ksame.composite.frame import HEAD, MATTE, SCENE, Floats, Image
from ksame.composite.matte import Maps, depth_below_jaw, find_maps, hull, locks
from ksame.composite.states import GREY, Pose, State, pose_of
from ksame.vision import Face, NoLandmarks, blendshapes, find_landmarks, person_mask

MAX_YAW: Final = 50.0  # degrees; beyond it one eye is hidden and no frontal head can be placed
MIN_EYES: Final = 6.0  # pixels between the eyes
_DISC = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
_NECK = (0.15, 0.7)  # eye distances below the jaw between which the neck fades out


@dataclass(frozen=True)
class NoPortrait:
    """Why a face cannot be composited; false where a truth value is asked."""

    reason: str

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Portrait:
    """One face of one photo, brought into the head frame (512 rows, 448 columns).

    Attributes
    ----------
    matrix : (2, 3) array
        The similarity from photo pixels to the frame.
    points : (478, 2) array
        Landmarks in the frame.
    layer : (512, 448, 4) uint8 array
        The head, RGB premultiplied with its alpha; the neck fades out below the jaw.
    neck : (512, 448) uint8 array
        Which share of the layer's alpha is neck; the rest is head.
    maps : (320, 304, 3) uint8 array
        Person, head and neck (see ``matte.Maps``) in the wider scene frame, for removing the head
        from its photo.
    tone : (3,) array
        Mean colour of the cheeks, RGB in 0 to 255.
    blendshapes : (52,) array
        Expression coefficients.
    yaw : float
        Degrees.
    code : (d,) array
        What people are grouped by.
    """

    matrix: Floats = field(repr=False)
    points: Floats = field(repr=False)
    layer: Image = field(repr=False)
    neck: Image = field(repr=False)
    maps: Image = field(repr=False)
    tone: Floats = field(repr=False)
    blendshapes: Floats = field(repr=False)
    yaw: float
    code: Floats = field(repr=False)

    @property
    def pose(self) -> Pose:
        """What the release keeps of expression and yaw: one of few labels that people share."""
        return pose_of(self.blendshapes, self.yaw)

    @property
    def grey(self) -> bool:
        """Whether the photo has no colour."""
        return bool(np.ptp(self.tone) < 0.03 * self.tone.max())

    @property
    def state(self) -> State:
        """Which look of its surrogate the photo shows, if the surrogate has it."""
        return f"{GREY if self.grey else ''}{self.pose}"

    @property
    def eyes(self) -> float:
        """Pixels between the eyes in the photo."""
        return HEAD.eyes / frame.scale_of(self.matrix)

    @property
    def to_scene(self) -> Floats:
        """The similarity from photo pixels to the scene frame."""
        return frame.then(self.matrix, SCENE.from_head())

    @property
    def box(self) -> Floats:
        """The ``xyxy`` box in the photo that holds the head: what a blackout must cover."""
        rows, columns = np.nonzero(self.maps[..., 1] > 25)
        x0, y0, x1, y1 = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float64)
        placed = frame.apply(frame.invert(self.to_scene), corners)
        return np.concatenate([placed.min(axis=0), placed.max(axis=0)])

    def to_arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Arrays for a private scratch file; the pictures are compressed to about 100 KB."""
        return {
            "matrix": self.matrix,
            "points": self.points.astype(np.float32),
            "colour": _pack(self.layer[..., :3], ".jpg"),
            "alpha": _pack(self.layer[..., 3], ".png"),
            "neck": _pack(self.neck, ".png"),
            "maps": _pack(self.maps, ".png"),
            "tone": self.tone,
            "blendshapes": self.blendshapes.astype(np.float32),
            "yaw": np.array(self.yaw),
            "code": self.code.astype(np.float32),
        }

    @classmethod
    def from_arrays(cls, arrays: "dict[str, npt.NDArray[np.generic]]") -> Self:
        """The inverse of ``to_arrays``; also takes an open ``.npz`` file."""
        alpha = _unpack(arrays["alpha"])
        colour = np.minimum(_unpack(arrays["colour"]), alpha[..., None])
        return cls(
            np.asarray(arrays["matrix"], np.float64),
            np.asarray(arrays["points"], np.float64),
            np.dstack([colour, alpha]),
            _unpack(arrays["neck"]),
            _unpack(arrays["maps"]),
            np.asarray(arrays["tone"], np.float64),
            np.asarray(arrays["blendshapes"], np.float64),
            float(np.asarray(arrays["yaw"], np.float64)),
            np.asarray(arrays["code"], np.float64),
        )


def portray(rgb: Image, face: Face, others: Sequence[Face] = ()) -> Portrait | NoPortrait:
    """Bring one face of a photo into the head frame.

    ``others`` are the other faces of the photo: where heads touch, each pixel belongs to the
    nearer one.

    Falsy, with a reason, where that cannot be done; such a head must be blacked out.
    """
    found = find_landmarks(rgb, face)
    if isinstance(found, NoLandmarks):
        return NoPortrait(found.reason)
    yaw = frame.yaw_of(found.points, found.depth)
    if abs(yaw) > MAX_YAW:
        return NoPortrait(f"the head is turned by {abs(yaw):.0f} degrees; at most {MAX_YAW:.0f}")
    matrix = frame.into_frame(found.points, yaw)
    if (eyes := HEAD.eyes / frame.scale_of(matrix)) < MIN_EYES:
        return NoPortrait(f"{eyes:.0f} px between the eyes; at least {MIN_EYES:.0f} are needed")
    points = frame.apply(matrix, found.points)
    view = frame.cut(rgb, matrix)
    layer, neck = _layer(view, points)
    tone = skin_tone(view, points)
    return Portrait(
        matrix,
        points,
        layer,
        neck,
        _scene(rgb, matrix, points, nearer(face, others, matrix)),
        tone,
        np.asarray(blendshapes(found.points), np.float64),
        yaw,
        encode(view, layer, points, tone),
    )


def nearer(face: Face, others: Sequence[Face], matrix: Floats) -> npt.NDArray[np.bool_]:
    """Which pixels of the scene frame are nearer to this face than to any other, by size."""
    to_scene = frame.then(matrix, SCENE.from_head())
    x, y = np.arange(SCENE.width)[None, :], np.arange(SCENE.height)[:, None]

    def distance(which: Face) -> Floats:
        centre = frame.apply(to_scene, (which.box[:2] + which.box[2:])[None] / 2)[0]
        apart: Floats = np.hypot(x - centre[0], y - centre[1]) / max(which.size, 1.0)
        return apart

    own = distance(face)
    mine = np.ones(own.shape, bool)
    for other in others:
        if other is not face:
            mine &= own <= distance(other)
    return mine


def best_first(person: Sequence[Portrait]) -> list[Portrait]:
    """A person's portraits: neutral, frontal and large ones first."""
    return sorted(person, key=lambda p: (p.grey, p.pose != "neutral", abs(p.yaw) // 8, -p.eyes))


def best_portrait(person: Sequence[Portrait]) -> Portrait:
    """The most neutral, frontal and largest portrait of a person."""
    return best_first(person)[0]


def skin_tone(view: Image, points: Floats) -> Floats:
    """The mean colour of cheeks and nose bridge, without the darkest and the lightest fifth."""
    spots = points[[50, 280, 205, 425, 6, 197, 118, 347]]
    side = int(0.09 * HEAD.eyes)
    limit = np.array([HEAD.width, HEAD.height]) - side - 1
    patches = [
        view[y - side : y + side + 1, x - side : x + side + 1].reshape(-1, 3)
        for x, y in np.clip(np.round(spots).astype(int), side, limit)
    ]
    pixels = np.concatenate(patches).astype(np.float64)
    order = np.argsort(pixels.sum(axis=1))
    fifth = len(order) // 5
    tone: Floats = np.maximum(pixels[order[fifth:-fifth]].mean(axis=0), 1.0)
    return tone


def _scene(rgb: Image, matrix: Floats, points: Floats, own: npt.NDArray[np.bool_]) -> Image:
    """The maps of the wider frame: what has to be taken out of the photo."""
    to_scene = SCENE.from_head()
    placed = frame.then(matrix, to_scene)
    view = frame.cut(rgb, placed, SCENE)
    points = frame.apply(to_scene, points)
    seen = frame.inside(rgb.shape, placed, SCENE)
    maps = find_maps(view, person_mask(view), points, SCENE, seen)
    head = np.maximum(maps.head, locks(view, maps, points, SCENE)) * own
    return _bytes(np.dstack([maps.person, head, maps.neck * own]))


def _layer(view: Image, points: Floats) -> tuple[Image, Image]:
    """Head and fading neck, premultiplied, the wall's share taken out; and the neck's share."""
    small: Image = cv2.resize(view, MATTE.size, interpolation=cv2.INTER_AREA)
    maps = find_maps(small, person_mask(small), points / 2, MATTE)
    alpha, neck, through = _alpha(maps, points)
    behind = push_pull(small.astype(np.float32), (maps.person < 0.05).astype(np.float32))
    behind = cv2.resize(behind, HEAD.size, interpolation=cv2.INTER_LINEAR)
    # the edge of hair shows the wall through it; below the jaw there is skin behind, not the wall
    own = view * np.maximum(alpha, through)[..., None] - (through * (1 - alpha))[..., None] * behind
    # where the matte is too low, taking the wall out of skin would leave it glowing
    own = np.clip(own, 0, np.minimum(view + 15.0, 255.0) * alpha[..., None])
    return np.dstack([_bytes(own / 255), _bytes(alpha)]), _bytes(neck)


def _alpha(maps: Maps, points: Floats) -> tuple[Floats32, Floats32, Floats32]:
    """The layer's alpha, the neck's share of it, and where the wall may show through it."""
    person, head, neck = (
        cv2.resize(part, HEAD.size, interpolation=cv2.INTER_LINEAR)
        for part in (maps.person, maps.head, maps.neck)
    )
    face = hull(points, 1.0, HEAD)
    outside = cv2.distanceTransform((face < 0.5).astype(np.uint8), cv2.DIST_L2, 3) / HEAD.eyes
    depth = np.minimum(depth_below_jaw(points, HEAD), outside - 1e-3)
    fade = 1 - smoothstep(depth, *_NECK)
    # at the jaw line itself neither head nor neck is sure: what is person there is solid
    rim = 1 - smoothstep(outside, 0.03, 0.12)
    line = person * smoothstep(depth, -0.25, -0.05) * (1 - smoothstep(depth, 0.15, 0.4))
    line *= np.maximum(_between(points[172, 0], points[397, 0]), np.maximum(rim, face))
    below = smoothstep(depth, 0.0, 0.06)
    hanging = smoothstep(_thick(head * (depth > 0.03)), 0.35, 0.75)
    head = head + (hanging - head) * below
    head = _joined(head, points)
    throat = np.maximum(np.clip(neck * 1.3, 0, 1), line) * fade
    alpha = np.maximum(head, throat)
    share = np.clip(1 - head / np.maximum(alpha, 1e-3), 0, 1) * (depth > 0) * (1 - rim)
    end = np.clip((HEAD.height - 4 - np.arange(HEAD.height)) / (0.4 * HEAD.eyes), 0, 1)
    alpha = alpha * end.astype(np.float32)[:, None]  # hair that leaves the frame fades
    return alpha, share.astype(np.float32), (depth < 0).astype(np.float32)


def _thick(head: Floats32) -> Floats32:
    """Without slivers narrower than a lock of hair: shadows at the neck's edge look like hair."""
    side = int(0.2 * HEAD.eyes)
    lock = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    opened: Floats32 = cv2.GaussianBlur(cv2.morphologyEx(head, cv2.MORPH_OPEN, lock), (0, 0), 2.0)
    kept: Floats32 = np.minimum(head, 1.5 * opened)
    return kept


def _joined(head: Floats32, points: Floats) -> Floats32:
    """Without what does not hang together with the face."""
    _, labels = cv2.connectedComponents((head > 0.25).astype(np.uint8))
    x, y = np.clip(points[168].astype(int), 0, (HEAD.width - 1, HEAD.height - 1))
    joined: Floats32 = head * (cv2.dilate((labels == labels[y, x]).astype(np.uint8), _DISC) > 0)
    return joined


def _between(left: float, right: float) -> Floats32:
    """1 in the columns between two, with soft ends."""
    x = np.arange(HEAD.width, dtype=np.float32)[None, :]
    return smoothstep(x, left, left + 8) * (1 - smoothstep(x, right - 8, right))


def _bytes(values: npt.NDArray[np.floating]) -> Image:
    rounded: Image = np.clip(np.rint(values * 255), 0, 255).astype(np.uint8)
    return rounded


def _pack(image: Image, kind: str) -> Image:
    options = [cv2.IMWRITE_JPEG_QUALITY, 96] if kind == ".jpg" else [cv2.IMWRITE_PNG_COMPRESSION, 1]
    return np.asarray(cv2.imencode(kind, image, options)[1], np.uint8).ravel()


def _unpack(packed: npt.NDArray[np.generic]) -> Image:
    image = cv2.imdecode(np.asarray(packed, np.uint8), cv2.IMREAD_UNCHANGED)
    return np.asarray(image, np.uint8)
