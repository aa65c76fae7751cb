"""A person's code: the photo on the texture frame, without its light, explained by the modes."""

from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image, Ints32
from ksame.codecs.face.geometry import (
    EYES,
    LANDMARKS,
    LID_PAIRS,
    LIP_PAIRS,
    OUTLINE,
    SKIN,
    complete,
    eyeball,
    gaze_of,
)
from ksame.codecs.face.lookup import Lookup, facing, vertex_normals
from ksame.codecs.face.pose import Pose, find_pose
from ksame.codecs.face.texture import TextureModel
from ksame.codecs.face.weights import ExpressionReader

SKIN_TRIANGLES = 852 + 4 * len(OUTLINE)  # MediaPipe's, then those of the rings
_SHAPE_NOISE = 0.012  # of a landmark, in the model's units
_LUMA_NOISE, _CHROMA_NOISE = 9.0, 5.0  # of a pixel, light that the fit leaves included
# neighbouring pixels say the same: so many of them count as one
_PRIOR = 10.0
_LIGHT_PRIOR = 30.0  # standard deviation of the light's part, in luma
_ROUNDS = 3
_DARK = 4.0  # luma added before the logarithm


@dataclass(frozen=True)
class Encoder:
    """Fits identity to photos: shape by landmarks, texture by a regularised least squares."""

    mean: Floats32 = field(repr=False)  # (468, 3)
    shape_modes: Floats32 = field(repr=False)
    expressions: Floats32 = field(repr=False)
    at_rest: Floats32 = field(repr=False)
    rings: Floats32 = field(repr=False)
    places: Floats32 = field(repr=False)
    triangles: Ints32 = field(repr=False)
    texture: TextureModel = field(repr=False)
    reader: ExpressionReader = field(repr=False)

    def encode(self, rgb: Image, points: Floats) -> Floats32:
        """The code of the person with these landmarks, each number within its usual range."""
        pose = find_pose(self.mean, points)
        own = pose.to_model(points)
        away = self.reader.read(own)[:-2] - self.at_rest
        still = own[:SKIN] - (away @ self.expressions).reshape(-1, 3)
        skin = self._skin_code(rgb, pose, own, away)
        eyes = self._eye_code(rgb, pose, own)
        code = np.concatenate([self._shape_code(still), skin, eyes])
        held: Floats32 = np.clip(code, -4, 4).astype(np.float32)
        return held

    def _shape_code(self, still: Floats) -> Floats32:
        """The shape's numbers; lids and inner lips, which expression moves most, have no say."""
        heeded = np.ones(SKIN, np.float32)
        heeded[[row for eye in LID_PAIRS for pair in eye for row in pair]] = 0.05
        heeded[[row for pair in LIP_PAIRS for row in pair]] = 0.05
        weight = np.repeat(heeded, 3)
        modes = self.shape_modes
        gram = (modes * weight) @ modes.T + _SHAPE_NOISE**2 * 5 * np.eye(len(modes))
        answer = np.linalg.solve(gram, (modes * weight) @ (still - self.mean).ravel())
        return answer.astype(np.float32)

    def _skin_code(self, rgb: Image, pose: Pose, own: Floats, away: Floats32) -> Floats32:
        mesh = complete(
            own[:SKIN].astype(np.float32), own[:SKIN].astype(np.float32), np.zeros(2, np.float32),
            self.rings,
        )  # fmt: skip
        placed = pose.to_photo(mesh)
        picture = self._lookup.take(rgb, placed[:, :2])
        seen = self._lookup.spread(facing(placed, self.triangles[:SKIN_TRIANGLES])[:, None])[..., 0]
        luma_seen = np.clip((seen - 0.2) / 0.4, 0, 1) * self._plain
        ycc = cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb).astype(np.float32)
        mean = self.texture.half_luma(np.zeros(self.texture.skin_size, np.float32), away)
        even = self._without_light(ycc[..., 0], mean, luma_seen)
        half = mean.shape[1] // 2
        size = (mean.shape[1] // 2, mean.shape[0] // 2)
        tint = cv2.resize(ycc[..., 1:], size, interpolation=cv2.INTER_AREA)
        tint -= self.texture.quarter_chroma(np.zeros(self.texture.skin_size, np.float32))
        tint_seen = cv2.resize(luma_seen, size, interpolation=cv2.INTER_AREA)
        away_luma, weight = _folded(even - mean, luma_seen)
        away_tint, tint_weight = _folded(tint, tint_seen)
        return self._solve(
            away_luma[::2, :half:2], weight[::2, :half:2], away_tint[:, : half // 2],
            tint_weight[:, : half // 2],
        )  # fmt: skip

    def _without_light(self, luma: Floats32, mean: Floats32, seen: Floats32) -> Floats32:
        """Luma divided by the shading that explains most of its difference from the mean face."""
        residual = np.log(luma + _DARK) - np.log(np.maximum(mean, 0) + _DARK)
        basis = self._shading
        used = (seen > 0.05)[::3, ::3]
        rows = basis[::3, ::3][used].astype(np.float64)
        full = np.column_stack([np.ones(len(rows)), rows])
        wanted, weight = residual[::3, ::3][used].astype(np.float64), seen[::3, ::3][used]
        found = np.zeros(full.shape[1])
        heed = weight.astype(np.float64)
        for _ in range(_ROUNDS):
            gram = (full * heed[:, None]).T @ full
            gram += np.diag([1e-6] + [2e-3 * len(full) + 1e-6] * rows.shape[1])
            found = np.linalg.solve(gram, (full * heed[:, None]).T @ wanted)
            off = np.abs(wanted - full @ found)
            heed = weight / np.maximum(1, off / 0.25)
        gain = basis @ found[1:].astype(np.float32)
        even: Floats32 = ((luma + _DARK) * np.exp(-gain) - _DARK).astype(np.float32)
        return even

    def _solve(
        self, luma: Floats32, weight: Floats32, tint: Floats32, tint_weight: Floats32
    ) -> Floats32:
        """Codes with a unit prior, and a slow change that is light, robustly."""
        size = self.texture.skin_size
        rows = [(luma.ravel(), weight.ravel(), _LUMA_NOISE)]
        rows.append((tint.reshape(-1), np.repeat(tint_weight.ravel(), 2), _CHROMA_NOISE))
        wanted = np.concatenate([values / noise for values, _, noise in rows])
        heed = np.concatenate([weights for _, weights, _ in rows])
        design = self._design
        ridge = np.concatenate([np.full(size, _PRIOR), np.full(design.shape[1] - size, 0.04)])
        used = heed > 0.02
        design, wanted, heed = design[used], wanted[used], heed[used]
        trust, answer = heed.copy(), np.zeros(design.shape[1], np.float32)
        for _ in range(_ROUNDS):
            weighted = design * trust[:, None]
            gram = (weighted.T @ design).astype(np.float64) + np.diag(ridge)
            answer = np.linalg.solve(gram, weighted.T @ wanted).astype(np.float32)
            off = np.abs(wanted - design @ answer)
            trust = heed / np.maximum(1, off / 2.0)
        return answer[:size]

    def _eye_code(self, rgb: Image, pose: Pose, own: Floats) -> Floats32:
        """The eyes' numbers from the part of both that the lids leave free."""
        skin = own[:SKIN].astype(np.float32)
        total = np.zeros(self._eye_lookup.inside.shape, np.float32)
        picture = np.zeros((*total.shape, 3), np.float32)
        count = len(self.places)
        for number, (corners, gaze) in enumerate(zip(EYES, gaze_of(own), strict=True)):
            patch = pose.to_photo(eyeball(skin, corners, gaze.astype(np.float32)))
            mesh = np.zeros((count, 2))
            mesh[SKIN : SKIN + 5] = patch[:5, :2]
            mesh[LANDMARKS + 2 * len(OUTLINE) :][: len(patch) - 5] = patch[5:, :2]
            upper, lower = zip(*LID_PAIRS[number], strict=True)
            lids = pose.to_photo(own[[*upper, *lower[::-1]]])[:, :2]
            mask = np.zeros(rgb.shape[:2], np.uint8)
            cv2.fillPoly(mask, [np.round(lids * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
            taken = self._eye_lookup.take(np.dstack([rgb, mask]), mesh)
            seen = cv2.erode(taken[..., 3], np.ones((5, 5), np.uint8)).astype(np.float32) / 255
            ycc = cv2.cvtColor(np.ascontiguousarray(taken[..., :3]), cv2.COLOR_RGB2YCrCb)
            picture += ycc * seen[..., None]
            total += seen
        picture /= np.maximum(total, 1e-3)[..., None]
        return self._solve_eye(picture, np.minimum(total, 1))

    def _solve_eye(self, picture: Floats32, seen: Floats32) -> Floats32:
        texture = self.texture
        height, width = texture.eye_glint.shape
        top, left = texture.eye_corner
        part = np.s_[top : top + height, left : left + width]
        weight = np.repeat((seen[part] * (texture.eye_glint < 8)).ravel(), 3)
        modes = texture.eye_modes
        if weight.sum() < 90:
            return np.zeros(len(modes), np.float32)
        residual = (picture[part].reshape(-1) - texture.eye_mean).astype(np.float64)
        # how bright an eye looks is the light's doing: a free offset of luma
        bright = np.zeros(len(residual))
        bright[::3] = 12.0
        design = np.column_stack([modes.T / 12.0, bright / 12.0])
        gram = (design * weight[:, None]).T @ design + np.diag([6.0] * len(modes) + [0.1])
        answer = np.linalg.solve(gram, (design * weight[:, None]).T @ (residual / 12.0))
        return answer[: len(modes)].astype(np.float32)

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(
            (self.places / 2).astype(np.float32),
            self.triangles[:SKIN_TRIANGLES],
            self.texture.side // 2,
        )

    @cached_property
    def _eye_lookup(self) -> Lookup:
        rows = (self.triangles >= LANDMARKS + 2 * len(OUTLINE)) | (
            (self.triangles >= SKIN) & (self.triangles < SKIN + 5)
        )
        last = LANDMARKS + 2 * len(OUTLINE) + 12
        first_eye = rows.all(axis=1) & (self.triangles < last).all(axis=1)
        return Lookup(self.places, self.triangles[first_eye], self.texture.side)

    @cached_property
    def _shading(self) -> Floats32:
        """Spherical harmonics of the mean face's directions, at half the texture's side."""
        mesh = complete(self.mean, self.mean, np.zeros(2, np.float32), self.rings)
        normals = vertex_normals(mesh, self.triangles[:SKIN_TRIANGLES])
        n = cv2.GaussianBlur(self._lookup.spread(normals), (0, 0), 2)
        n /= np.linalg.norm(n, axis=2, keepdims=True) + 1e-9
        x, y, z = n[..., 0], n[..., 1], n[..., 2]
        parts = [x, y, z, x * y, x * z, y * z, x * x - y * y, 3 * z * z - 1]
        return np.stack(parts, axis=-1).astype(np.float32)

    @cached_property
    def _plain(self) -> Floats32:
        """Where there is skin to look at: not in the openings of eyes and mouth, nor beyond."""
        return self._lookup.inside.astype(np.float32)

    @cached_property
    def _design(self) -> Floats32:
        """What each number of the code, and of slow light, does to the sampled pixels."""
        texture = self.texture
        size = texture.skin_size
        luma = texture.luma_modes.reshape(size, *texture.luma_mean.shape)[:, ::2, ::2]
        half = self._shading.shape[1] // 2
        # a face folded in the middle has no left and right: only harmonics that are even
        light = self._shading[::2, :half:2][..., [1, 2, 5, 6, 7]].reshape(-1, 5) * _LIGHT_PRIOR
        tint = texture.chroma_modes
        top = np.column_stack([luma.reshape(size, -1).T, light]) / _LUMA_NOISE
        bottom = np.column_stack([tint.T, np.zeros((tint.shape[1], 5))]) / _CHROMA_NOISE
        return np.concatenate([top, bottom]).astype(np.float32)


def _folded(picture: Floats32, seen: Floats32) -> tuple[Floats32, Floats32]:
    """Both halves of a picture averaged by how well they are seen."""
    total = seen + seen[:, ::-1]
    share = seen / np.maximum(total, 1e-3)
    share = share[..., None] if picture.ndim == 3 else share
    other = picture[:, ::-1]
    both = np.where(
        (total[..., None] if picture.ndim == 3 else total) > 1e-3,
        share * picture + (1 - share) * other, 0,
    )  # fmt: skip
    return both.astype(np.float32), np.minimum(total, 1).astype(np.float32)
