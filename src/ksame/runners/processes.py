"""A few processes on this machine; tasks too few to be worth one are done at once."""

import atexit
import logging
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection

from ksame.runners.bounded import within
from ksame.runners.contract import Progress, Result, Task, silent, steps_of
from ksame.runners.faults import explaining_faults
from ksame.runners.starting import (
    ask_for_one_thread,
    deaf_to_terminals,
    one_thread,
    without_main,
)

_AHEAD = 8  # tasks in flight per process: enough to keep it busy, few enough to stay flat
_HELD = 64  # ... with those that are done and wait for one before them, which takes long
_WORTH_A_PROCESS = 6  # starting a process takes about as long as this many photos
_WORTH_IN_FRAMES = 60  # ... or as these frames of clips, in tasks that count more than one step
_PARENT_SECONDS = 0.5  # how often a worker looks whether whoever started it is still there
_LOOK_SECONDS = 2.0  # how often it is looked whether the processes are still there
_END_SECONDS = 30.0  # within which processes that have nothing to do end
_CONTEXT = multiprocessing.get_context("spawn")

log = logging.getLogger(__name__)


class Processes:
    """A pool of processes that is started when it is first worth it; use it as a context."""

    def __init__(self, jobs: int, progress: Progress | None = None) -> None:
        self.jobs = jobs
        self.progress = progress or silent
        self._pool: ProcessPoolExecutor | None = None
        # workers hold the first end, this process the other: closed, or gone with its holder, it
        # tells them to end at once
        self._lifeline: tuple[Connection, Connection] | None = None
        self._threads = 1

    def __enter__(self) -> "Processes":
        # one thread here too: sums in another order would round to other bytes
        self._threads = one_thread()
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        import cv2

        cv2.setNumThreads(self._threads)
        if self._pool is None or self._lifeline is None:
            return
        if failure is not None:
            # nobody wants the results any more, and a long clip would be waited for
            self._lifeline[1].close()
        started = list((self._pool._processes or {}).values())
        try:
            within(_END_SECONDS, self._pool.shutdown, wait=True, cancel_futures=True)
        except TimeoutError:
            log.warning("the worker processes did not end by themselves")
            for process in started:
                process.kill()
        for end in self._lifeline:
            end.close()

    def finish(self) -> None:
        """Let the processes end while the caller goes on; nothing can be run any more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def run(
        self, label: str, function: Callable[[Task], Result], tasks: Sequence[Task], /
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; see :class:`ksame.runners.Runner`."""
        weights = [steps_of(task) for task in tasks]
        few = len(tasks) < _WORTH_A_PROCESS and not (
            len(tasks) > 1 and sum(weights) >= _WORTH_IN_FRAMES
        )
        inline = self.jobs == 1 or (self._pool is None and few)
        with self.progress(label, sum(weights)) as step, explaining_faults():
            if not inline:
                yield from self._spread(function, list(zip(tasks, weights, strict=True)), step)
                return
            for task, weight in zip(tasks, weights, strict=True):
                result = function(task)
                step(weight)
                yield result

    def _spread(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[tuple[Task, int]],
        step: Callable[[int], None],
    ) -> Iterator[Result]:
        """The results of tasks, in their order; ``step`` is told what each counts as it is done.

        Others go on while one that takes long is waited for.
        """
        pool = self._started()
        left = iter(tasks)
        waiting: deque[Future[Result]] = deque()
        undone: dict[Future[Result], int] = {}
        while True:
            while len(undone) < _AHEAD * self.jobs and len(waiting) < _HELD * self.jobs:
                if (following := next(left, None)) is None:
                    break
                with without_main(), deaf_to_terminals():
                    waiting.append(pool.submit(function, following[0]))
                undone[waiting[-1]] = following[1]
            if not waiting:
                return
            _count_done(pool, undone, step)
            while waiting and waiting[0] not in undone:
                yield waiting.popleft().result()

    def _started(self) -> ProcessPoolExecutor:
        """The pool, whose processes are started when tasks are first handed to it."""
        if self._pool is None:
            self._lifeline = _CONTEXT.Pipe(duplex=False)
            with deaf_to_terminals():  # a process that keeps track of semaphores starts here
                self._pool = ProcessPoolExecutor(
                    self.jobs,
                    _CONTEXT,
                    initializer=_start_worker,
                    initargs=(os.getpid(), self._lifeline[0]),
                )
        return self._pool


def _count_done(
    pool: ProcessPoolExecutor, undone: "dict[Future[Result], int]", step: Callable[[int], None]
) -> None:
    """Wait until one of the tasks is done, and count what is; not for ever for any of them.

    A pool that breaks while a task is handed to it forgets the task.
    """
    done, _ = wait(undone, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
    for future in done:
        step(undone.pop(future))
    if not done and pool._broken:
        raise BrokenProcessPool


def _start_worker(parent: int, lifeline: Connection) -> None:
    """Settle in a new process, and end with whoever started it, however that one ends."""
    ask_for_one_thread()  # read when NumPy is first imported, which is later
    threading.Thread(target=_end_with, args=(parent, lifeline), daemon=True).start()
    # all is sent when it ends: libraries that clean up after their threads could only hang
    atexit.register(os._exit, 0)
    one_thread()


def _end_with(parent: int, lifeline: Connection) -> None:
    """End this process once its parent lets go of it, or is another one: the first was killed."""
    while not lifeline.poll(_PARENT_SECONDS) and os.getppid() == parent:
        pass
    os._exit(1)
