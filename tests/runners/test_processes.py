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


def test_a_run_that_gives_up_waits_for_nobody():
    """A task may take long, such as a clip; nobody wants its result any more."""
    started = 0.0
    with pytest.raises(RuntimeError, match="enough"), Processes(2) as runner:
        assert next(runner.run("short", abs, range(TASKS))) == 0  # processes are at work
        workers = _workers()
        results = runner.run("long", time.sleep, [0.0] + [HALF_A_MINUTE] * TASKS)
        next(results)
        started = time.perf_counter()
        raise RuntimeError("enough")
    assert time.perf_counter() - started < 2
    _, alive = psutil.wait_procs(workers, timeout=2)
    assert not alive


def test_a_worker_that_is_killed_is_told():
    with Processes(2) as runner:
        next(runner.run("short", abs, range(TASKS)))
        for worker in _workers():
            worker.kill()
        with pytest.raises(MediaError, match="a worker process died"):
            list(runner.run("long", time.sleep, [0.1] * TASKS))
