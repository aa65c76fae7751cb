"""A cluster of Dask distributed as a runner: the same tasks, the same store, the same bytes.

Tasks are idempotent through the store and every file is renamed into its place, so a task may be
done twice, by a worker that was given up and by another: the second finds what the first left, or
writes the same bytes. That is why nothing is lost or doubled when workers die, hang or restart.
"""

import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, Generic

import dask
from distributed import Client, Future
from distributed.client import FutureCancelledError, FuturesCancelledError
from distributed.scheduler import KilledWorker

from ksame.errors import InputError, MediaError
from ksame.files import write_text
from ksame.runners import watching
from ksame.runners.bounded import within
from ksame.runners.cluster_faults import DEADLY, DUMB, GONE, LOST, NO_WORKERS
from ksame.runners.contract import Progress, Result, Task, silent
from ksame.runners.doing import check_reachable, do_batch
from ksame.runners.faults import explaining_faults
from ksame.runners.fitness import Facts, Fitness, Needs, probe, told
from ksame.runners.local_cluster import local_cluster
from ksame.runners.starting import one_thread
from ksame.runners.watching import Watch

LOCAL: Final = "local"  # instead of an address: a cluster on this machine
_AHEAD: Final = 8  # tasks in flight per worker, as for processes
_BATCHES: Final = 64  # a worker has at least, so that none waits for another at the end
_MOST_IN_A_BATCH: Final = 32  # of a release of very many photos: the rest is not worth more
_TASK_SECONDS: Final = 900.0  # a photo takes some; whatever takes this long hangs
_CONNECT_SECONDS: Final = 20.0
_PROBE_SECONDS: Final = 180.0  # of all workers, which import the package and hash the weights
_FAREWELL_SECONDS: Final = 10.0  # for what may fail at the end
_ROUNDS: Final = 3  # in which Dask may give a task up: it blames every task of a worker that died
_TOLD: Final = 3  # workers that an error tells of
# what Dask raises for tasks of a scheduler that it has lost, waiting for one and asking for it
_CANCELLED: Final = (FutureCancelledError, FuturesCancelledError)
_TOKEN: Final = "cluster-token"


class _LostError(Exception):
    """No worker has a task, although there are some that could do it."""


@dataclass(slots=True)
class _Sent(Generic[Task]):
    """Tasks on their way, with how often Dask has given them up."""

    batch: tuple[Task, ...]
    future: Future = field(repr=False)
    round: int = 1


