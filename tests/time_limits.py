"""A test that hangs fails by name, with the stacks of its threads, and the run goes on.

Three nets, the next one for what slips through the one before. pytest-timeout fails the test after
``timeout`` seconds, fixtures included (pyproject.toml). What does not heed its signal, such as a
wait in compiled code, and what hangs while the failed test is cleaned up, ends with its process:
faulthandler writes the stacks, and pytest-xdist names the test and starts another process. Who
waits for a run that hangs in spite of both is told the names of the tests that it is in.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from typing import Final

import pytest

TIDYING_SECONDS: Final = 60.0  # for the fixtures of a test that has failed
TELLING_SECONDS: Final = 100.0  # a test takes at most a third of it
LOOK_SECONDS: Final = 5.0

_stderr: int  # of the process, whatever pytest captures


def pytest_configure(config: pytest.Config) -> None:
    global _stderr
    assert sys.__stderr__ is not None
    _stderr = os.dup(sys.__stderr__.fileno())
    if hasattr(faulthandler, "register"):  # not on Windows
        # a run that is given up, as by `timeout`, tells where each of its processes is
        faulthandler.register(signal.SIGTERM, file=_stderr, all_threads=True, chain=True)
    if getattr(config.option, "numprocesses", None):  # the process that only waits for others
        config.pluginmanager.register(_Waiting())


@pytest.hookimpl(trylast=True)
def pytest_exception_interact() -> None:
    """Bound what follows a failure, too: pytest and pytest-timeout end their limits here."""
    faulthandler.dump_traceback_later(TIDYING_SECONDS, exit=True, file=_stderr)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol():
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


class _Waiting:
    """Tells the names of the tests that have been running for long, once each."""

    def __init__(self) -> None:
        self._begun: dict[str, float] = {}
        threading.Thread(target=self._watch, daemon=True, name="time-limits").start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._begun[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._begun.pop(nodeid, None)

    def _watch(self) -> None:
        told = set()
        while True:
            time.sleep(LOOK_SECONDS)
            for nodeid, begun in tuple(self._begun.items()):
                if time.monotonic() - begun > TELLING_SECONDS and nodeid not in told:
                    told.add(nodeid)
                    seconds = round(time.monotonic() - begun)
                    os.write(_stderr, f"\nstill in {nodeid} after {seconds} s\n".encode())
