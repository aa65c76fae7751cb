"""The recognisers that the command line knows by name; all of them take crops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

from ksame.errors import InputError
from ksame.recognition.contract import Recogniser
from ksame.recognition.crops import inner_grey
from ksame.recognition.deep import DlibResNet, SFace
from ksame.recognition.eigenfaces import Eigenfaces
from ksame.recognition.spaces import Viewed

RECOGNISERS: dict[str, Callable[[], Recogniser]] = {
    "eigenfaces": lambda: Viewed(Eigenfaces(0.98), inner_grey),
    "eigenfaces-mahalanobis": lambda: Viewed(Eigenfaces(0.98, "mahalanobis"), inner_grey),
    "sface": SFace,
    "dlib": DlibResNet,
}

DEFAULT = ("eigenfaces", "sface", *(("dlib",) if find_spec("dlib") else ()))
"""What an attack uses unless told otherwise; dlib where its extra is installed."""


def recognisers(names: Sequence[str]) -> list[Recogniser]:
    """Recognisers by name, in the order given."""
    unknown = [name for name in names if name not in RECOGNISERS]
    if unknown or not names:
        raise InputError(
            f"recogniser {unknown[0] if unknown else ''!r} is not known; choose from "
            f"{', '.join(RECOGNISERS)}."
        )
    return [RECOGNISERS[name]() for name in names]
