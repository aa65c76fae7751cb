"""Reading JSON that may be malformed: every value is checked before it is used.

Each function takes a value and where it was found, and raises `Malformed` if it is not what it
should be. The message names the place and the rule, never the value: it may be a person's name.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class Malformed(Exception):
    """A document is not of the form that its format promises."""


def table(value: Any, where: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Malformed(f"{where} is no table")
    return value


def entry(value: Mapping[str, Any], name: str, where: str) -> Any:
    """A value that a table must have."""
    if name not in value:
        raise Malformed(f"{where} has no {name}")
    return value[name]


def text(value: Any, where: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise Malformed(f"{where} is no text")
    return value


def optional_text(value: Any, where: str) -> str | None:
    """A string or null."""
    return None if value is None else text(value, where)


def count(value: Any, where: str) -> int:
    """A whole number that is not negative."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Malformed(f"{where} is no count")
    return value


def whole(value: Any, where: str) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed(f"{where} is no whole number")
    return value


def number(value: Any, where: str) -> float:
    """A finite number."""
    real = isinstance(value, int | float) and not isinstance(value, bool)
    if not real or not math.isfinite(value):
        raise Malformed(f"{where} is no number")
    return float(value)


def items(value: Any, where: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    """A list, each entry read by a function."""
    if not isinstance(value, list):
        raise Malformed(f"{where} is no list")
    return tuple(read(item, f"{where}[{i}]") for i, item in enumerate(value))


def named(value: Any, where: str, read: Callable[[Any, str], T]) -> dict[str, T]:
    """A table, each value read by a function. The names stay out of messages."""
    return {name: read(item, f"{where}[...]") for name, item in table(value, where).items()}


def numbers(value: Any, where: str, length: int) -> tuple[float, ...]:
    """A list of so many finite numbers."""
    found = items(value, where, number)
    if len(found) != length:
        raise Malformed(f"{where} has {len(found)} numbers instead of {length}")
    return found
