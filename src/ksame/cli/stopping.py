"""Signals that ask the command to end: they become one exception, so that everything is tidied."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

# Windows has no hang-up
_ASKING: Final = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Stopped(BaseException):
    """Somebody asked the command to end; ``code`` is the exit code that shells expect of that."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


@contextmanager
def stopping() -> Iterator[None]:
    """Raise `Stopped` for Ctrl-C, a polite kill and a closed terminal; use it in the main thread.

    The default for the latter two is to end on the spot, which leaves temporary copies of inputs
    behind. A signal that whoever started the command ignores (nohup) stays ignored.
    """
    before = {number: signal.getsignal(number) for number in _ASKING}
    usual = (signal.SIG_DFL, signal.default_int_handler)
    for number, handler in before.items():
        if handler in usual:
            signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    # a second signal must not break the tidying up that the first began
    for each in _ASKING:
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)
