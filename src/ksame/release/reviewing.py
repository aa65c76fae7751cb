"""Between naming people and sharing faces somebody may look at what was found and correct it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ksame.files import write_json
from ksame.release.corrections import Corrections
from ksame.release.find import Album, find
from ksame.release.job import Job
from ksame.release.listing import corrected, listing
from ksame.release.name import People, name

# Returns the people to go on with, or corrections of what was found.
Review = Callable[[Album, People], People | Corrections]

_REVIEWED: Final = "reviewed.ledger.json"  # in the private scratch folder


def accept(album: Album, people: People) -> People:
    """The review of whoever does not look: everything is taken as it was found."""
    return people


def reviewed(job: Job, album: Album, people: People, review: Review) -> tuple[Job, Album, People]:
    """The job, album and people after a review.

    Corrections become a ledger, and what follows is made from that ledger alone: the release has
    the bytes that ``persons=LEDGER`` gives.
    """
    answer = review(album, people)
    if isinstance(answer, People):
        return job, album, answer
    path = job.scratch.root / _REVIEWED
    write_json(path, corrected(listing(album, people, job.store), answer))
    job = replace(job, plan=replace(job.plan, persons=str(path)))
    album = find(job)
    return job, album, name(job, album)
