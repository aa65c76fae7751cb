"""One network per model, process and thread.

OpenCV's networks keep their buffers inside, so two threads must not share one; and a network that
was built before a fork is not used after it.
"""

import os
import threading
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")
_kept = threading.local()


def network(name: str, build: Callable[[], T]) -> T:
    """The network called ``name``: built on first use in this thread of this process."""
    if getattr(_kept, "process", None) != os.getpid():
        _kept.process, _kept.networks = os.getpid(), {}
    if name not in _kept.networks:
        _kept.networks[name] = build()
    return cast(T, _kept.networks[name])
