"""Reads ``people.csv``: which image shows which person, with any label columns."""

import csv
from dataclasses import dataclass
from pathlib import Path

from ksame.errors import MediaError


@dataclass(frozen=True)
class PeopleTable:
    """Images, the person on each, and label columns, as parallel tuples.

    ``images`` are paths as they resolve from the folder of the CSV. The repr gives counts only:
    person ids may be names.
    """

    images: tuple[Path, ...]
    persons: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return (
            f"PeopleTable(images={len(self)}, people={len(set(self.persons))}, "
            f"columns={sorted(self.columns)})"
        )


def read_people_csv(path: Path | str) -> PeopleTable:
    """Read ``image,person[,gender,expression,...]``.

    Raises
    ------
    MediaError
        A column is missing, a row is ragged or has an empty image or person, an image is listed
        twice, or the file is no CSV in UTF-8.
    """
    path = Path(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = [row for row in csv.reader(stream) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise MediaError(f"{path.name}: not readable as a CSV in UTF-8 ({error}).") from error
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    for needed in ("image", "person"):
        if header.count(needed) != 1:
            raise MediaError(
                f"{path.name}: the header needs one column {needed!r}; it has "
                f"{', '.join(header) or 'nothing'}. Write: image,person[,gender,expression,...]"
            )
    cells = [_row(path, number, row, header) for number, row in enumerate(rows[1:], start=2)]
    columns = {name: tuple(row[i] for row in cells) for i, name in enumerate(header)}
    images = tuple(path.parent / image for image in columns.pop("image"))
    if len(set(images)) != len(images):
        twice = next(image for i, image in enumerate(images) if image in images[:i])
        raise MediaError(
            f"{path.name}: {twice.name} is listed twice; every image takes one row. Delete one."
        )
    return PeopleTable(images, columns.pop("person"), columns)


def _row(path: Path, number: int, row: list[str], header: list[str]) -> list[str]:
    if len(row) != len(header):
        raise MediaError(
            f"{path.name} line {number}: has {len(row)} cells, the header {len(header)}. "
            "Quote cells that hold a comma."
        )
    cells = [cell.strip() for cell in row]
    if not cells[header.index("image")] or not cells[header.index("person")]:
        raise MediaError(f"{path.name} line {number}: image and person must not be empty.")
    return cells
