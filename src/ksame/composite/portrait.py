"""All that the first pass keeps of one face."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypeVar, cast

import cv2
import numpy as np
import numpy.typing as npt

from ksame.composite import frame
from ksame.composite.blend import Floats32, smoothstep
from ksame.composite.code import encode
from ksame.composite.fill import push_pull
from ksame.composite.frame import HEAD, MATTE, SCENE, Floats, Image
from ksame.composite.matte import Maps, crumbs, depth_below_jaw, find_maps, hull, locks
from ksame.composite.traits import Arrays, Traits, traits_of
from ksame.vision import Face, NoLandmarks, blendshapes, find_landmarks, person_mask

MAX_YAW: Final = 50.0  # degrees; beyond it one eye is hidden and no frontal head can be placed
MIN_EYES: Final = 6.0  # pixels between the eyes
_DISC = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
Seen = TypeVar("Seen", bound=Traits)
Picture = TypeVar("Picture", Image, Floats32)
_NECK = (0.15, 0.7)  # eye distances below the jaw between which the neck fades out


@dataclass(frozen=True)
class NoPortrait:
    """Why a face cannot be composited; false where a truth value is asked."""

    reason: str

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Portrait(Traits):
    """One face of one photo, brought into the head frame (512 rows, 448 columns).

    Attributes
    ----------
    points : (478, 2) array
        Landmarks in the frame.
    layer : (512, 448, 4) uint8 array
        The head, RGB premultiplied with its alpha; the neck fades out below the jaw.
    neck : (512, 448) uint8 array
        Which share of the layer's alpha is neck; the rest is head.
    maps : (320, 304, 3) uint8 array
        Person, head and neck (see ``matte.Maps``) in the wider scene frame, for removing the head
        from its photo.
    """

    points: Floats = field(repr=False)
    layer: Image = field(repr=False)
    neck: Image = field(repr=False)
    maps: Image = field(repr=False)

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

    def to_arrays(self) -> Arrays:
        """Arrays for a private scratch file; the pictures are compressed to about 100 KB."""
        x0, y0, x1, y1 = box = frame.used(self.layer[..., 3])
        head, neck = self.layer[y0:y1, x0:x1], self.neck[y0:y1, x0:x1]
        colour = cv2.imencode(".jpg", head[..., :3], [cv2.IMWRITE_JPEG_QUALITY, 96])[1]
        return super().to_arrays() | {
            "points": self.points.astype(np.float32),
            "box": np.array(box),
            "colour": np.asarray(colour, np.uint8).ravel(),
            "masks": _pack(head[..., 3], neck, *cv2.split(self.maps)),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The inverse of ``to_arrays``; without ``colour`` the layer is black with its alpha."""
        x0, y0, x1, y1 = np.asarray(arrays["box"], np.intp)
        head = (int(y1 - y0), int(x1 - x0))
        alpha, part, *maps = _unpack(
            arrays["masks"], head, head, *[(SCENE.height, SCENE.width)] * 3
        )
        layer, neck = np.zeros((HEAD.height, HEAD.width, 4), np.uint8), _nothing()
        if "colour" in arrays:
            packed = np.asarray(arrays["colour"], np.uint8)
            colour = cv2.split(cv2.imdecode(packed, cv2.IMREAD_UNCHANGED))
            layer[y0:y1, x0:x1] = cv2.merge([*(np.minimum(c, alpha) for c in colour), alpha])
        else:
            layer[y0:y1, x0:x1, 3] = alpha
        neck[y0:y1, x0:x1] = part
        points = np.asarray(arrays["points"], np.float64)
        return cls(*traits_of(arrays), points, layer, neck, cv2.merge(maps))


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
    scene = frame.cut(rgb, frame.then(matrix, SCENE.from_head()), SCENE)
    seen = frame.inside(rgb.shape, frame.then(matrix, SCENE.from_head()), SCENE)
    maps = _split(scene, seen, points)
    layer, neck = _layer(view, scene, maps, points)
    tone = skin_tone(view, points)
    return Portrait(
        matrix,
        tone,
        _throat(scene, maps, points),
        np.asarray(blendshapes(found.points), np.float64),
        yaw,
        encode(view, layer, points, tone),
        _loose_hair(layer, points),
        float((maps.head * ~seen).sum() / maps.head.sum()),
        points,
        layer,
        neck,
        _removable(scene, maps, points, nearer(face, others, matrix)),
    )


def _throat(scene: Image, maps: Maps, points: Floats) -> Floats:
    """The mean colour of the neck below the chin; NaN where hardly any is seen."""
    depth = depth_below_jaw(frame.apply(SCENE.from_head(), points), SCENE)
    where = (maps.neck > 0.6) & (depth > 0.15) & (depth < 0.7)
    if where.sum() < 60:
        return np.full(3, np.nan)
    return np.array(cv2.mean(scene, where.view(np.uint8))[:3])


