"""Names that are imported when they are first used (PEP 562), so that a package is quick to import.

_HOMES = {"FaceSet": "ksame.faceset"}
__getattr__ = lazy_names(__name__, _HOMES)
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names live in other modules.

    A home is the full name of a module; a name whose home is the package itself is a module of it.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        if home == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(home), name)

    return find
