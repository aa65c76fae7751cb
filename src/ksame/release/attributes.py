"""Classes that can be measured on a face where no people file tells them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ksame.errors import InputError

if TYPE_CHECKING:
    from ksame.composite import Portrait
    from ksame.vision import Face

Image = npt.NDArray[np.uint8]


def _gender(rgb: Image, face: "Face", portrait: "Portrait") -> str:
    from ksame.vision import gender_age

    found: Any = gender_age(rgb, face)
    return found.gender if found else "unknown"


def _age_band(rgb: Image, face: "Face", portrait: "Portrait") -> str:
    from ksame.vision import gender_age

    found: Any = gender_age(rgb, face)
    return found.age_band if found else "unknown"


def _expression(rgb: Image, face: "Face", portrait: "Portrait") -> str:
    from ksame.vision import expression_class

    return expression_class(portrait.blendshapes)


TONE = "tone"  # classes of like skin, formed over the whole collection instead of face by face
MEASURED: Mapping[str, Callable[[Image, "Face", "Portrait"], str]] = {
    "gender": _gender,
    "age_band": _age_band,
    "expression": _expression,
}


def to_measure(select: Sequence[str], columns: Iterable[str]) -> tuple[str, ...]:
    """The classes that the people file does not hold.

    Raises
    ------
    InputError
        A class is neither a column nor one that can be measured.
    """
    missing = [name for name in select if name not in set(columns)]
    for name in missing:
        if name not in MEASURED and name != TONE:
            raise InputError(
                f"--select {name} is neither a column of the people file nor one of "
                f"{', '.join(MEASURED)}, {TONE}; add the column or choose another class"
            )
    return tuple(name for name in missing if name != TONE)


def measure(names: Sequence[str], rgb: Image, face: "Face", portrait: "Portrait") -> dict[str, str]:
    """The named classes of one face."""
    return {name: MEASURED[name](rgb, face, portrait) for name in names}
