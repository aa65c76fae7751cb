"""Reads landmark files: ``.pts`` (ibug), ``.asf`` (IMM), ``.tem`` (Psychomorph) and ``.csv``.

Every reader gives an ``(n, 2)`` float array of x, y in pixels of the image.
"""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from ksame.arrays import Floats
from ksame.errors import MediaError


def read_points(path: Path | str) -> Floats:
    """Read the landmarks of one image; the kind of file is told by its ending.

    Raises
    ------
    MediaError
        The file cannot be read, has another ending, or holds something else than finite points.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise MediaError(
            f"{path.name}: landmark files end in {', '.join(_READERS)}, not {path.suffix!r}. "
            "Convert it to a CSV with the columns x,y."
        )
    try:
        points = np.asarray(reader(path), dtype=np.float64)
    except (OSError, UnicodeDecodeError, ValueError, IndexError, KeyError) as error:
        raise MediaError(f"{path.name}: not a readable {path.suffix} file ({error}).") from error
    if points.ndim != 2 or points.shape[1] != 2 or not len(points) or not np.isfinite(points).all():
        raise MediaError(f"{path.name}: holds no finite x y pairs. Mark the image again.")
    return points


def write_points(path: Path | str, points: Floats) -> None:
    """Write landmarks as a ``.pts`` file."""
    lines = [f"{x:.4f} {y:.4f}" for x, y in points]
    text = "\n".join(["version: 1", f"n_points: {len(lines)}", "{", *lines, "}", ""])
    Path(path).write_text(text, encoding="ascii")


def _read_pts(path: Path) -> list[list[float]]:
    """``n_points: n`` and then the points between braces."""
    head, _, rest = path.read_text(encoding="utf-8").partition("{")
    rows = _pairs(rest.partition("}")[0].splitlines())
    stated = [int(line.split(":")[1]) for line in head.splitlines() if line.startswith("n_points")]
    if stated and stated[0] != len(rows):
        raise ValueError(f"n_points is {stated[0]}, but {len(rows)} points follow")
    return rows


def _read_tem(path: Path) -> list[list[float]]:
    """The number of points, the points, and then the contours, which are not needed."""
    lines = path.read_text(encoding="utf-8").split("\n")
    count = int(lines[0])
    rows = _pairs(lines[1 : 1 + count])
    if len(rows) != count:
        raise ValueError(f"{count} points are announced, but {len(rows)} follow")
    return rows


def _read_asf(path: Path) -> list[list[float]]:
    """Columns path, type, x, y, ...: shares of the size of the image on the last line."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    count, host = int(lines[0]), lines[-1]
    rows = [[float(cell) for cell in line.split()[2:4]] for line in lines[1 : 1 + count]]
    if len(rows) != count:
        raise ValueError(f"{count} points are announced, but {len(rows)} follow")
    from PIL import Image

    with Image.open(path.with_name(host)) as image:
        width, height = image.size
    return [[x * width, y * height] for x, y in rows]


def _read_csv(path: Path) -> list[list[float]]:
    """Columns x and y under a header, or two columns without one."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.reader(stream) if row]
    header = [cell.strip().lower() for cell in rows[0]]
    if "x" in header and "y" in header:
        x, y = header.index("x"), header.index("y")
        return [[float(row[x]), float(row[y])] for row in rows[1:]]
    if len(header) != 2:
        raise ValueError("the header must name the columns x and y")
    return [[float(cell) for cell in row] for row in rows]


def _pairs(lines: Iterable[str]) -> list[list[float]]:
    return [[float(cell) for cell in line.split()[:2]] for line in lines if line.strip()]


_READERS: dict[str, Callable[[Path], list[list[float]]]] = {
    ".pts": _read_pts,
    ".asf": _read_asf,
    ".tem": _read_tem,
    ".csv": _read_csv,
}
