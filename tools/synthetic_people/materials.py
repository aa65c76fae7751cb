"""What each pixel is made of: skin, scalp, cloth, teeth or eye, and how it takes the light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tools.synthetic_people.assets import SKIN, TEETH, TONGUE
from tools.synthetic_people.develop import Surface, light_surface
from tools.synthetic_people.eyes import eye_colours
from tools.synthetic_people.lights import Received, Rig
from tools.synthetic_people.person import grey_mix
from tools.synthetic_people.raster import interpolate
from tools.synthetic_people.scene import EYE_PART, Scene, Sitter
from tools.synthetic_people.skin import relief_at, shade_skin
from tools.synthetic_people.surfaces import shade_cloth, shade_teeth

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass
class _Pixels:
    """One row per shown pixel; filled in material by material."""

    part: Ints
    rest: Floats
    normal: Floats
    masks: Floats
    sky: Floats
    lamps: Floats
    albedo: Floats
    gloss: Floats


def shade(
    scene: Scene, sitter: Sitter, rig: Rig, light: Received, face: Ints, weights: Floats
) -> Floats:
    """Radiance of the pixels that show a triangle, in the order of `face >= 0`."""
    shown = face >= 0
    pixels = _pixels(scene, light, face, weights)
    on_skin = (pixels.part == SKIN) & (pixels.masks[:, 4] <= 0)
    _paint_skin(pixels, sitter, on_skin)
    _paint_cloth(pixels, sitter, (pixels.part == SKIN) & ~on_skin)
    _paint_mouth(pixels, sitter)
    eyes = pixels.part == EYE_PART
    _paint_eyes(pixels, sitter, eyes)
    surface = Surface(
        pixels.albedo, pixels.normal, pixels.gloss, pixels.sky, pixels.lamps, on_skin, eyes
    )
    return light_surface(surface, rig, shown)


def _pixels(scene: Scene, light: Received, face: Ints, weights: Floats) -> _Pixels:
    """Mix what the vertices carry."""
    carried = np.hstack([scene.rest, scene.normals, scene.masks, light.sky, light.lamps])
    shown = face >= 0
    values = interpolate(carried.astype(np.float32), scene.triangles, face, weights)[shown]
    return _Pixels(
        part=scene.part[scene.triangles[face[shown], 0]],
        rest=values[:, :3],
        normal=_unit(values[:, 3:6]),
        masks=values[:, 6:12],
        sky=values[:, 12:15],
        lamps=values[:, 15:],
        albedo=np.full((len(values), 3), 0.3, np.float32),
        gloss=np.full(len(values), 0.4, np.float32),
    )


def _paint_skin(pixels: _Pixels, sitter: Sitter, where: Mask) -> None:
    """Skin, and the colour of the roots where hair grows."""
    skin = sitter.skin
    relief = np.stack(relief_at(skin, pixels.rest[where]), 1)
    traits = np.array([skin.redness, skin.freckles, skin.age, skin.shadow, skin.lashes], np.float32)
    pixels.albedo[where], pixels.normal[where], pixels.gloss[where] = shade_skin(
        pixels.rest[where], pixels.normal[where], pixels.masks[where, :4], relief,
        skin.colour, skin.lip, traits, skin.seed,
    )  # fmt: skip
    roots = grey_mix(sitter.person, np.array([0.5]))[0] * np.float32(0.8)
    share = np.clip(pixels.masks[:, 5:6] * 0.85, 0, 1) * where[:, None]
    pixels.albedo = pixels.albedo * (1 - share) + roots * share
    pixels.gloss *= 1 - share[:, 0]


def _paint_cloth(pixels: _Pixels, sitter: Sitter, where: Mask) -> None:
    shirt = np.array(sitter.person.shirt, np.float32)
    pixels.albedo[where], tilt = shade_cloth(
        pixels.rest[where], pixels.masks[where, 4], shirt, sitter.skin.seed
    )
    pixels.normal[where] = _unit(pixels.normal[where] + tilt)
    pixels.gloss[where] = 0.0


def _paint_mouth(pixels: _Pixels, sitter: Sitter) -> None:
    teeth = pixels.part == TEETH
    # light that bounces between lips and teeth is not traced
    pixels.sky[teeth] = np.maximum(pixels.sky[teeth], 0.20)
    pixels.lamps[teeth] = np.maximum(pixels.lamps[teeth], 0.42)
    pixels.albedo[teeth] = shade_teeth(pixels.rest[teeth], sitter.skin.age)
    pixels.albedo[pixels.part == TONGUE] = (0.42, 0.15, 0.13)


def _paint_eyes(pixels: _Pixels, sitter: Sitter, where: Mask) -> None:
    iris = np.array(sitter.person.eye_colour, np.float32)
    skin = sitter.skin
    pixels.albedo[where] = eye_colours(pixels.rest[where], iris, skin.age, skin.seed)
    pixels.gloss[where] = 0.0
    pixels.lamps[where] *= 0.85


def _unit(v: Floats) -> Floats:
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-9)
