"""The named de-identifiers: the k-Same family, and ad hoc methods to compare them with."""

from importlib import import_module
from typing import Any

from ksame.methods.ksame import GROUPINGS, KSame, KSameEigen, KSameFurthest, KSamePixel
from ksame.methods.select import KSameSelect

__all__ = [
    "GROUPINGS",
    "KSame",
    "KSameEigen",
    "KSameFurthest",
    "KSameM",
    "KSamePixel",
    "KSameSelect",
]


def __getattr__(name: str) -> Any:
    """Import k-Same-M, which brings the appearance model with it, on first use (PEP 562)."""
    if name == "KSameM":
        return import_module("ksame.methods.ksame_m").KSameM
    raise AttributeError(f"module 'ksame.methods' has no attribute {name!r}")
