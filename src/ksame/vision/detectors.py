"""Detectors by name: ksame's own, an installed package's, or ``package.module:name``."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from ksame.arrays import Image
from ksame.faces import Faces
from ksame.plugins import made, resolve
from ksame.vision.yunet import YuNet


@runtime_checkable
class Detector(Protocol):
    """Finds faces in one image as it is.

    `find_faces` shows it every photo at several scales, turned and bordered where that helps; a
    detector needs no scales of its own.
    """

    @property
    def name(self) -> str:
        """How certificates call this detector."""
        ...

    def detect(self, rgb: Image, min_score: float) -> Faces:
        """The faces of an image (h, w, 3) that score at least ``min_score``, in its pixels."""
        ...


DETECTORS: dict[str, Callable[[], Detector]] = {"yunet": YuNet}


def detector(name: str) -> Detector:
    """A detector by name.

    Raises
    ------
    InputError
        No detector has this name, or what has it is none.
    """
    return made("detector", name, resolve("detector", name, DETECTORS), Detector)  # type: ignore[type-abstract]
