"""The review page: see what was found, mend it, then release. On this machine alone.

The page decides nothing by itself. What a person does on it becomes `ksame.release.Corrections`,
which end as a corrected ledger, and the release is made and verified from that.
"""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.review.finished import finished_plan
    from ksame.review.run import review
    from ksame.review.session import Ended

_HOMES = {
    "Ended": "ksame.review.session",
    "finished_plan": "ksame.review.finished",
    "review": "ksame.review.run",
}

__all__ = ["Ended", "finished_plan", "review"]

__getattr__ = lazy_names(__name__, _HOMES)
