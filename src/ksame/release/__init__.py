"""Photos in, certified photos out.

The names below are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ksame.release.name import People, Review
    from ksame.release.pipeline import deidentify, run
    from ksame.release.plan import Plan
    from ksame.release.publish import Release

_HOMES = {
    "People": "name",
    "Plan": "plan",
    "Release": "publish",
    "Review": "name",
    "deidentify": "pipeline",
    "run": "pipeline",
}

__all__ = ["People", "Plan", "Release", "Review", "deidentify", "run"]


def __getattr__(name: str) -> Any:
    """Import a public name where it lives, on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ksame.release' has no attribute {name!r}")
    return getattr(import_module(f"ksame.release.{_HOMES[name]}"), name)
