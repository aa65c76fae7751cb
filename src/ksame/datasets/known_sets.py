"""The research sets that ksame knows by name, read from a folder that the user has.

``faces.csv`` in that folder lists them: set, person, expression, gender, age, ethnicity, image and
landmarks. The folder is given, or named by the environment variable ``KSAME_DATA``.
"""

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from ksame.datasets.people_csv import read_people_csv
from ksame.errors import InputError


@dataclass(frozen=True)
class KnownFaces:
    """Faces of a known set as parallel tuples; ``landmarks`` holds None where none were marked."""

    persons: tuple[str, ...]
    expression: tuple[str, ...]
    gender: tuple[str, ...]
    age: tuple[str, ...]
    ethnicity: tuple[str, ...]
    images: tuple[Path, ...]
    landmarks: tuple[Path | None, ...]

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"KnownFaces(images={len(self)}, people={len(set(self.persons))})"

    def where(self, keep: Callable[["KnownFaces", int], bool]) -> "KnownFaces":
        """The faces i for which ``keep(self, i)`` holds."""
        rows = [i for i in range(len(self)) if keep(self, i)]
        return KnownFaces(*(tuple(getattr(self, f.name)[i] for i in rows) for f in fields(self)))


def data_folder(root: Path | str | None = None) -> Path:
    """The folder of the research sets: the one given, else ``KSAME_DATA``.

    Raises
    ------
    InputError
        Neither is given, or the folder has no ``faces.csv``.
    """
    chosen = root or os.environ.get("KSAME_DATA")
    if not chosen:
        raise InputError(
            "no folder of research sets is given. Name it with --data DIR or KSAME_DATA."
        )
    if not (Path(chosen) / "faces.csv").is_file():
        raise InputError(f"{chosen} has no faces.csv. Name the folder that holds it.")
    return Path(chosen)


def listed_faces(table: Path | str) -> KnownFaces:
    """The faces of any people.csv (`image,person[,expression,gender,age,ethnicity,landmarks]`).

    Where no column tells the expression, a person's first photo is taken for "neutral" and the
    second for "smile": gallery and probe of the papers' protocol. Further photos are "other".
    """
    path = Path(table)
    found = read_people_csv(path)
    count = len(found)

    def column(name: str) -> tuple[str, ...]:
        return found.columns.get(name, ("",) * count)

    seen: dict[str, int] = {}
    order = []
    for person in found.persons:
        order.append(_IN_ORDER.get(seen.get(person, 0), "other"))
        seen[person] = seen.get(person, 0) + 1
    return KnownFaces(
        persons=found.persons,
        expression=column("expression") if "expression" in found.columns else tuple(order),
        gender=column("gender"),
        age=column("age"),
        ethnicity=column("ethnicity"),
        images=found.images,
        landmarks=tuple(path.parent / name if name else None for name in column("landmarks")),
    )


_IN_ORDER = {0: "neutral", 1: "smile"}


def known_faces(*sets: str, root: Path | str | None = None) -> KnownFaces:
    """Read sets by name, for example ``known_faces("london", "imm")``.

    Raises
    ------
    InputError
        There is no such folder, or a set is not listed in its ``faces.csv``.
    """
    folder = data_folder(root)
    with (folder / "faces.csv").open(encoding="utf-8", newline="") as stream:
        listed = list(csv.DictReader(stream))
    names = {row["set"] for row in listed}
    for name in sets:
        if name not in names:
            raise InputError(f"unknown set {name!r}; faces.csv lists {', '.join(sorted(names))}.")
    rows = [row for row in listed if row["set"] in sets]
    return KnownFaces(
        persons=tuple(row["person"] for row in rows),
        expression=tuple(row["expression"] for row in rows),
        gender=tuple(row["gender"] for row in rows),
        age=tuple(row["age"] for row in rows),
        ethnicity=tuple(row["ethnicity"] for row in rows),
        images=tuple(folder / row["image"] for row in rows),
        landmarks=tuple(folder / row["landmarks"] if row["landmarks"] else None for row in rows),
    )
