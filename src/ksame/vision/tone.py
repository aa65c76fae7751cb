"""Skin tone told against the light, by a regression on what the light leaves unchanged."""

import math
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.vision.illuminant import surroundings
from ksame.vision.skin import FaceView, colours, is_coloured, unlit_chip

FILE: Final = "skin-tone.safetensors"
_STEEPEST = 4.0  # standard deviations at which a strange measure is cut off
_RANGE = (-60.0, 70.0)  # degrees of human skin
# A regression tells tones nearer to the middle than they are. What it says of people whom it has
# not seen (from Africa, South Asia, Latin America, Europe), and what was told of them by eye
_SAID = (-60.0, -26.0, 9.0, 25.0, 44.0, 70.0)
_TRUE = (-68.0, -31.0, 9.0, 27.0, 49.5, 78.0)
_DEVIATIONS = (8.0, 40.0)  # degrees; no single photo is surer than the first
_LIGHT_PARTS = 3  # of `colours`: the skin itself, to which the surroundings are compared


def typology_angle(lab: Floats) -> float:
    """The individual typology angle of a CIE L*a*b* colour, degrees; lighter is larger."""
    return float(np.degrees(np.arctan2(lab[0] - 50.0, max(lab[2], 1e-6))))


def apparent_tone(image: Image, points: Floats) -> float:
    """The angle of the skin as the pixels show it: the tone only in even, neutral light."""
    skin = np.exp(colours(FaceView.of(image, points))[:3])
    curve = np.where(skin <= 0.0031308, 12.92 * skin, 1.055 * skin ** (1 / 2.4) - 0.055)
    lab = cv2.cvtColor(curve[None, None].astype(np.float32), cv2.COLOR_RGB2LAB)[0, 0]
    return typology_angle(lab.astype(np.float64))


def measures(image: Image, view: FaceView, boxes: Floats) -> Floats:
    """What the tone is told by: colours of the face, of its surroundings, and its unlit copy.

    Parameters
    ----------
    image
        RGB.
    view
        The face in it.
    boxes : (n, 4) array
        All faces of the photo.
    """
    own = colours(view)
    skin, green = own[:_LIGHT_PARTS], own[1]
    around = surroundings(image, boxes)
    around[:12] -= np.tile(skin, 4)
    around[12:18] -= green
    return np.concatenate([own, around, unlit_chip(view)])


@dataclass(frozen=True)
class ToneModel:
    """A kernel regression: the tone of known faces, weighed by likeness, and how far it is off.

    Attributes
    ----------
    mean, scale : (d,) arrays
        Of each measure over the training faces.
    basis : (d, c) array
        The measures' principal directions.
    centres : (m, c) array
        Known faces.
    reach : float
        The kernel is ``exp(-reach |x - centre|^2)``.
    weights : (m, 2) array
        Of the tone and of its standard deviation, degrees.
    offset : (2,) array
        What both are far from all known faces.
    """

    mean: Floats = field(repr=False)
    scale: Floats = field(repr=False)
    basis: Floats = field(repr=False)
    centres: Floats = field(repr=False)
    reach: float
    weights: Floats = field(repr=False)
    offset: Floats

    @classmethod
    def of(cls, arrays: Arrays) -> "ToneModel":
        """The model of a file's arrays."""
        parts = {name: value.astype(np.float64) for name, value in arrays.items()}
        return cls(**{**parts, "reach": parts["reach"].item()})  # type: ignore[arg-type]

    @classmethod
    @cache
    def load(cls) -> "ToneModel":
        """The model that the package ships."""
        from safetensors.numpy import load

        return cls.of(load(resources.files("ksame.vision").joinpath(FILE).read_bytes()))

    @cached_property
    def _squares(self) -> Floats:
        """The squared length of each centre, (m,)."""
        squares: Floats = (self.centres**2).sum(1)
        return squares

    def likeness(self, values: Floats) -> Floats:
        """How alike rows of measures (n, d) are to each centre, (n, m)."""
        strange = np.clip((values - self.mean) / self.scale, -_STEEPEST, _STEEPEST)
        codes = np.nan_to_num(strange, nan=0.0) @ self.basis
        apart = (codes**2).sum(1)[:, None] + self._squares - 2 * codes @ self.centres.T
        alike: Floats = np.exp(-self.reach * apart)
        return alike

    def predict(self, values: Floats) -> Floats:
        """Tone and its standard deviation (n, 2), degrees, of rows of measures."""
        told: Floats = self.likeness(values) @ self.weights + self.offset
        return told


def true_tone(said: float) -> float:
    """The tone in degrees of those of whom the regression says ``said``."""
    return float(np.interp(said, _SAID, _TRUE))


def tell_tone(image: Image, points: Floats, boxes: Floats) -> tuple[float, float]:
    """A face's tone as in even, neutral light, and its standard deviation, degrees.

    NaN and infinite where the photo has no colour.
    """
    view = FaceView.of(image, points)
    if not is_coloured(view):
        return math.nan, math.inf
    tone, deviation = ToneModel.load().predict(measures(image, view, boxes)[None])[0]
    return float(np.clip(true_tone(float(tone)), *_RANGE)), float(np.clip(deviation, *_DEVIATIONS))
