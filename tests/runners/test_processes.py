"""Processes of this machine: results in order, and nobody is left or waited for."""

import atexit
import time
from concurrent.futures import Future
from contextlib import contextmanager, suppress

import psutil
import pytest

from ksame.errors import MediaError
from ksame.runners import Processes, processes

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
    _, alive = psutil.wait_procs(workers, timeout=HALF_A_MINUTE / 2)
    assert not alive


def _place_of(task):
    """Which process did it, and when; the first takes long."""
    time.sleep(2.0 if task == 0 else 0.0)
    return task, time.monotonic()


def test_others_go_on_while_one_takes_long():
    """A crowd of hundreds takes as long as all other photos together."""
    many = 4 * processes._AHEAD * 2
    with Processes(2) as runner:
        list(runner.run("start", abs, range(TASKS)))
        told = list(runner.run("write", _place_of, range(many)))
    assert [task for task, _ in told] == list(range(many))
    assert max(when for _, when in told[1:]) < told[0][1]


def test_a_bar_moves_while_the_first_task_takes_long():
    """What is done counts when it is done, not when all before it are."""
    steps = []

    @contextmanager
    def progress(label, total):
        yield lambda count: steps.append((count, time.monotonic()))

    with Processes(2, progress) as runner:
        list(runner.run("start", abs, range(TASKS)))
        steps.clear()
        told = list(runner.run("write", _place_of, range(TASKS)))
    assert sum(count for count, _ in steps) == TASKS
    assert sum(when < told[0][1] for _, when in steps) == TASKS - 1


class _Segment(int):
    """A few frames of a clip."""

    steps = processes._WORTH_IN_FRAMES // 2


@pytest.mark.parametrize(
    ("tasks", "started"), [([_Segment(-1)], False), ([_Segment(-1)] * 2, True)]
)
def test_two_segments_of_a_clip_are_worth_processes(tasks, started):
    with Processes(2) as runner:
        assert list(runner.run("segments", abs, tasks)) == [1] * len(tasks)
        assert bool(_workers()) == started


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
    _, alive = psutil.wait_procs(workers, timeout=HALF_A_MINUTE / 2)
    assert not alive


def test_a_worker_that_is_killed_is_told():
    with Processes(2) as runner:
        next(runner.run("short", abs, range(TASKS)))
        for worker in _workers():
            with suppress(psutil.NoSuchProcess):  # the pool ends the others when one has died
                worker.kill()
        with pytest.raises(MediaError, match="a worker process died"):
            list(runner.run("long", time.sleep, [0.1] * TASKS))


def test_a_task_that_a_broken_pool_forgot_is_told(monkeypatch):
    """One that is handed over while the pool breaks is neither done nor refused."""
    monkeypatch.setattr(processes, "_LOOK_SECONDS", 0.05)
    with Processes(2) as runner:
        next(runner.run("short", abs, range(TASKS)))
        monkeypatch.setattr(runner._pool, "submit", lambda *_: Future())
        results = runner.run("forgotten", abs, range(TASKS))
        with suppress(psutil.NoSuchProcess):
            _workers()[0].kill()
        with pytest.raises(MediaError, match="a worker process died"):
            next(results)


def _late(error):
    raise error


def test_a_tasks_own_timeout_is_not_taken_for_waiting():
    with Processes(2) as runner, pytest.raises(MediaError, match="cannot be read or written"):
        list(runner.run("late", _late, [TimeoutError("a server is slow")] * TASKS))


def _hang_at_the_end(_):
    atexit.register(time.sleep, HALF_A_MINUTE)


def test_processes_that_hang_at_their_end_are_ended(monkeypatch):
    monkeypatch.setattr(processes, "_END_SECONDS", 0.5)
    with Processes(2) as runner:
        list(runner.run("hang", _hang_at_the_end, range(TASKS)))
        workers, start = _workers(), time.perf_counter()
    assert workers
    assert time.perf_counter() - start < HALF_A_MINUTE / 2
    _, alive = psutil.wait_procs(workers, timeout=HALF_A_MINUTE / 2)
    assert not alive
