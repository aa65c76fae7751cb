"""Photos, the medium of one frame: one task a photo at each stage."""

from collections.abc import Sequence

from ksame.release.find import Picture, Search, find_one
from ksame.release.job import Job
from ksame.release.orders import PhotoOrder
from ksame.release.write import Written, write_one


def find(job: Job, searches: Sequence[Search]) -> list[Picture]:
    """Find the faces of photos."""
    return list(job.runner.run("find", find_one, searches))


def write(job: Job, orders: Sequence[PhotoOrder]) -> list[Written]:
    """Write photos."""
    return list(job.runner.run("write", write_one, orders))
