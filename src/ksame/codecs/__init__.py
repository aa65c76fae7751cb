"""A face to a vector and back: what people are grouped by, and what surrogates are averaged in."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ksame.codecs.contract import Codec
    from ksame.codecs.eigen import Eigen
    from ksame.codecs.pixels import Pixels

# scikit-learn is imported on first use (PEP 562): the face model does without it
_HOMES = {"Codec": "contract", "Eigen": "eigen", "Pixels": "pixels"}

__all__ = ["Codec", "Eigen", "Pixels"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ksame.codecs' has no attribute {name!r}")
    return getattr(import_module(f"ksame.codecs.{_HOMES[name]}"), name)
