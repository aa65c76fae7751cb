"""The faces of one picture as parallel arrays: what finding them returns and the passes hand on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ksame.arrays import Array, Arrays, Bools, Floats, Ints, frozen
from ksame.errors import InputError

LANDMARKS = 478  # points of MediaPipe's face mesh
_TEXT = "text/"  # in arrays: a column of strings as UTF-8 bytes, one row a face
_DATA = "data/"


@dataclass(frozen=True)
class Face:
    """One face of a picture.

    Attributes
    ----------
    box : (4,) array
        ``xyxy`` in photo pixels; may reach over the border of the photo.
    score : float
        The detector's confidence, 0 to 1.
    points : (5, 2) array
        The subject's right eye, left eye, nose tip, right and left corner of the mouth.
    """

    box: Floats
    score: float
    points: Floats

    @property
    def size(self) -> float:
        """The longer side of the box."""
        return float(max(self.box[2] - self.box[0], self.box[3] - self.box[1]))


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Faces(Sequence[Face]):
    """n faces of one picture; validated once, immutable.

    ``len``, iteration (one `Face` after another) and ``faces[3]`` work as with a list; a mask, a
    slice or an index array gives the faces chosen, with all their columns. The repr names columns
    and no person.

    Parameters
    ----------
    xyxy : array-like (n, 4)
        Boxes in photo pixels; they may reach over the border of the photo.
    points : array-like (n, 5, 2)
        The subject's right eye, left eye, nose tip, right and left corner of the mouth.
    score : array-like (n,)
        The detector's confidence, 0 to 1.
    landmarks : array-like (n, 478, 3), optional
        Photo pixels and depth; NaN where a face has none.
    track : array-like (n,) of int, optional
        Which faces of a video are one person's, picture after picture.
    person : array-like (n,) of str, optional
        Whose faces they are.
    failure : array-like (n,) of str, optional
        Why a face cannot be replaced; empty where it can.
    data : mapping of name to array-like (n, ...), optional
        Any further columns.
    """

    xyxy: Floats
    points: Floats
    score: Floats
    landmarks: Floats | None
    track: Ints | None
    person: Array | None
    failure: Array | None
    data: Mapping[str, Array]

    def __init__(
        self,
        xyxy: npt.ArrayLike,
        points: npt.ArrayLike,
        score: npt.ArrayLike,
        *,
        landmarks: npt.ArrayLike | None = None,
        track: npt.ArrayLike | None = None,
        person: npt.ArrayLike | None = None,
        failure: npt.ArrayLike | None = None,
        data: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        n = len(np.asarray(xyxy))
        given = (xyxy, points, score, landmarks, track, person, failure)
        for (name, shape), value in zip(_SHAPES.items(), given, strict=True):
            column = None if value is None else _column(name, value, (n, *shape))
            object.__setattr__(self, name, column)
        columns = {str(name): _any_column(name, v, n) for name, v in (data or {}).items()}
        object.__setattr__(self, "data", MappingProxyType(columns))

    @classmethod
    def empty(cls) -> "Faces":
        """No faces."""
        return cls(np.zeros((0, 4)), np.zeros((0, 5, 2)), np.zeros(0))

    @classmethod
    def of(cls, faces: Sequence[Face]) -> "Faces":
        """Single faces, put together."""
        if not faces:
            return cls.empty()
        return cls(
            xyxy=np.stack([face.box for face in faces]),
            points=np.stack([face.points for face in faces]),
            score=np.array([face.score for face in faces]),
        )

    @classmethod
    def merge(cls, parts: "Sequence[Faces]") -> "Faces":
        """All faces of several values, in their order.

        Parts without faces are passed over; of the others, all must have the same columns.
        """
        shown = [part for part in parts if len(part)]
        if not shown:
            return parts[0] if parts else cls.empty()
        if len(shown) == 1:
            return shown[0]
        every = [part._columns() for part in shown]
        if odd := sorted({name for columns in every for name in columns.keys() ^ every[0].keys()}):
            raise InputError(
                f"faces with and without {', '.join(odd)} cannot be merged. "
                "Give every part the same columns."
            )
        return cls._from_columns(
            {name: np.concatenate([part[name] for part in every]) for name in every[0]}
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> "Faces":
        """The inverse of `as_arrays`."""
        return cls._from_columns(
            {
                name.removeprefix(_TEXT): _as_text(value) if name.startswith(_TEXT) else value
                for name, value in arrays.items()
            }
        )

    def as_arrays(self) -> Arrays:
        """All columns as arrays of numbers, for a file format that knows no strings."""
        return {
            f"{_TEXT}{name}" if value.dtype.kind == "U" else name: _as_bytes(value)
            for name, value in self._columns().items()
        }

    def __len__(self) -> int:
        return len(self.xyxy)

    def __repr__(self) -> str:
        names = ", ".join(name.removeprefix(_DATA) for name in self._columns())
        return f"Faces({len(self)} faces, columns: {names})"

    def __iter__(self) -> Iterator[Face]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, rows: int) -> Face: ...

    @overload
    def __getitem__(self, rows: slice | Bools | npt.NDArray[np.integer] | list[int]) -> "Faces": ...

    def __getitem__(self, rows: Any) -> "Face | Faces":
        """One face by its number, or the faces of a mask, a slice or an index array."""
        if isinstance(rows, int | np.integer):
            return Face(self.xyxy[rows], float(self.score[rows]), self.points[rows])
        if isinstance(rows, list) and not rows:
            rows = slice(0)  # NumPy takes an empty list for numbers with a fraction
        chosen = np.arange(len(self))[rows]
        own = {name: getattr(self, name) for name in _SHAPES}
        rest = {name: _chosen(value, chosen) for name, value in self.data.items()}
        return self._valid(
            {name: None if v is None else _chosen(v, chosen) for name, v in own.items()}, rest
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are validated and frozen again."""
        return _rebuilt, (self._columns(),)

    @property
    def size(self) -> Floats:
        """The longer side (n,) of each box."""
        sides: Floats = (self.xyxy[:, 2:] - self.xyxy[:, :2]).max(axis=1, initial=0.0)
        return sides

    def with_data(self, **columns: npt.ArrayLike) -> "Faces":
        """The same faces with further columns, or others of the same name."""
        every: dict[str, npt.ArrayLike] = {**self.data, **columns}
        own = {name: getattr(self, name) for name in _SHAPES}
        return Faces(**own, data=every)

    @classmethod
    def _valid(cls, own: Mapping[str, Array | None], data: Mapping[str, Array]) -> "Faces":
        """Faces of columns that are checked and frozen already: rows of those of other faces."""
        faces = cls.__new__(cls)
        for name, column in own.items():
            object.__setattr__(faces, name, column)
        object.__setattr__(faces, "data", MappingProxyType(dict(data)))
        return faces

    def _columns(self) -> Arrays:
        """Every column that is there; those of ``data`` under ``data/NAME``."""
        own = {name: getattr(self, name) for name in _SHAPES}
        named = {name: value for name, value in own.items() if value is not None}
        return named | {f"{_DATA}{name}": value for name, value in self.data.items()}

    @classmethod
    def _from_columns(cls, columns: Mapping[str, Array]) -> "Faces":
        own = {name: value for name, value in columns.items() if not name.startswith(_DATA)}
        if unknown := sorted(own.keys() - {one.name for one in fields(cls)}):
            raise InputError(f"{unknown[0]!r} is no column of faces. Put it into data.")
        further = {n.removeprefix(_DATA): v for n, v in columns.items() if n.startswith(_DATA)}
        return cls(**own, data=further)


