"""Photos in, certified photos out.

The names below are imported when they are first used: ``ksame.release.verify`` must not load the
code that writes releases.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ksame.release.pipeline import deidentify
    from ksame.release.plan import Plan
    from ksame.release.publish import Release

_HOMES = {"Plan": "plan", "Release": "publish", "deidentify": "pipeline"}

__all__ = ["Plan", "Release", "deidentify"]


def __getattr__(name: str) -> Any:
    """Import a public name where it lives, on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ksame.release' has no attribute {name!r}")
    return getattr(import_module(f"ksame.release.{_HOMES[name]}"), name)
