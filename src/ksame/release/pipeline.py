"""Photos in, certified photos out: the whole flow on one screen.

find      what is in each photo                          -> Album
name      who is who                                     -> People, which a review may correct
share     at least k people get one face                 -> Shared
write     faces replaced, checked, named neutrally       -> WrittenPhotos
publish   measured, certified, verified, moved to OUT    -> Release
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from ksame.errors import GuaranteeError, InputError
from ksame.release.adhoc import warn_of
from ksame.release.continuing import recognise, share_on
from ksame.release.counts import limited
from ksame.release.find import find, input_photos
from ksame.release.job import open_job
from ksame.release.name import name
from ksame.release.options import Options, input_paths
from ksame.release.places import check_places, check_still_there, input_folders
from ksame.release.plan import Plan
from ksame.release.publish import Release, check_out, finished, publish
from ksame.release.remote import brought_here
from ksame.release.reviewing import Review, accept, reviewed
from ksame.release.scratch import open_scratch, removing
from ksame.release.secret import job_digest
from ksame.release.unread import digest_of
from ksame.release.write import write
from ksame.runners import Progress

Inputs = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def deidentify(
    inputs: Inputs,
    out: str | os.PathLike[str],
    k: int = 5,
    *,
    progress: Progress | None = None,
    review: Review = accept,
    **options: Unpack[Options],
) -> Release:
    """Release photos in which every face is shared by at least k people.

    Guarantee (k-anonymous methods): every replaced face in ``out`` shows a surrogate that at least
    k different people share, and all photos of a person show the same one. A photo whose faces
    could not all be protected is withheld. ``out`` appears complete and verified, or not at all.

    Parameters
    ----------
    inputs : path or paths
        Photos and folders; addresses that fsspec opens (s3://...) are fetched first.
    out : path
        The folder of the release; new. The private ledger is written beside it.
    k : int
        How many people share each face, at least.
    progress : callable, optional
        Called with a label and a total; returns a context whose value is called with steps.
    review : callable, optional
        Called with the album and the people found in it; returns the people to go on with, or
        :class:`ksame.release.Corrections` of what was found.
    **options
        Those of :class:`ksame.release.Plan`: ``method``, ``persons``, ``select``, ``seed``, ...

    Raises
    ------
    InputError
        A wrong option, or OUT is not a folder that may be written.
    GuaranteeError
        There are too few people for k, or the verifier refuses the result; nothing is released.
    MediaError
        The disk is full or a worker died; the same call goes on from there.

    Examples
    --------
    >>> import ksame
    >>> release = ksame.deidentify("photos", "release", k=5)  # doctest: +SKIP
    >>> ksame.verify(release.out, release.ledger).holds  # doctest: +SKIP
    True
    """
    asked: Any = options  # Plan makes paths and tuples of them
    return run(Plan(input_paths(inputs), Path(out), k, **asked), progress, review)


def run(
    plan: Plan,
    progress: Progress | None = None,
    review: Review = accept,
    made: Path | None = None,
) -> Release:
    """Make the release that a plan asks for; see :func:`deidentify`.

    ``made`` is the folder of a finished release whose ledger the plan names people by, and which is
    to be corrected: its groups stay where they can, and the files in which nothing changed are
    taken over from it.
    """
    with brought_here(plan) as near:
        return _run(near, progress, review, made)


def _run(plan: Plan, progress: Progress | None, review: Review, made: Path | None) -> Release:
    """Make a release of photos on this machine's disks."""
    check_places(plan)
    if not plan.guarantees:
        warn_of(plan.method)
    if check_out(plan):
        return _made_before(plan)
    folders = input_folders(plan)
    with open_job(plan, progress, made) as job, removing(job.scratch, GuaranteeError):
        with removing(job.scratch, InputError):
            album = find(job)
            check_still_there(folders)
            job = job.seeded(album.digests())
            people = recognise(job, album, name(job, album))
            job, album, people = reviewed(job, album, people, review)
            people = limited(job, people)
            shared = share_on(job, album, people)
        written = write(job, album, people, shared)
        check_still_there(folders)
        release = publish(job, album, people, shared, written)
        job.scratch.remove()
    return release


def _made_before(plan: Plan) -> Release:
    """The release that is there already, if it is of the same job."""
    shown, reference = input_photos(plan)
    done = finished(plan, job_digest(plan, [(p, digest_of(p)) for p in (*shown, *reference)]))
    if plan.work.exists():
        with open_scratch(plan.work) as left_by_a_kill:
            left_by_a_kill.remove()
    return done
