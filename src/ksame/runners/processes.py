"""A few processes on this machine; tasks too few to be worth one are done at once."""

import ctypes
import multiprocessing
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from types import ModuleType

from ksame.runners.contract import Progress, Result, Task, silent, steps_of
from ksame.runners.faults import explaining_faults

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them
_AHEAD = 8  # tasks in flight per process: enough to keep it busy, few enough to stay flat
_WORTH_A_PROCESS = 6  # starting a process takes about as long as this many photos
# what tells linear algebra how many threads it has: processes share the cores already
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_PARENT_SECONDS = 0.5  # how often a worker looks whether whoever started it is still there


class Processes:
    """A pool of processes that is started when it is first worth it; use it as a context."""

    def __init__(self, jobs: int, progress: Progress | None = None) -> None:
        self.jobs = jobs
        self.progress = progress or silent
        self._pool: ProcessPoolExecutor | None = None
        self._threads = 1

    def __enter__(self) -> "Processes":
        # one thread here too: sums in another order would round to other bytes
        self._threads = _one_thread()
        return self

    def __exit__(self, *_: object) -> None:
        import cv2

        cv2.setNumThreads(self._threads)
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def finish(self) -> None:
        """Let the processes end while the caller goes on; nothing can be run any more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def run(
        self, label: str, function: Callable[[Task], Result], tasks: Sequence[Task], /
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; see :class:`ksame.runners.Runner`."""
        inline = self.jobs == 1 or (self._pool is None and len(tasks) < _WORTH_A_PROCESS)
        results = map(function, tasks) if inline else self._spread(function, tasks)
        weights = [steps_of(task) for task in tasks]
        with self.progress(label, sum(weights)) as step, explaining_faults():
            for weight, result in zip(weights, results, strict=True):
                step(weight)
                yield result

    def _spread(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self.jobs, context, initializer=_start_worker, initargs=(os.getpid(),)
            )
        waiting: deque[Future[Result]] = deque()
        for task in tasks:
            with _without_main():
                waiting.append(self._pool.submit(function, task))
            if len(waiting) >= _AHEAD * self.jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not import the program's main module.

    They need nothing of it: for the command line that is a third of a second saved in each, and
    scripts work without a guard.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _start_worker(parent: int) -> None:
    """Settle in a new process, and end with whoever started it, however that one ends."""
    for name in _THREADS:
        os.environ.setdefault(name, "1")  # read when NumPy is first imported, which is later
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _one_thread()


def _end_with(parent: int) -> None:
    """End this process once its parent is another one: the first was killed."""
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os._exit(1)


def _one_thread() -> int:
    """Give OpenCV one thread, for processes share the cores; returns how many it had."""
    import cv2

    _keep_memory()
    before = int(cv2.getNumThreads())
    cv2.setNumThreads(1)
    return before


def _keep_memory() -> None:
    """Let glibc keep the memory of a photo for the next one.

    It would hand back every large array to the system and get it again page by page, which took a
    sixth of the time. Other C libraries do without.
    """
    with suppress(OSError, AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, 256 << 20)
        mallopt(_MMAP_THRESHOLD, 32 << 20)
