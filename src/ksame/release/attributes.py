"""Classes that can be measured on a face where no people file tells them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from ksame.arrays import Floats, Image
from ksame.errors import InputError

if TYPE_CHECKING:
    from ksame.vision import Face, Landmarks


TONE: Final = (
    "tone"  # classes of like skin, formed over the whole collection instead of face by face
)
MEASURED: Final = ("gender", "age_band", "expression")
UNKNOWN: Final = "unknown"


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
                f"select={name!r} is neither a column of the people file nor one of "
                f"{', '.join(MEASURED)}, {TONE}; add the column or choose another class"
            )
    return tuple(name for name in missing if name != TONE)


def measure(
    names: Sequence[str], rgb: Image, face: "Face", landmarks: "Landmarks", blendshapes: Floats
) -> dict[str, str]:
    """The named classes of one face; the networks run once, whatever is asked of them."""
    from ksame.vision import NoLandmarks, expression_class, gender_age

    told: dict[str, str] = {}
    if {"gender", "age_band"} & set(names):
        found = gender_age(rgb, face, landmarks)
        if isinstance(found, NoLandmarks):
            told = {"gender": UNKNOWN, "age_band": UNKNOWN}
        else:
            told = {"gender": found.gender, "age_band": found.age_band}
    if "expression" in names:
        told["expression"] = expression_class(blendshapes)
    return {name: told[name] for name in names}
