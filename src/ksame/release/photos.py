"""Photos, the medium of one frame: one task a photo at each stage."""

from collections.abc import Sequence

import ksame.release.find as finding
import ksame.release.write as writing
from ksame.release.find import Picture, Search
from ksame.release.job import Job
from ksame.release.orders import PhotoOrder
from ksame.release.write import Written


def find(job: Job, searches: Sequence[Search]) -> list[Picture]:
    """Find the faces of photos."""
    return list(job.runner.run("find", finding.find_one, searches))


def write(job: Job, orders: Sequence[PhotoOrder]) -> list[Written]:
    """Write photos."""
    return list(job.runner.run("write", writing.write_one, orders))
