"""Processes of this machine: results in order, and nobody is left or waited for."""

import time

import psutil
import pytest

from ksame.errors import MediaError
from ksame.runners import Processes

HALF_A_MINUTE = 30.0
TASKS = 8  # enough that processes are started for them


def _workers():
    children = psutil.Process().children(recursive=True)
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_results_are_in_the_order_of_the_tasks():
    with Processes(2) as runner:
        assert list(runner.run("count", abs, range(-TASKS, 0))) == list(range(TASKS, 0, -1))
        workers = _workers()
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=2)
    assert not alive


def _give_up(workers):
    """Processes are at work on long tasks when something else fails."""
    with Processes(2) as runner:
        next(runner.run("short", abs, range(TASKS)))
        workers += _workers()
        next(runner.run("long", time.sleep, [0.0] + [HALF_A_MINUTE] * TASKS))
        raise RuntimeError("enough")


def test_a_run_that_gives_up_waits_for_nobody():
    """A task may take long, such as a clip; nobody wants its result any more."""
    workers, start = [], time.perf_counter()
    with pytest.raises(RuntimeError, match="enough"):
        _give_up(workers)
    assert time.perf_counter() - start < HALF_A_MINUTE / 2
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=2)
    assert not alive


def test_a_worker_that_is_killed_is_told():
    with Processes(2) as runner:
        next(runner.run("short", abs, range(TASKS)))
        for worker in _workers():
            worker.kill()
        with pytest.raises(MediaError, match="a worker process died"):
            list(runner.run("long", time.sleep, [0.1] * TASKS))
