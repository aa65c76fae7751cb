"""Runs one function over many tasks in a few processes, in order, in bounded memory."""

import ctypes
import errno
import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from types import ModuleType
from typing import TypeVar

from ksame.errors import KsameError, MediaError

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them
_AHEAD = 8  # tasks in flight per process: enough to keep it busy, few enough to stay flat
_WORTH_A_PROCESS = 6  # starting a process takes about as long as this many photos


class Workers:
    """A pool of processes that is started when it is first worth it; use it as a context."""

    def __init__(self, jobs: int, progress: Progress | None = None) -> None:
        self.jobs = jobs
        self.progress = progress or _silent
        self._pool: ProcessPoolExecutor | None = None
        self._threads = 1

    def __enter__(self) -> "Workers":
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
        self, label: str, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks.

        Raises
        ------
        MediaError
            The disk is full, or a worker process died.
        """
        inline = self.jobs == 1 or (self._pool is None and len(tasks) < _WORTH_A_PROCESS)
        results = map(function, tasks) if inline else self._spread(function, tasks)
        with self.progress(label, len(tasks)) as step, explained():
            for result in results:
                step(1)
                yield result

    def _spread(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.jobs, context, initializer=_one_thread)
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


@contextmanager
def explained() -> Iterator[None]:
    """Turn faults of the machine into errors that say what to do."""
    try:
        yield
    except KsameError:
        raise
    except BrokenProcessPool:
        raise MediaError(
            "a worker process died, perhaps out of memory; what was done is kept. Run it again, "
            "with one job or a smaller limit of pixels"
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise MediaError(
                "the disk is full; what was done is kept. Free some space and run the same "
                "command again"
            ) from None
        raise MediaError(
            f"writing failed ({os.strerror(error.errno or 0)}); what was done is kept. "
            "Mend it and run the same command again"
        ) from None


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
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, 256 << 20)
        mallopt(_MMAP_THRESHOLD, 32 << 20)


def _silent(label: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    return nullcontext(lambda steps: None)
