"""The texture of a face from its numbers: low frequencies by modes, fine skin by layers."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from ksame.arrays import Array, Bools, Floats32, Image, Indices
from ksame.codecs.face.relief import STRONGER, fine_relief, in_relief

Mask = Bools

# how many numbers of a code decide whose fine skin fits it: the coarse looks of the face
_COARSE = 40
_LOOKS_COUNT = 0.15  # of squared standard deviations of looks, against the cosine of codes
_TEETH_LIT = 1.22  # teeth were learned behind lips, in their shade; shown, they are lit as skin is
# red and blue (Cr, Cb) of a white that teeth and whites of eyes have more in photographs, beside
# the skin around them: learned in shade they are bluish
_TEETH_WARMER, _EYE_WARMER = (14.0, -9.0), (4.0, -4.0)
_WHITE_OF_EYE, _EYE_CONTRAST = 92, 1.35  # percentile of an eye's luma, and the power below it
_SHADED = 0.6  # of an eye's luma that lids take which leave a slit: a narrow eye is a dark line
_WIDEST_EYE = 2.2  # standard deviations that an eye's colour may be from the mean


@dataclass(frozen=True, eq=False)
class TextureModel:
    """Means, modes and layers; luma and chroma are those of JPEG (BT.601).

    Faces are symmetric but for the fine layers, so modes are held for the left half alone: luma at
    half the texture's resolution, chroma at a quarter.
    """

    side: int
    luma_mean: Floats32 = field(repr=False)  # (side / 2, side / 4)
    luma_modes: Floats32 = field(repr=False)  # (t, side / 2 * side / 4)
    chroma_mean: Floats32 = field(repr=False)  # (side / 4, side / 8, 2)
    chroma_modes: Floats32 = field(repr=False)  # (t, side / 4 * side / 8 * 2)
    folds: Floats32 = field(repr=False)  # (expressions, side / 2 * side / 4)
    layers: npt.NDArray[np.int8] = field(repr=False)  # (l, pixels of the mask)
    layer_steps: Floats32 = field(repr=False)
    layer_codes: Floats32 = field(repr=False)  # (l, coarse), unit vectors
    layer_mask: Mask = field(repr=False)  # (side, side)
    layer_looks: Floats32 = field(repr=False)  # (l, 3): sex, age, tone, standardised
    looks_modes: Floats32 = field(repr=False)  # (t + 1, 3): what a code says of them
    eye_mean: Floats32 = field(repr=False)  # (h * w * 3)
    eye_modes: Floats32 = field(repr=False)  # (e, h * w * 3)
    eye_glint: Floats32 = field(repr=False)  # (h, w)
    eye_corner: tuple[int, int] = field(repr=False)  # row, column in the texture
    eye_mask: Mask = field(repr=False)  # (h, w)
    mouths: Image = field(repr=False)  # (m, h, w, 3) as luma, Cr, Cb
    mouth_codes: Floats32 = field(repr=False)  # (m, coarse), unit vectors
    mouth_corner: tuple[int, int] = field(repr=False)

    @property
    def skin_size(self) -> int:
        """How many numbers of a code describe the skin; the others are the eyes'."""
        return len(self.luma_modes)

    @property
    def size(self) -> int:
        """How many numbers a texture's code has."""
        return len(self.luma_modes) + len(self.eye_modes)

    @classmethod
    def of(cls, arrays: dict[str, Array]) -> "TextureModel":
        """The textures of a model's file."""

        def plain(name: str) -> Floats32:
            return arrays[name].astype(np.float32)

        def modes(name: str, mask: Mask, channels: int = 1) -> Floats32:
            steps = arrays[f"{name}_steps"].astype(np.float32)[:, None]
            inside = arrays[name].astype(np.float32) * steps
            whole = np.zeros((len(inside), mask.size, channels), np.float32)
            whole[:, mask.ravel()] = inside.reshape(len(inside), -1, channels)
            return whole.reshape(len(inside), -1)

        luma_mask, chroma_mask = (arrays[f"{n}_mask"].astype(bool) for n in ("luma", "chroma"))
        eye, mouth = arrays["eye_corner"], arrays["mouth_corner"]
        return cls(
            side=len(arrays["layer_mask"]),
            luma_mean=plain("luma_mean"),
            luma_modes=modes("luma_modes", luma_mask),
            chroma_mean=plain("chroma_mean"),
            chroma_modes=modes("chroma_modes", chroma_mask, 2),
            folds=modes("folds", luma_mask),
            layers=arrays["layers"],
            layer_steps=plain("layer_steps"),
            layer_codes=_units(plain("layer_codes")[:, :_COARSE]),
            layer_mask=arrays["layer_mask"].astype(bool),
            layer_looks=_looks(plain("layer_codes"), plain("looks_modes")),
            looks_modes=plain("looks_modes"),
            eye_mean=plain("eye_mean"),
            eye_modes=arrays["eye_modes"].astype(np.float32) * plain("eye_modes_steps")[:, None],
            eye_glint=plain("eye_glint"),
            eye_corner=(int(eye[0]), int(eye[1])),
            eye_mask=arrays["eye_mask"].astype(bool),
            mouths=arrays["mouths"],
            mouth_codes=_units(plain("mouth_codes")[:, :_COARSE]),
            mouth_corner=(int(mouth[0]), int(mouth[1])),
        )

    def decode(self, code: Floats32, moved: Floats32, closed: float = 0.0) -> Image:
        """The texture of a code with expression weights, relative to rest, as RGB.

        ``closed`` is how far the wider eye is closed, 0 to 1: lashes and lid shade what is left.
        """
        skin, eye = code[: self.skin_size], code[self.skin_size :]
        coarse = skin[:_COARSE]
        rest, layer, chroma = self._at_rest(skin.tobytes())
        luma = _mirrored(rest + np.float32(STRONGER) * (moved @ self.folds).reshape(rest.shape))
        full = cv2.resize(luma, (self.side, self.side), interpolation=cv2.INTER_CUBIC)
        full.reshape(-1)[self._layer_places] += layer
        picture: Floats32 = cv2.merge([full, chroma])
        shade = 1 - _SHADED * min(max((closed - 0.1) / 0.6, 0.0), 1.0)
        shaded = self._eye(eye.tobytes()) * np.array([shade, 1, 1], np.float32)
        _put(picture, shaded, self.eye_corner, self.eye_mask)
        teeth = self._lit_mouths[int(np.argmax(self.mouth_codes @ coarse))]
        _put(picture, teeth, self.mouth_corner, None)
        # adding nothing rounds, and holds within 0 to 255
        whole = cv2.add(picture, (0.0, 0.0, 0.0, 0.0), dtype=cv2.CV_8U)
        rgb: Image = cv2.cvtColor(whole, cv2.COLOR_YCrCb2RGB)
        return rgb

    @cached_property
    def _layer_places(self) -> Indices:
        """The pixels of the layers' mask, by their numbers."""
        return np.flatnonzero(self.layer_mask)

    @lru_cache(maxsize=32)  # photos of a group follow one another  # noqa: B019 (one model)
    def _at_rest(self, code: bytes) -> tuple[Floats32, Floats32, Floats32]:
        """What does not change with the expression: luma of a half, fine layer, chroma."""
        skin = np.frombuffer(code, np.float32)
        rest = self.luma_mean + (skin @ self.luma_modes).reshape(self.luma_mean.shape)
        rest = in_relief(rest)
        chosen = self._fitting_layer(skin)
        layer = fine_relief(self.layers[chosen], float(self.layer_steps[chosen]))
        chroma = cv2.resize(self.quarter_chroma(skin), (self.side, self.side))
        return rest, layer, chroma

    def _fitting_layer(self, skin: Floats32) -> int:
        """The layer whose person has the most similar face, of much the same sex and age."""
        unit = _units(skin[None, :_COARSE])[0]
        apart = ((self.layer_looks - _looks(skin[None], self.looks_modes)) ** 2).sum(axis=1)
        return int(np.argmax(self.layer_codes @ unit - _LOOKS_COUNT * apart))

    def half_luma(self, skin: Floats32, moved: Floats32) -> Floats32:
        """The luma of the skin's modes, (side / 2, side / 2), without fine layers."""
        left = self.luma_mean + (skin @ self.luma_modes + moved @ self.folds).reshape(
            self.luma_mean.shape
        )
        return _mirrored(left)

    def quarter_chroma(self, skin: Floats32) -> Floats32:
        """The chroma of the skin's modes, (side / 4, side / 4, 2)."""
        left = self.chroma_mean + (skin @ self.chroma_modes).reshape(self.chroma_mean.shape)
        return _mirrored(left)

    @cached_property
    def _lit_mouths(self) -> Floats32:
        """The insides of mouths (m, h, w, 3), lit as skin is."""
        lit = self.mouths.astype(np.float32) * np.array([_TEETH_LIT, 1, 1], np.float32)
        return _warmer(lit, _TEETH_WARMER)

    @lru_cache(maxsize=32)  # as `_at_rest`  # noqa: B019
    def _eye(self, code: bytes) -> Floats32:
        held = np.clip(np.frombuffer(code, np.float32), -_WIDEST_EYE, _WIDEST_EYE)
        eye = (self.eye_mean + held @ self.eye_modes).reshape(*self.eye_glint.shape, 3)
        white = float(np.percentile(eye[..., 0], _WHITE_OF_EYE))
        eye[..., 0] = white * (np.maximum(eye[..., 0], 1) / white) ** _EYE_CONTRAST
        eye[..., 0] += self.eye_glint
        return _warmer(eye, _EYE_WARMER)


def _warmer(part: Floats32, white: tuple[float, float]) -> Floats32:
    """A part (h, w, 3) in luma, Cr and Cb under a warmer light: dark stays as it is."""
    part[..., 1:] += part[..., :1] * (np.array(white, np.float32) / np.float32(255))
    return part


def _mirrored(left: Floats32) -> Floats32:
    """A face of which the left half is given."""
    return np.concatenate([left, left[:, ::-1]], axis=1)


def _put(picture: Floats32, part: Floats32, corner: tuple[int, int], mask: Mask | None) -> None:
    """Lay a part over a picture, inside a mask."""
    there = picture[corner[0] : corner[0] + len(part), corner[1] : corner[1] + part.shape[1]]
    if mask is None:
        there[:] = part
    else:
        there[mask] = part[mask]


def _looks(codes: Floats32, modes: Floats32) -> Floats32:
    """Sex, age and tone that codes (n, t) say, standardised."""
    looks: Floats32 = codes @ modes[:-1] + modes[-1]
    return looks


def _units(codes: Floats32) -> Floats32:
    units: Floats32 = codes / np.maximum(np.linalg.norm(codes, axis=1, keepdims=True), 1e-6)
    return units