def _loose_hair(layer: Image, points: Floats) -> float:
    """Which share of the frame below the jaw is covered by the head's layer."""
    low = depth_below_jaw(points, HEAD) > 0.7
    return float(cv2.mean(layer, low.astype(np.uint8))[3]) / 255 * 4


def nearer(face: Face, others: Sequence[Face], matrix: Floats) -> npt.NDArray[np.bool_]:
    """Which pixels of the scene frame are nearer to this face than to any other, by size."""
    to_scene = frame.then(matrix, SCENE.from_head())
    x, y = np.arange(SCENE.width)[None, :], np.arange(SCENE.height)[:, None]

    def distance(which: Face) -> Floats:
        centre = frame.apply(to_scene, (which.box[:2] + which.box[2:])[None] / 2)[0]
        apart: Floats = np.hypot(x - centre[0], y - centre[1]) / max(which.size, 1.0)
        return apart

    mine = np.ones((SCENE.height, SCENE.width), bool)
    if others := [other for other in others if other is not face]:
        own = distance(face)
        for other in others:
            mine &= own <= distance(other)
    return mine


def best_first(person: Sequence[Seen]) -> list[Seen]:
    """A person's portraits: neutral, frontal and large ones first."""
    return sorted(person, key=lambda p: (p.grey, p.pose != "neutral", abs(p.yaw) // 8, -p.eyes))


def best_portrait(person: Sequence[Seen]) -> Seen:
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


def _split(scene: Image, seen: npt.NDArray[np.bool_], points: Floats) -> Maps:
    """Person, head and neck in the scene frame."""
    points = frame.apply(SCENE.from_head(), points)
    return find_maps(scene, person_mask(scene), points, SCENE, seen)


def _removable(scene: Image, maps: Maps, points: Floats, own: npt.NDArray[np.bool_]) -> Image:
    """The maps of the scene frame with all that has to be taken out of the photo as head."""
    points = frame.apply(SCENE.from_head(), points)
    head = np.maximum(maps.head, locks(scene, maps, points, SCENE))
    head = np.maximum(head, crumbs(maps, head, points, SCENE)) * own
    stacked: Image = cv2.merge([_bytes(part) for part in (maps.person, head, maps.neck * own)])
    return stacked


def _layer(view: Image, scene: Image, maps: Maps, points: Floats) -> tuple[Image, Image]:
    """Head and fading neck, premultiplied, the wall's share taken out; and the neck's share."""
    small = _alpha(maps, points / 2)
    x0, y0, x1, y1 = frame.used(_bytes(small[0]))  # most of the frame is no head
    at = np.s_[2 * y0 : 2 * y1, 2 * x0 : 2 * x1]
    size = (2 * (x1 - x0), 2 * (y1 - y0))
    alpha, neck, through = (
        cv2.resize(part[y0:y1, x0:x1], size, interpolation=cv2.INTER_LINEAR) for part in small
    )
    opacity, shown = _bytes(alpha), np.ascontiguousarray(view[at])
    own = cv2.multiply(shown, cv2.merge((opacity,) * 3), scale=1 / 255)
    # the edge of hair shows the wall through it; below the jaw there is skin behind, not the wall
    edge = np.flatnonzero((opacity > 0) & (opacity < 255) & (through > 0))
    wall = (maps.person < 0.05).astype(np.float32)
    behind = _bytes(push_pull(scene.astype(np.float32), wall, finest=2), 1)
    seen, back = (i.reshape(-1, 3).take(edge, axis=0) for i in (shown, _seen_in(HEAD, behind, at)))
    share, open_ = (part.take(edge)[:, None] for part in (alpha, through))
    hair = seen * np.maximum(share, open_) - back * (open_ * (1 - share))
    # where the matte is too low, taking the wall out of skin would leave it glowing
    most = np.minimum(seen + np.float32(15), 255) * share
    own.reshape(-1, 3)[edge] = np.rint(np.clip(hair, 0, most))
    layer, necks = np.zeros((HEAD.height, HEAD.width, 4), np.uint8), _nothing()
    layer[at] = cv2.merge([*cv2.split(own), opacity])
    necks[at] = _bytes(neck)
    return layer, necks


def _seen_in(place: frame.Frame, part: Picture, at: tuple[slice, slice] = np.s_[0:, 0:]) -> Picture:
    """What another frame, or a part of it, shows of the scene frame."""
    to_place = frame.then(frame.invert(SCENE.from_head()), place.from_head())
    (y0, y1, _), (x0, x1, _) = at[0].indices(place.height), at[1].indices(place.width)
    to_place[:, 2] -= (x0, y0)
    placed = cv2.warpAffine(
        part, to_place, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return cast(Picture, placed)


def _alpha(maps: Maps, points: Floats) -> tuple[Floats32, Floats32, Floats32]:
    """The layer's alpha, the neck's share of it, and where the wall may show through it.

    All of it, and ``points``, in the matte frame.
    """
    person, head, neck = (_seen_in(MATTE, part) for part in (maps.person, maps.head, maps.neck))
    face = hull(points, 1.0, MATTE)
    outside = cv2.distanceTransform((face < 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    outside *= np.float32(1 / MATTE.eyes)
    depth = np.minimum(depth_below_jaw(points, MATTE), outside - np.float32(1e-3))
    fade = 1 - smoothstep(depth, *_NECK)
    # at the jaw line itself neither head nor neck is sure: what is person there is solid
    rim = 1 - smoothstep(outside, 0.03, 0.12)
    bare = _bare_columns(neck, depth)
    line = person * smoothstep(depth, -0.25, -0.05)
    line *= 1 - smoothstep(depth, 0.15, 0.4) * bare - smoothstep(depth, 0.0, 0.08) * (1 - bare)
    line *= np.maximum(_between(points[172, 0], points[397, 0]), np.maximum(rim, face))
    below = smoothstep(depth, 0.0, 0.06)
    hanging = smoothstep(_thick(head * (depth > 0.03)), 0.35, 0.75)
    head = head + (hanging - head) * below
    head = _joined(head, points)
    throat = np.maximum(np.clip(neck * 1.3, 0, 1), line) * fade
    alpha = np.maximum(head, throat)
    share = np.clip(1 - head / np.maximum(alpha, 1e-3), 0, 1) * (depth > 0) * (1 - rim)
    end = np.clip((MATTE.height - 2 - np.arange(MATTE.height)) / (0.4 * MATTE.eyes), 0, 1)
    alpha = alpha * end.astype(np.float32)[:, None]  # hair that leaves the frame fades
    return alpha, share.astype(np.float32), (depth < 0).astype(np.float32)


def _bare_columns(neck: Floats32, depth: Floats32) -> Floats32:
    """In which columns there is skin under the jaw, and not a collar; one row of 0 to 1."""
    band = ((depth > 0.1) & (depth < 0.5)).astype(np.float32)
    share = (neck * band).sum(axis=0) / np.maximum(band.sum(axis=0), 1)
    columns: Floats32 = cv2.GaussianBlur(smoothstep(share, 0.15, 0.45)[None], (0, 0), 2.0)
    return columns


def _thick(head: Floats32) -> Floats32:
    """Without slivers narrower than a lock of hair: shadows at the neck's edge look like hair."""
    side = int(0.2 * MATTE.eyes)
    lock = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    opened = cv2.morphologyEx(_bytes(head), cv2.MORPH_OPEN, lock)
    opened = cv2.GaussianBlur(opened, (0, 0), 1.0).astype(np.float32)
    kept: Floats32 = np.minimum(head, np.float32(1.5 / 255) * opened)
    return kept


def _joined(head: Floats32, points: Floats) -> Floats32:
    """Without what does not hang together with the face."""
    _, labels = cv2.connectedComponents((head > 0.25).astype(np.uint8))
    x, y = np.clip(points[168].astype(int), 0, (MATTE.width - 1, MATTE.height - 1))
    joined: Floats32 = head * (cv2.dilate((labels == labels[y, x]).astype(np.uint8), _DISC) > 0)
    return joined


def _between(left: float, right: float) -> Floats32:
    """1 in the columns between two, with soft ends."""
    x = np.arange(MATTE.width, dtype=np.float32)[None, :]
    return smoothstep(x, left, left + 4) * (1 - smoothstep(x, right - 4, right))


def _bytes(values: Floats32, scale: float = 255) -> Image:
    """Values of 0 and more as bytes, rounded."""
    rounded: Image = cv2.convertScaleAbs(values, alpha=scale)
    return rounded


def _pack(*masks: Image) -> Image:
    """Masks without loss."""
    packed = zlib.compress(b"".join(mask.tobytes() for mask in masks), 1)
    return np.frombuffer(packed, np.uint8)


def _unpack(packed: npt.NDArray[np.generic], *shapes: tuple[int, int]) -> list[Image]:
    """Masks of these shapes."""
    values = np.frombuffer(zlib.decompress(packed.tobytes()), np.uint8)
    masks = []
    for height, width in shapes:
        masks.append(values[: height * width].reshape(height, width))
        values = values[height * width :]
    return masks


def _nothing() -> Image:
    """An empty mask of the head frame."""
    return np.zeros((HEAD.height, HEAD.width), np.uint8)
