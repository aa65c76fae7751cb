"""The named de-identifiers: the k-Same family, and ad hoc methods to compare them with."""

from importlib import import_module
from typing import Any

from ksame.methods.ksame import GROUPINGS, KSame, KSameEigen, KSameFurthest, KSamePixel
from ksame.methods.select import KSameSelect

# What brings OpenCV or the appearance model with it is imported on first use (PEP 562).
_HOMES = {
    "AD_HOC": "ksame.methods.adhoc",
    "KSameM": "ksame.methods.ksame_m",
    "conceal": "ksame.methods.adhoc",
    "conceal_box": "ksame.methods.adhoc",
}

__all__ = [
    "AD_HOC",
    "GROUPINGS",
    "KSame",
    "KSameEigen",
    "KSameFurthest",
    "KSameM",
    "KSamePixel",
    "KSameSelect",
    "conceal",
    "conceal_box",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ksame.methods' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
