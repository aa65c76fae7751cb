"""Recognisers by name: ksame's own, an installed package's, or ``package.module:name``.

All of them take crops of `recognition.crops`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

from ksame.errors import InputError
from ksame.plugins import made, resolve
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


def recogniser(name: str) -> Recogniser:
    """A new recogniser by name, not yet fitted.

    Raises
    ------
    InputError
        No recogniser has this name, or what has it is none.
    """
    return made("recogniser", name, resolve("recogniser", name, RECOGNISERS), Recogniser)  # type: ignore[type-abstract]


def recognisers(names: Sequence[str]) -> list[Recogniser]:
    """Recognisers by name, in the order given; at least one."""
    if not names:
        raise InputError(f"no recogniser is named; choose from {', '.join(RECOGNISERS)}.")
    return [recogniser(name) for name in names]
