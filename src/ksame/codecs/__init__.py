"""A face to a vector and back: what people are grouped by, and what surrogates are averaged in."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ksame.codecs.eigen import Eigen
from ksame.codecs.pixels import Pixels


class Codec(Protocol):
    """What a codec does; `fit` learns from the faces of the closed set and returns the codec.

    ``encode`` turns faces (n, ...) into codes (n, c); ``decode`` turns codes into faces of the
    shape that was fitted. Distances between codes decide who is grouped with whom.
    """

    def fit(self, X: npt.NDArray[np.float64]) -> Any: ...

    def encode(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...

    def decode(self, codes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...


__all__ = ["Codec", "Eigen", "Pixels"]