_SHAPES: dict[str, tuple[int, ...]] = {
    "xyxy": (4,),
    "points": (5, 2),
    "score": (),
    "landmarks": (LANDMARKS, 3),
    "track": (),
    "person": (),
    "failure": (),
}
_TYPES: dict[str, npt.DTypeLike] = {"track": np.int64, "person": np.str_, "failure": np.str_}


def _rebuilt(columns: Arrays) -> Faces:
    return Faces._from_columns(columns)


def _column(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A column of faces, checked for its shape and frozen."""
    column = np.asarray(value, dtype=_TYPES.get(name, np.float64))
    if column.shape != shape:
        raise InputError(
            f"{name} has shape {column.shape}; {shape[0]} faces need {shape}. "
            "Give one row for each face."
        )
    if name in ("xyxy", "points", "score") and not np.isfinite(column).all():
        raise InputError(f"{name} holds numbers that are not finite. Leave those faces out.")
    return frozen(column)


def _chosen(column: Array, rows: Ints) -> Array:
    """Some rows of a column of faces, frozen as it is."""
    chosen: Array = column[rows]
    chosen.flags.writeable = False
    return chosen


def _any_column(name: str, value: Any, n: int) -> Array:
    """A further column, whatever it holds."""
    column = np.asarray(value)
    if column.ndim == 0 or len(column) != n:
        raise InputError(
            f"column {name!r} has shape {column.shape}; {n} faces need one row each. "
            "Give as many values as there are faces."
        )
    if column.dtype.kind not in "biufU":
        raise InputError(
            f"column {name!r} holds values of type {column.dtype}; numbers or strings are needed."
        )
    return frozen(column)


def _as_bytes(column: Array) -> Array:
    """Strings as rows of UTF-8 bytes, filled up with zeros; numbers as they are."""
    if column.dtype.kind != "U":
        return column
    encoded = [text.encode() for text in column.ravel().tolist()]
    width = max(map(len, encoded), default=0)
    rows = b"".join(text.ljust(width, b"\0") for text in encoded)
    return np.frombuffer(rows, np.uint8).reshape(*column.shape, width)


def _as_text(rows: Array) -> Array:
    """The inverse of `_as_bytes`."""
    flat = rows.reshape(-1, rows.shape[-1]) if rows.size else np.zeros((rows.shape[0], 0), np.uint8)
    texts = [row.tobytes().rstrip(b"\0").decode() for row in flat]
    return np.array(texts, dtype=np.str_).reshape(rows.shape[:-1])
