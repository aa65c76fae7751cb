"""Photos in, certified photos out.

The names below are imported when they are first used.
"""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.release.name import People, Review
    from ksame.release.pipeline import deidentify, run
    from ksame.release.plan import Plan
    from ksame.release.publish import Release

_HOMES = {
    "People": "ksame.release.name",
    "Plan": "ksame.release.plan",
    "Release": "ksame.release.publish",
    "Review": "ksame.release.name",
    "deidentify": "ksame.release.pipeline",
    "run": "ksame.release.pipeline",
}

__all__ = ["People", "Plan", "Release", "Review", "deidentify", "run"]

__getattr__ = lazy_names(__name__, _HOMES)
