"""Recomputes, from the pixels of the written files, that the faces of a group are one face.

Every released face is brought back into the head frame by the ledger's placement and reduced to
the mean colour of a grid of cells. In strict mode the cells of the replaced region must agree
between all people of the group; black boxes must be black. Like the rest of the verifier this
shares nothing with the code that writes releases.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Problem = tuple[str, str]

FRAME = (448, 512)  # width and height of the head frame
CELL = 16
COLUMNS, ROWS = FRAME[0] // CELL, FRAME[1] // CELL
# How far cells may differ from the group's, in levels of 255: resampling and JPEG move them by
# about 0.3 in the mean and 4 at most; an original face differs by 10 and 30 or more.
MEAN_TOLERANCE = 3.0
CELL_TOLERANCE = 14.0
BLACK_TOLERANCE = 24.0
LEAST_CELLS = 12


def check_pixels(
    out: Path, certificate: Mapping[str, Any], ledger: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield where (a file) and what, for every face that is not the one its group shares."""
    faces: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for face in ledger.get("faces", []):
        faces[face["file"]].append(face)
    strict = certificate.get("composite") == "strict"
    regions = {group["group"]: group.get("regions", {}) for group in ledger.get("groups", [])}
    shared: dict[tuple[int, str], list[tuple[str, Floats, Bools]]] = defaultdict(list)
    for name, entries in sorted(faces.items()):
        photo = _read(out / name)
        if photo is None:
            yield name, "cannot be read as a picture"
            continue
        yield from _check_black(name, photo, entries)
        if strict:
            for key, cells, seen in _cells_of(photo, entries, regions):
                shared[key].append((name, cells, seen))
    for key in sorted(shared):
        yield from _check_group(shared[key])


def _read(path: Path) -> npt.NDArray[np.uint8] | None:
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError, SyntaxError):
        return None


def _check_black(
    name: str, photo: npt.NDArray[np.uint8], entries: list[dict[str, Any]]
) -> Iterator[Problem]:
    """A face without a surrogate lies under a black box."""
    for face in entries:
        if face["group"] is not None or face.get("hidden") is None:
            continue
        x0, y0, x1, y1 = face["hidden"]
        part = photo[y0:y1, x0:x1]
        # the outermost pixels of a JPEG's box mix with their surroundings
        inner = part[8:-8, 8:-8] if min(part.shape[:2]) > 32 else part
        if inner.size and np.percentile(inner, 99) > BLACK_TOLERANCE:
            yield name, "a face that was to be blacked out is not black"


def _cells_of(
    photo: npt.NDArray[np.uint8],
    entries: list[dict[str, Any]],
    regions: Mapping[int, Mapping[str, str]],
) -> Iterator[tuple[tuple[int, str], Floats, Bools]]:
    """The cells of each replaced face, and which of them show nothing but the shared region."""
    placed = [face for face in entries if face["group"] is not None and face["placement"]]
    for face in placed:
        key = (face["group"], str(face["state"]))
        region = _grid(regions.get(key[0], {}).get(key[1], ""))
        matrix = np.array(face["placement"], np.float64)
        seen = region & _inside(photo.shape, matrix)
        for other in entries:
            if other is not face:
                seen &= ~_covered(matrix, other, regions)
        yield key, _cells(photo, matrix), seen


def _cells(photo: npt.NDArray[np.uint8], matrix: Floats) -> Floats:
    """Mean colours of the frame's cells, sampled from a photo that is shrunk if much finer."""
    shrink = max(int(1 / math.hypot(matrix[0, 0], matrix[1, 0])), 1)
    if shrink > 1:
        size = (max(photo.shape[1] // shrink, 1), max(photo.shape[0] // shrink, 1))
        factor = np.array([photo.shape[1] / size[0], photo.shape[0] / size[1]])
        photo = cv2.resize(photo, size, interpolation=cv2.INTER_AREA)
        shift = matrix[:, :2] @ (0.5 * factor - 0.5) + matrix[:, 2]
        matrix = np.c_[matrix[:, :2] * factor, shift]
    view = cv2.warpAffine(photo, matrix, FRAME, flags=cv2.INTER_LINEAR)
    cells: Floats = view.reshape(ROWS, CELL, COLUMNS, CELL, 3).mean(axis=(1, 3))
    return cells


def _centres() -> Floats:
    """The middle of each cell in the frame, (rows, columns, 2)."""
    x = np.arange(COLUMNS) * CELL + (CELL - 1) / 2
    y = np.arange(ROWS) * CELL + (CELL - 1) / 2
    return np.stack(np.meshgrid(x, y), axis=2)


def _to_photo(matrix: Floats) -> Floats:
    """Where the cells' middles lie in the photo."""
    back = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))
    placed: Floats = _centres() @ back[:2, :2].T + back[:2, 2]
    return placed


def _inside(shape: tuple[int, ...], matrix: Floats) -> Bools:
    """Which cells the photo covers, with half a cell to spare."""
    places = _to_photo(matrix)
    spare = CELL / math.hypot(matrix[0, 0], matrix[1, 0])
    limit = np.array([shape[1], shape[0]]) - 1 - spare
    return np.asarray(((places >= spare) & (places <= limit)).all(axis=2))


def _covered(
    matrix: Floats, other: Mapping[str, Any], regions: Mapping[int, Mapping[str, str]]
) -> Bools:
    """Which cells another face's head or black box may hide."""
    places = _to_photo(matrix)
    if other.get("hidden") is not None:
        x0, y0, x1, y1 = other["hidden"]
        margin = CELL / math.hypot(matrix[0, 0], matrix[1, 0])
        low, high = np.array([x0, y0]) - margin, np.array([x1, y1]) + margin
        return np.asarray(((places >= low) & (places <= high)).all(axis=2))
    if not other.get("placement"):
        return np.zeros((ROWS, COLUMNS), bool)
    theirs = np.array(other["placement"], np.float64)
    cells = np.floor((places @ theirs[:, :2].T + theirs[:, 2]) / CELL).astype(int)
    # the head of the other fills most of its frame; two cells are the frame's empty rim
    inside = (cells >= 2) & (cells < np.array([COLUMNS, ROWS]) - 2)
    return np.asarray(inside.all(axis=2))


def _grid(text: str) -> Bools:
    """The region's cells, from the ledger's hexadecimal bits; all unset where it has none."""
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(text), np.uint8))[: ROWS * COLUMNS]
    grid = np.zeros(ROWS * COLUMNS, bool)
    grid[: len(bits)] = bits.astype(bool)
    return grid.reshape(ROWS, COLUMNS)


def _check_group(shared: list[tuple[str, Floats, Bools]]) -> Iterator[Problem]:
    """Every face against the median of its group in the same expression."""
    if len(shared) < 2:
        return
    cells = np.stack([c for _, c, _ in shared])
    seen = np.stack([s for _, _, s in shared])
    stack = np.where(seen[..., None], cells, np.nan)
    usual = np.full(cells.shape[1:], np.nan)
    known = seen.any(axis=0)
    usual[known] = np.nanmedian(stack[:, known], axis=0)
    for name, own, mask in shared:
        if mask.sum() < LEAST_CELLS:
            yield name, "too little of a replaced face is visible to be checked"
            continue
        apart = np.abs(own[mask] - usual[mask]).max(axis=1)
        if apart.mean() > MEAN_TOLERANCE or np.percentile(apart, 98) > CELL_TOLERANCE:
            yield (
                name,
                (
                    f"a face differs from the one its group shares by {apart.mean():.1f} levels in "
                    f"the mean; at most {MEAN_TOLERANCE:.0f} are allowed"
                ),
            )
