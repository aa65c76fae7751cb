"""Photos in, certified photos out.

The names below are imported when they are first used.
"""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.release.corrections import Corrections
    from ksame.release.name import People
    from ksame.release.pipeline import deidentify, run
    from ksame.release.plan import Plan
    from ksame.release.publish import Release
    from ksame.release.reviewing import Review

_HOMES = {
    "Corrections": "ksame.release.corrections",
    "People": "ksame.release.name",
    "Plan": "ksame.release.plan",
    "Release": "ksame.release.publish",
    "Review": "ksame.release.reviewing",
    "deidentify": "ksame.release.pipeline",
    "run": "ksame.release.pipeline",
}

__all__ = ["Corrections", "People", "Plan", "Release", "Review", "deidentify", "run"]

__getattr__ = lazy_names(__name__, _HOMES)
