"""The appearance model: PCA of shape-free textures, with gain and bias taken out.

A texture is every mesh pixel's values, channels together, as one row. Like shapes, textures are
normalised by linear constraints: bias makes the mean value 0 and gain makes the product with the
mean texture that texture's own square. All model textures fulfil both, so coding a decoded texture
is exact, and light's overall strength never enters the code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats, Floats32
from ksame.codecs.aam.shape import modes_to_keep
from ksame.errors import InputError
from ksame.pca import SINGLE_PRECISION, eigenpairs

_ROUNDS = 20
_SETTLED = 1e-7
_BLOCK = 8192  # columns


@dataclass(frozen=True)
class Light:
    """Gain and bias of one face: values = gain * normalised + bias, all channels alike."""

    gain: float
    bias: float


@dataclass(frozen=True, eq=False)
class AppearanceModel:
    """Mean texture, modes and variances (M section 4.2: A = A0 + sum lambda_i A_i).

    Parameters
    ----------
    mean : (m,) normalised mean texture.
    modes : (l, m) orthonormal modes, orthogonal to the mean and to a constant.
    variances : (l,) variance of each coefficient over the training textures.
    total_variance : variance of the normalised training textures before truncation.
    light : the training set's average gain and bias; `decode` uses it unless told otherwise.
    """

    mean: Floats32
    modes: Floats32
    variances: Floats
    total_variance: float
    light: Light

    def __len__(self) -> int:
        return len(self.modes)

    def normalise(self, texture: npt.ArrayLike) -> tuple[Floats, Light]:
        """The texture without its gain and bias, and what was taken out."""
        values = np.asarray(texture, dtype=np.float64).ravel()
        if values.shape != self.mean.shape:
            raise InputError(
                f"a texture of {values.size} values given; this model has {self.mean.size}. "
                "Sample it with the model's own mesh and channels."
            )
        bias = float(values.mean())
        centred = values - bias
        mean = self.mean.astype(np.float64)
        gain = float(centred @ mean / (mean @ mean))
        if not gain > 0:
            raise InputError(
                "a texture does not resemble the mean face (flat or inverted); check its landmarks."
            )
        return centred / gain, Light(gain, bias)

    def encode(self, texture: npt.ArrayLike) -> tuple[Floats, Light]:
        """Coefficients (l,) of a texture, and its gain and bias."""
        normal, light = self.normalise(texture)
        return (self.modes @ (normal - self.mean).astype(np.float32)).astype(np.float64), light

    def decode(self, coefficients: Floats, light: Light | None = None) -> Floats32:
        """The texture (m,) of coefficients, under the given light or the training average."""
        shown = self.light if light is None else light
        normal = self.mean + coefficients.astype(np.float32) @ self.modes
        return np.asarray(normal * np.float32(shown.gain) + np.float32(shown.bias))

    def truncated(self, variance: float | int) -> AppearanceModel:
        """The same model with the leading modes that hold a share of what it holds, or a count."""
        kept = modes_to_keep(self.variances, variance)
        return replace(self, modes=self.modes[:kept], variances=self.variances[:kept])


def learn_appearance(textures: Floats32, variance: float | int = 0.95) -> AppearanceModel:
    """PCA of textures (count, m), **normalised in place**: the set is never held twice.

    The modes come from the textures' products with each other (the snapshot method: count x count,
    N figure 8). Besides the textures only the modes that are kept and count^2 numbers are held.
    """
    if textures.ndim != 2 or len(textures) < 2:
        raise InputError(
            f"textures have shape {textures.shape}; give at least two as (count, values)."
        )
    mean, lights = _normalise_set(textures)
    textures -= mean
    values, vectors = eigenpairs(textures @ textures.T)
    real = values > SINGLE_PRECISION * max(float(values[0]), 1e-300)
    values, vectors = values[real] / len(textures), vectors[:, real]
    kept = modes_to_keep(values, variance)
    modes = vectors[:, :kept].T.astype(np.float32) @ textures
    return AppearanceModel(
        mean=mean,
        modes=_orthonormal(modes, mean),
        variances=values[:kept],
        total_variance=float(values.sum()),
        light=Light(*np.mean(lights, axis=0)),
    )


def _normalise_set(textures: Floats32) -> tuple[Floats32, Floats]:
    """Normalise all rows in place against their own mean; the mean and (gain, bias) rows."""
    bias = textures.mean(axis=1, dtype=np.float64)
    textures -= bias[:, None].astype(np.float32)
    gain = np.sqrt(np.einsum("nm,nm->n", textures, textures) / textures.shape[1], dtype=np.float64)
    if not np.all(gain > 0):
        raise InputError("a training texture is flat; check its image and its landmarks.")
    textures /= gain[:, None].astype(np.float32)
    mean = textures.mean(axis=0)
    for _ in range(_ROUNDS):
        factor = (textures @ mean).astype(np.float64) / float(mean @ mean)
        if not np.all(factor > 0):
            raise InputError(
                f"{int(np.sum(factor <= 0))} training textures look unlike the others (inverted); "
                "check their landmarks."
            )
        textures /= factor[:, None].astype(np.float32)
        gain *= factor
        moved = textures.mean(axis=0)
        done = float(np.abs(moved - mean).max()) < _SETTLED * float(np.abs(mean).max())
        mean = moved
        if done:
            break
    mean -= mean.mean(dtype=np.float64)
    return mean, np.stack([gain, bias], axis=1)


def _orthonormal(modes: Floats32, mean: Floats32) -> Floats32:
    """Modes made orthogonal to a constant, to the mean and to each other, in place.

    Gram-Schmidt by Cholesky, twice for full precision, in double precision over blocks of columns:
    a copy of all modes in doubles could outweigh the textures themselves.
    """
    fixed = np.stack([np.ones(mean.size), mean.astype(np.float64)])
    fixed /= np.linalg.norm(fixed, axis=1, keepdims=True)
    blocks = [slice(start, start + _BLOCK) for start in range(0, mean.size, _BLOCK)]
    for _ in range(2):
        products = np.zeros((len(modes), len(modes)))
        along = np.zeros((len(modes), 2))
        for block in blocks:
            part = modes[:, block].astype(np.float64)
            products += part @ part.T
            along += part @ fixed[:, block].T
        inverse = np.linalg.inv(np.linalg.cholesky(products - along @ along.T))
        for block in blocks:
            modes[:, block] = inverse @ (modes[:, block] - along @ fixed[:, block])
    return modes
