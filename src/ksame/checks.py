"""The rules that every argument passes before anything is grouped or released.

Each function returns a clean copy or view of its argument, or raises `InputError` (the argument
breaks a rule) or `GuaranteeError` (the set cannot be made k-anonymous). Nothing here reads files.
"""

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from ksame.arrays import Array, Floats, Ints
from ksame.errors import GuaranteeError, InputError

RandomState = int | np.random.Generator | None

# Outside this range of magnitudes the squares in a distance overflow or vanish.
_SAFE_EXPONENT = 300


class NotNumericError(InputError, TypeError):
    """A value that is neither a number nor text; a TypeError as well, as scikit-learn has it."""


class NotFittedError(InputError, AttributeError):
    """What a model learns was asked for before it had learned; ``hasattr`` tells it too."""


class Learning:
    """A model whose learned names end in an underscore, and say so before they are there."""

    if not TYPE_CHECKING:  # a type checker shall still see a name that is misspelt

        def __getattr__(self, name: str) -> Any:
            kind = type(self).__name__
            learned = name.endswith("_") and not name.startswith("_")
            if learned or hasattr(type(self), name):  # a property that needs what is learned
                raise NotFittedError(f"this {kind} has learned nothing yet; call fit first.")
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")


def check_k(k: Any, n_people: int) -> int:
    """Return k as an int if 2 <= k <= n_people, the premise of N theorems 1 and 2."""
    needed = check_k_alone(k)
    if n_people < needed:
        raise GuaranteeError(
            f"k={needed} needs at least {needed} people; this set has {n_people} "
            f"(n_samples={n_people} where each row is a person). "
            "Add people, lower k, or name a reference set."
        )
    return needed


def check_k_alone(k: Any) -> int:
    """Return k as an int if it is a whole number of at least 2."""
    if isinstance(k, bool) or not isinstance(k, Integral):
        raise InputError(f"k={k!r} must be a whole number of people. Pass an int of at least 2.")
    if k < 2:
        raise InputError(
            f"k={k} must be at least 2: with k=1 each face would be shared by its person alone. "
            "Pass k=2 or more."
        )
    return int(k)


def check_faces(X: Any, name: str = "X") -> Floats:
    """Return X as a finite float64 array of one row per face, shape (n, ...), n >= 1.

    Ragged rows, complex or non-numeric values, NaN and infinity are refused: a release is never
    made from values that cannot be averaged.
    """
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise InputError(f"{name} is a sparse matrix; faces must be dense. Pass {name}.toarray().")
    try:
        faces = np.asarray(X)
        if np.iscomplexobj(faces):
            raise InputError(f"Complex data not supported: {name} must hold real numbers.")
        faces = np.asarray(faces, dtype=np.float64)
    except InputError:
        raise
    except TypeError as error:
        raise NotNumericError(
            f"{name} is not numeric ({error}); it must be an array of numbers. Drop what is none."
        ) from error
    except ValueError as error:
        raise InputError(
            f"{name} is ragged or not numeric; it must be an array of numbers with rows of one "
            "length. Register the faces to one frame and drop other columns."
        ) from error
    if faces.ndim < 2:
        raise InputError(
            f"{name} has {faces.ndim} dimension(s) and must have at least 2, one row per face. "
            "Reshape your data: faces.reshape(n, -1)."
        )
    if faces.shape[0] == 0 or faces[0].size == 0:
        raise InputError(
            f"Found array with {faces.shape[0]} sample(s) and {int(np.prod(faces.shape[1:]))} "
            f"feature(s) (shape={faces.shape}) while a minimum of 1 is required. Add faces."
        )
    bad = faces.size - int(np.count_nonzero(np.isfinite(faces)))
    if bad:
        raise InputError(
            f"{name} contains {bad} NaN or infinity (inf) value(s); every value must be finite. "
            "Leave these faces out or repair them first."
        )
    return faces


def check_vectors(X: Any, name: str = "X") -> Floats:
    """Return X as a finite, C-contiguous float64 matrix (n, d); images are flattened."""
    faces = check_faces(X, name)
    return np.ascontiguousarray(faces.reshape(len(faces), -1))


def check_frame(faces: Array, shape: tuple[int, ...]) -> None:
    """Raise `InputError` unless faces (n, ...) have the shape that a codec has learned."""
    if faces.shape[1:] != shape:
        raise InputError(
            f"faces of shape {faces.shape[1:]} do not fit a codec of faces of shape {shape}. "
            "Register all faces to one frame."
        )


def check_column(column: Any, n: int, name: str) -> Array:
    """Return a column of n labels as a one-dimensional array without missing values."""
    try:
        values = np.asarray(column)
    except ValueError as error:
        raise InputError(f"{name} is ragged; it must hold one value per row.") from error
    if values.ndim != 1 or len(values) != n:
        raise InputError(
            f"{name} has shape {values.shape} and the faces have {n} rows; there must be one value "
            f"per row. Pass {n} values."
        )
    missing = sum(1 for value in values.tolist() if value is None or value != value)
    if missing:
        raise InputError(
            f"{name} misses {missing} of {n} values; every row needs one. Fill them in or leave "
            "these rows out."
        )
    return values


def check_persons(persons: Any, n: int) -> tuple[Ints, int]:
    """Return the person of each row as numbers 0..m-1, in order of first appearance, and m.

    None stands for a person-specific set (N definition 2.4): every row is a person of its own.
    """
    if persons is None:
        return np.arange(n, dtype=np.int64), n
    return number(check_column(persons, n, "persons"))


def number(values: Array) -> tuple[Ints, int]:
    """Return values as numbers 0..m-1 in order of first appearance, and m."""
    seen: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.int64)
    for row, value in enumerate(values.tolist()):
        codes[row] = seen.setdefault(value, len(seen))
    return codes, len(seen)


def check_random_state(random_state: RandomState) -> np.random.Generator:
    """Return a generator: seeded by an int, passed through, or fresh entropy for None."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state >= 0:
            return np.random.default_rng(int(random_state))
        raise InputError(f"random_state={random_state} must not be negative. Pass 0 or more.")
    raise InputError(
        f"random_state of type {type(random_state).__name__} must be an int, a numpy Generator or "
        "None. Pass an int for a result that can be repeated."
    )


def to_safe_scale(X: Floats) -> tuple[Floats, float]:
    """Return X divided by a power of two, and that power, so that squares cannot overflow.

    Ordinary values are returned as they are with a scale of 1. Dividing by a power of two is
    exact, so that distances keep their order, bit by bit.
    """
    largest = max(float(X.max(initial=0.0)), -float(X.min(initial=0.0)))
    if largest == 0.0:
        return X, 1.0
    exponent = min(int(np.frexp(largest)[1]), 1023)
    if abs(exponent) <= _SAFE_EXPONENT:
        return X, 1.0
    return np.ldexp(X, -exponent), float(np.ldexp(1.0, exponent))