class Dask:
    """A cluster that is connected to while it is used as a context.

    Parameters
    ----------
    address : str
        ``tcp://host:port`` of a scheduler (``tls://`` with certificates), or ``local``.
    facts : callable
        What decides about bytes: equal on every worker that is given tasks.
    mark : path
        A folder that all machines share; a file in it shows whether they do.
    places : pairs of word and path
        What every worker must see besides.
    jobs : int
        Workers of a local cluster.
    task_seconds : float
        A worker that needs longer for a task is ended, and another one does it.
    """

    def __init__(
        self,
        address: str,
        facts: Facts,
        mark: Path,
        places: Sequence[tuple[str, Path]] = (),
        *,
        jobs: int = 1,
        progress: Progress | None = None,
        task_seconds: float = _TASK_SECONDS,
    ) -> None:
        self.address = address
        self.progress = progress or silent
        self.task_seconds = task_seconds
        self._jobs = jobs
        self._mark = mark / _TOKEN
        self._needs = Needs(facts, dict(facts()), self._mark, secrets.token_hex(16), tuple(places))
        self._resource = f"ksame-{self._needs.token[:12]}"
        self._held = ExitStack()
        self._client: Client
        self._watch: Watch

    def __enter__(self) -> "Dask":
        import cv2

        # one thread here too: sums in another order would round to other bytes
        self._held.callback(cv2.setNumThreads, one_thread())
        try:
            write_text(self._mark, self._needs.token)
            self._held.callback(self._mark.unlink, missing_ok=True)
            self._client = self._held.enter_context(self._connected())
            self._watch = Watch(self._client, self._resource)
            self._check_workers()
            self._look_at_whoever_joins()
        except BaseException:
            self._held.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # a scheduler that is gone cannot forget anything
            if self._client.status == "running":
                within(_FAREWELL_SECONDS, self._client.unregister_worker_plugin, self._resource)
        self._held.close()

    def finish(self) -> None:
        """Nothing to do: the workers are the cluster's own."""

    def _connected(self) -> Client:
        where: Any = self.address
        if self.address == LOCAL:
            # the settings of workers are read when they start, also when they are started again
            self._held.enter_context(dask.config.set({"distributed.scheduler.worker-ttl": "60s"}))
            where = self._held.enter_context(local_cluster(self._jobs))
        else:
            check_reachable(self.address, _CONNECT_SECONDS)
        return Client(where, timeout=_CONNECT_SECONDS, set_as_default=False)

    def _check_workers(self) -> None:
        """Compare every worker with this machine, before the first task."""
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except TimeoutError:
            raise InputError(
                f"cluster={self.address!r} has no workers; start some: dask worker "
                f"{self.address} --nthreads 1"
            ) from None
        try:
            answers = within(
                _PROBE_SECONDS, self._client.run, probe, self._needs, on_error="return"
            )
        except TimeoutError:
            raise MediaError(DUMB) from None
        problems = [why for place, answer in sorted(answers.items()) for why in told(place, answer)]
        if problems:
            more = f" (and {len(problems) - _TOLD} more)" if len(problems) > _TOLD else ""
            raise InputError(
                "the workers of the cluster must be as this machine is: "
                f"{'. '.join(problems[:_TOLD])}{more}. Mend or stop them and run it again"
            )

    def _look_at_whoever_joins(self) -> None:
        """Let every worker, now and later, offer itself once it was found fit."""
        for left in reversed(range(_ROUNDS)):
            try:
                plugin = Fitness(self._needs, self._resource)
                within(_PROBE_SECONDS, self._client.register_plugin, plugin)
                return
            except TimeoutError:
                raise MediaError(DUMB) from None
            except OSError:  # a worker went away at this moment
                if not left:
                    raise MediaError(GONE) from None

    def run(
        self, label: str, function: Callable[[Task], Result], tasks: Sequence[Task], /
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; see :class:`ksame.runners.Runner`.

        Raises
        ------
        MediaError
            The scheduler went away or gives a task to nobody, no worker is left, or a task ends
            every worker that tries it.
        """
        name = f"{self._resource}-{label}-{secrets.token_hex(4)}"
        with self.progress(label, len(tasks)) as step, explaining_faults():
            sent: deque[_Sent[Task]] = deque()
            try:
                for number, batch in enumerate(self._batches(tasks)):
                    sent.append(_Sent(batch, self._submit(function, batch, f"{name}-{number}")))
                    while len(sent) >= max(_AHEAD * self._watch.fit_workers(), 1):
                        for result in self._first(function, sent):
                            yield result
                            step(1)
                while sent:
                    for result in self._first(function, sent):
                        yield result
                        step(1)
            finally:
                with suppress(Exception):  # whatever ended the run is told, not this
                    futures = [waiting.future for waiting in sent]
                    within(_FAREWELL_SECONDS, self._client.cancel, futures, force=True)

    def _batches(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, ...]]:
        """The tasks, several at a time where there are very many: a message a task is dear."""
        share = len(tasks) // (_BATCHES * max(self._watch.fit_workers(), 1))
        size = min(max(share, 1), _MOST_IN_A_BATCH)
        left = iter(tasks)
        while batch := tuple(islice(left, size)):
            yield batch

    def _submit(
        self, function: Callable[[Task], Result], batch: tuple[Task, ...], name: str
    ) -> Future:
        if self._client.status != "running":
            raise MediaError(GONE)
        return self._client.submit(
            do_batch,
            function,
            batch,
            self.task_seconds,
            key=name,
            pure=False,
            resources={self._resource: 1},
        )

    def _first(
        self, function: Callable[[Task], Result], sent: "deque[_Sent[Task]]"
    ) -> list[Result]:
        """Wait for the first of the batches that were sent and take it off."""
        first = sent[0]
        while True:
            try:
                results: list[Result] = self._result(first.future)
            except (KilledWorker, _LostError) as error:
                if first.round == _ROUNDS:
                    told = LOST if isinstance(error, _LostError) else DEADLY
                    raise MediaError(told) from None
                first.round += 1
                name = f"{first.future.key}-again"
                first.future = self._submit(function, first.batch, name)
            except _CANCELLED:
                raise MediaError(GONE) from None
            else:
                sent.popleft()
                return results

    def _result(self, future: Future) -> Any:
        """Wait for a task; give up where nobody is left who could do it, or nobody does it."""
        looked, unheld = time.monotonic(), False
        while True:
            try:
                return future.result(timeout=watching.LOOK_SECONDS)
            except TimeoutError:
                if future.status == "error":
                    raise  # the task's own
                # else it takes its time, or its worker died with the result and it is done again
                if self._client.status != "running":
                    raise MediaError(GONE) from None
                if self._watch.alone_for_long():
                    raise MediaError(NO_WORKERS) from None
                if time.monotonic() - looked > watching.PATIENCE_SECONDS:
                    held = self._watch.has_a_worker(future)
                    if unheld and not held:  # twice: once it may have been between two workers
                        raise _LostError from None
                    looked, unheld = time.monotonic(), not held
