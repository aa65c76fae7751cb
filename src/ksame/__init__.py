"""ksame: face de-identification with a proof.

Every released face is shared by at least k different people, so that no recogniser links it to
its person with better than 1/k probability. The names below are imported when they are first
used, so that ``import ksame`` stays fast.
"""

from importlib import import_module
from typing import Any

from ksame._version import __version__

_HOMES = {
    "FaceSet": "ksame.faceset",
    "KSame": "ksame.methods",
    "KSamePixel": "ksame.methods",
    "KSameEigen": "ksame.methods",
    "KSameM": "ksame.methods",
    "KSameFurthest": "ksame.methods",
    "KSameSelect": "ksame.methods",
    "ActiveAppearanceModel": "ksame.codecs.aam",
    "Eigenfaces": "ksame.recognition",
    "check_k_anonymity": "ksame.metrics",
    "cmc": "ksame.metrics",
    "datasets": "ksame",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public name where it lives, on first use (PEP 562)."""
    if name == "datasets":
        return import_module("ksame.datasets")
    if name not in _HOMES:
        raise AttributeError(f"module 'ksame' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
