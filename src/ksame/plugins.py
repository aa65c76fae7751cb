"""Parts by name: ksame's own, those of installed packages, and anything that can be imported.

A name is looked up in three places, in this order:

1. the registry of its kind, a dict literal in the package that owns it;
2. the entry points of installed packages, in the group ``ksame.KINDs`` (``ksame.recognisers``);
3. ``package.module:name``, which is imported; the folder of a script is found by ``PYTHONPATH``.

Only a name that was asked for is loaded.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal, TypeVar

from ksame.errors import InputError

Kind = Literal[
    "detector",
    "recogniser",
    "method",
    "grouping",
    "runner",
    "format",
    "medium",
    "vault",
    "dataset",
]
T = TypeVar("T")


def group_of(kind: Kind) -> str:
    """The group of entry points in which packages offer parts of a kind."""
    return f"ksame.{kind}s"


def resolve(kind: Kind, name: str, registry: Mapping[str, T]) -> T | Any:
    """The part of a kind that a name stands for.

    Raises
    ------
    InputError
        Nothing has this name, or what it names cannot be imported.
    """
    if name in registry:
        return registry[name]
    offered = {point.name: point for point in entry_points(group=group_of(kind))}
    if name in offered:
        return _imported(kind, name, offered[name].value)
    if ":" in name:
        return _imported(kind, name, name)
    raise InputError(
        f"{kind} {name!r} is not known; choose from {', '.join([*registry, *sorted(offered)])}, "
        "or name your own as package.module:name."
    )


def names_of(kind: Kind, registry: Mapping[str, Any]) -> list[str]:
    """Every name of a kind that needs no import path: ksame's own first."""
    offered = {point.name for point in entry_points(group=group_of(kind))}
    return [*registry, *sorted(offered - registry.keys())]


def made(kind: Kind, name: str, part: Any, contract: type[T]) -> T:
    """A part that keeps a contract: a class or a function is called first, without arguments.

    Raises
    ------
    InputError
        What comes out lacks a member of the contract; the message says which.
    """
    is_ready = isinstance(part, contract) and not isinstance(part, type)
    ready = part() if callable(part) and not is_ready else part
    if isinstance(ready, contract):
        return ready
    missing = [member for member in _members(contract) if not hasattr(ready, member)]
    raise InputError(
        f"{kind} {name!r} lacks {', '.join(missing)}; docs/extending.md shows what it needs."
    )


def _imported(kind: Kind, name: str, place: str) -> Any:
    """What ``package.module:name`` stands for."""
    module, _, attribute = place.partition(":")
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"{kind} {name!r} cannot be imported ({error}). Check the spelling, and that its "
            "package is installed or on PYTHONPATH."
        ) from error
    return found


def _members(contract: type[Any]) -> Iterable[str]:
    """The public members that a protocol asks for."""
    own = {**getattr(contract, "__annotations__", {}), **vars(contract)}
    return sorted(name for name in own if not name.startswith("_"))
