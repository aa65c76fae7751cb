"""How a process that does tasks is started and settles in, wherever it runs."""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them
# what tells linear algebra how many threads it has: processes share the cores already
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_hidden: list[Any] = []  # the main module, once for everybody who hides it right now


@contextmanager
def without_main() -> Iterator[None]:
    """Start processes that do not import the program's main module.

    They need nothing of it: for the command line that is a third of a second saved in each, and
    scripts work without a guard. Several may hide it at a time; the last one brings it back.
    """
    _hidden.append(sys.modules["__main__"] if not _hidden else _hidden[0])
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        main = _hidden.pop()
        if not _hidden:
            sys.modules["__main__"] = main


@contextmanager
def deaf_to_terminals() -> Iterator[None]:
    """Start processes that Ctrl-C and a closed terminal do not reach: these go to all of them.

    Whoever started them ends them; each would print a traceback of its own. A process inherits
    which signals are held back. One that comes meanwhile reaches this process afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ask_for_one_thread() -> None:
    """Let linear algebra that is not loaded yet use one thread."""
    for name in _THREADS:
        os.environ.setdefault(name, "1")


def one_thread() -> int:
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
