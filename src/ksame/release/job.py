"""One release while it is made: what was asked, where things are kept, and who does the work."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ksame.release.before import Before, read_before
from ksame.release.earlier import Earlier, read_earlier
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch, open_scratch
from ksame.release.secret import Secret, draw_secret
from ksame.release.workers import check_workers, open_runner
from ksame.runners import Progress, Runner, explaining_faults
from ksame.store import Store


@dataclass(frozen=True, slots=True)
class Job:
    """What every stage is given.

    ``secret`` depends on the photos, so that it is there from the second stage on; until then
    drawing from it raises. ``earlier`` is the release that this one continues, ``before`` the one
    that is made again, corrected.
    """

    plan: Plan
    scratch: Scratch
    runner: Runner = field(repr=False)
    secret: Secret = field(default_factory=Secret.none)
    earlier: Earlier | None = None
    before: Before | None = None

    @property
    def store(self) -> Store:
        """What the passes keep."""
        return self.scratch.store

    @property
    def folder(self) -> Path:
        """The folder that becomes OUT."""
        return self.scratch.release

    def seeded(self, digests: Sequence[str]) -> "Job":
        """The job with its secret, now that the photos are known by their digests."""
        return replace(self, secret=draw_secret(self.plan.seed, digests, self.scratch))


@contextmanager
def open_job(plan: Plan, progress: Progress | None, made: Path | None = None) -> Iterator[Job]:
    """Hold the scratch folder and the workers of one release.

    ``made`` is the folder of the finished release that is made again, whose files may be reused.

    Raises
    ------
    InputError
        The scratch folder cannot be made, is not ours, or another run holds it.
    MediaError
        The disk is full, a worker died or a cluster went away; what was done is kept.
    """
    check_workers(plan)
    earlier = read_earlier(plan)
    with (
        open_scratch(plan.work) as scratch,
        open_runner(plan, scratch, progress) as runner,
        explaining_faults(),
    ):
        yield Job(plan, scratch, runner, earlier=earlier, before=read_before(plan, made))
