"""What a codec does."""

from typing import Any, Protocol

from ksame.arrays import Floats


class Codec(Protocol):
    """What a codec does; `fit` learns from the faces of the closed set and returns the codec.

    ``encode`` turns faces (n, ...) into codes (n, c); ``decode`` turns codes into faces of the
    shape that was fitted. Distances between codes decide who is grouped with whom.
    """

    def fit(self, X: Floats) -> Any: ...

    def encode(self, X: Floats) -> Floats: ...

    def decode(self, codes: Floats) -> Floats: ...
