"""Workers of a cluster that die, hang, freeze or are forgotten, and schedulers that go away."""

import itertools
import os
import signal
import threading
import time
from contextlib import suppress

import cluster_tasks as tasks
import psutil
import pytest

from ksame.errors import MediaError
from ksame.runners import dask as runner
from ksame.runners import local_cluster, watching
from ksame.runners.cluster_faults import DEADLY, DUMB, GONE, LOST, NO_WORKERS
from ksame.runners.dask import Dask
from ksame.runners.local_cluster import close


def test_a_dead_and_a_hanging_worker_lose_and_double_nothing(make_cluster, tmp_path):
    marks = [tmp_path / f"{'plain' if n % 5 else 'once'}{n:02d}" for n in range(12)]
    cluster = make_cluster(2)
    with Dask(cluster.scheduler_address, tasks.facts, tmp_path, task_seconds=1.0) as dask:
        assert list(dask.run("die", tasks.die_once, marks)) == [mark.name for mark in marks]
        for mark in marks:
            mark.unlink(missing_ok=True)
        assert list(dask.run("hang", tasks.hang_once, marks[:4])) == [m.name for m in marks[:4]]


def test_a_scheduler_that_goes_away_is_told(make_cluster, tmp_path):
    cluster = make_cluster(1)
    with Dask(cluster.scheduler_address, tasks.facts, tmp_path) as dask:
        results = dask.run("who", tasks.process_after, [0.1] * 200)
        next(results)
        cluster.close()
        with pytest.raises(MediaError, match="the scheduler of the cluster went away") as error:
            list(results)
        assert str(error.value) == GONE
        with pytest.raises(MediaError, match="went away"):
            list(dask.run("who", tasks.process_after, [0.1]))


def test_workers_that_all_go_away_are_told(make_cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 1.0)
    cluster = make_cluster(1)
    with Dask(cluster.scheduler_address, tasks.facts, tmp_path) as dask:
        results = dask.run("who", tasks.process_after, [0.1] * 50)
        next(results)
        cluster.scale(0)
        with pytest.raises(MediaError) as error:
            list(results)
        assert str(error.value) == NO_WORKERS


def _on_the_scheduler(cluster, function, *given):
    """Change the scheduler of a cluster in its own thread."""

    async def change():
        function(*given)

    cluster.sync(change, callback_timeout=10)


@pytest.mark.parametrize("found_again", [True, False])
def test_a_task_that_the_scheduler_gives_to_nobody(
    make_cluster, tmp_path, monkeypatch, found_again
):
    """It forgot what the worker offers: the task is sent again, and at last it is told."""
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0.3)
    cluster = make_cluster(1)
    with Dask(cluster.scheduler_address, tasks.facts, tmp_path) as dask:
        (worker,) = cluster.scheduler.workers
        _on_the_scheduler(cluster, cluster.scheduler.remove_resources, worker)
        submit, sent = dask._submit, []

        def send(function, batch, name):
            sent.append(name)
            if len(sent) == 2 and found_again:
                _on_the_scheduler(cluster, cluster.scheduler.add_resources, worker)
            return submit(function, batch, name)

        monkeypatch.setattr(dask, "_submit", send)
        results = dask.run("squares", tasks.square, [3])
        if found_again:
            assert list(results) == [9]
            assert len(sent) == 2
            return
        with pytest.raises(MediaError) as error:
            list(results)
        assert str(error.value) == LOST
        assert len(sent) == 3


def test_a_worker_that_does_not_answer_is_told(make_cluster, tmp_path, monkeypatch):
    """It is stopped: the scheduler would wait for it as long as it stands."""
    monkeypatch.setattr(runner, "_PROBE_SECONDS", 1.0)
    cluster = make_cluster(1)
    (worker,) = cluster.workers.values()
    os.kill(worker.pid, signal.SIGSTOP)
    try:
        with (
            pytest.raises(MediaError) as error,
            Dask(cluster.scheduler_address, tasks.facts, tmp_path),
        ):
            pass
        assert str(error.value) == DUMB
    finally:
        os.kill(worker.pid, signal.SIGCONT)


@pytest.mark.slow
def test_a_task_that_ends_every_worker_is_told(make_cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_ROUNDS", 1)
    cluster = make_cluster(2)
    with Dask(cluster.scheduler_address, tasks.facts, tmp_path) as dask:
        with pytest.raises(MediaError) as error:
            list(dask.run("die", tasks.die, range(1)))
        assert str(error.value) == DEADLY


@pytest.mark.slow
def test_workers_killed_again_and_again_lose_nothing(tmp_path):
    with Dask("local", tasks.facts, tmp_path, jobs=2) as dask:
        results = dask.run("who", tasks.process_after, [0.2] * 60)
        killed = set()
        seen = []
        for number in itertools.count():
            try:
                seen.append(next(results))
            except StopIteration:
                break
            if number % 8 == 3 and seen[-1] not in killed:
                killed.add(seen[-1])
                os.kill(seen[-1], signal.SIGKILL)
        assert len(seen) == 60
        assert len(killed) >= 4


@pytest.mark.slow
def test_a_frozen_worker_is_given_up(make_cluster, tmp_path):
    """One that is stopped does not even notice that it hangs; the scheduler does."""
    import dask as settings

    with settings.config.set({"distributed.scheduler.worker-ttl": "2s"}):
        cluster = make_cluster(2)
    with Dask(cluster.scheduler_address, tasks.facts, tmp_path) as dask:
        results = dask.run("who", tasks.process_after, [0.1] * 40)
        frozen = next(results)
        os.kill(frozen, signal.SIGSTOP)
        try:
            start = time.monotonic()
            assert len(list(results)) == 39
            assert time.monotonic() - start < 60
        finally:
            with suppress(ProcessLookupError):  # where its nanny has ended it already
                os.kill(frozen, signal.SIGKILL)


def test_a_cluster_that_does_not_close_is_left_without_its_workers(make_cluster, monkeypatch):
    """As Dask does where a worker is being started again at this very moment."""
    monkeypatch.setattr(local_cluster, "_CLOSE_SECONDS", 0.2)
    cluster = make_cluster(1)
    worker = psutil.Process(next(iter(cluster.workers.values())).pid)
    over = threading.Event()
    with monkeypatch.context() as patched:
        patched.setattr(cluster, "close", lambda: over.wait(60))
        close(cluster)
    over.set()
    assert not psutil.wait_procs([worker], timeout=20)[1]
    time.sleep(0.5)  # in which another one would be started
    assert not any(nanny.is_alive() for nanny in cluster.workers.values())
