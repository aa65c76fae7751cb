"""The two ends of a cluster: a scheduler is looked for, and a worker does tasks."""

import logging
import os
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from ksame.errors import InputError
from ksame.runners.contract import Result, Task

log = logging.getLogger(__name__)

_SCHEMES: Final = ("tcp", "tls")


def check_reachable(address: str, seconds: float) -> None:
    """Refuse an address where nobody listens, before anything is started for it."""
    try:
        place = urlsplit(address)
        if place.scheme not in _SCHEMES or not place.hostname or not place.port:
            raise ValueError
        socket.create_connection((place.hostname, place.port), timeout=seconds).close()
    except (OSError, ValueError) as error:
        why = "nobody listens there" if isinstance(error, OSError) else "it is no address"
        raise InputError(
            f"cluster={address!r} cannot be reached: {why}; name a scheduler that runs, as in "
            "tcp://host:8786, or local"
        ) from None


def do_batch(
    function: Callable[[Task], Result], batch: Sequence[Task], seconds: float
) -> list[Result]:
    """Do a batch on a worker."""
    return [_do_one(function, task, seconds) for task in batch]


def _do_one(function: Callable[[Task], Result], task: Task, seconds: float) -> Result:
    """Do one task; if it takes too long, end the worker: nothing else ends a hang."""
    hang = threading.Timer(seconds, _give_up, (seconds,))
    hang.daemon = True
    hang.start()
    try:
        return function(task)
    finally:
        hang.cancel()


def _give_up(seconds: float) -> None:
    log.error("a task took more than %.0f s; this worker ends, and another one does it", seconds)
    os._exit(1)
