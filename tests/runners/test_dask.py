"""A cluster of Dask as a runner: what it promises where nothing goes wrong."""

import time
from collections.abc import Sequence
from contextlib import nullcontext

import cluster_tasks as tasks
import pytest

from ksame.errors import InputError, MediaError
from ksame.runners import dask as runner
from ksame.runners import watching
from ksame.runners.dask import Dask
from ksame.runners.fitness import NO_KSAME, NO_STORE, SAME_PROCESS, Needs, told
from ksame.runners.starting import without_main


class Counted(Sequence):
    """Tasks that tell how many were asked for."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.asked = 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number):
        if number >= self.count:
            raise IndexError
        self.asked = max(self.asked, number + 1)
        return number


def test_results_come_in_order_and_few_tasks_are_under_way(cluster, tmp_path):
    with Dask(cluster, tasks.facts, tmp_path) as dask:
        counted = Counted(100)
        results = dask.run("squares", tasks.square, counted)
        first = [next(results) for _ in range(3)]
        assert counted.asked <= 3 + 2 * 8
        assert first + list(results) == [n * n for n in range(100)]
        assert list(dask.run("none", tasks.square, [])) == []
    assert list(tmp_path.iterdir()) == []


def test_a_pass_that_nobody_reads_to_its_end_leaves_the_cluster_usable(cluster, tmp_path):
    with Dask(cluster, tasks.facts, tmp_path) as dask:
        results = dask.run("squares", tasks.square, range(50))
        assert next(results) == 0
        results.close()
        assert list(dask.run("squares", tasks.square, range(5))) == [0, 1, 4, 9, 16]


def test_very_many_tasks_travel_in_batches(cluster, tmp_path):
    with Dask(cluster, tasks.facts, tmp_path) as dask:
        sizes = {count: len(next(dask._batches(range(count)))) for count in (5, 127, 1280, 10**7)}
        assert sizes == {5: 1, 127: 1, 1280: 10, 10**7: 32}
        assert list(dask.run("squares", tasks.square, range(700))) == [n * n for n in range(700)]


def test_errors_of_a_task_arrive_as_they_are(cluster, tmp_path):
    with Dask(cluster, tasks.facts, tmp_path) as dask:
        with pytest.raises(MediaError, match="a photo is a tree"):
            list(dask.run("complain", tasks.complain, range(3)))
        with pytest.raises(MediaError, match="the disk is full"):
            list(dask.run("fill", tasks.fill_disk, range(3)))


def test_progress_counts_every_task_once(cluster, tmp_path):
    steps = []
    watched = []

    def progress(label, total):
        watched.append((label, total))
        return nullcontext(steps.append)

    with Dask(cluster, tasks.facts, tmp_path, progress=progress) as dask:
        list(dask.run("squares", tasks.square, range(20)))
    assert watched == [("squares", 20)]
    assert sum(steps) == 20


def test_a_worker_that_differs_is_refused_before_the_first_task(cluster, tmp_path):
    with (
        pytest.raises(InputError, match=r"ksame: it has .*, this machine") as error,
        Dask(cluster, tasks.facts_of_a_process, tmp_path),
    ):
        pass
    assert "worker tcp://127.0.0.1" in str(error.value)
    assert "weight file" not in str(error.value)


def test_a_worker_that_does_not_see_an_input_is_refused_without_naming_it(cluster, tmp_path):
    hidden = tmp_path / "photos of ada"
    with (
        pytest.raises(InputError, match="does not see input 1") as error,
        Dask(cluster, tasks.facts, tmp_path, [("input 1", hidden)]),
    ):
        pass
    assert "ada" not in str(error.value)


def test_what_makes_a_worker_unfit(tmp_path):
    mark = tmp_path / "token"
    elsewhere = ("another machine", 1)

    def problems(token="a", facts=tasks.facts, **options):
        return Needs(facts, {"ksame": "1"}, mark, token, **options).problems()

    assert problems() == [SAME_PROCESS]
    assert problems(client=elsewhere) == [NO_STORE]
    mark.write_text("b")  # the folder of another machine that has the same name
    assert problems(client=elsewhere) == [NO_STORE]
    assert problems("b", client=elsewhere) == []
    lacking = problems("b", dict, client=elsewhere)
    assert lacking == ["ksame: it has nothing, this machine 1"]


def test_what_workers_answer_is_told_with_their_address():
    assert told("tcp://a", []) == []
    assert told("tcp://a", ["x"]) == ["worker tcp://a: x"]
    assert told("tcp://a", ModuleNotFoundError("ksame")) == [f"worker tcp://a {NO_KSAME}"]
    assert told("tcp://a", ConnectionResetError()) == []  # it died while it was asked
    assert told("tcp://a", RuntimeError()) == ["worker tcp://a cannot be asked (RuntimeError)"]


def test_no_scheduler_and_no_workers_are_told(make_cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_CONNECT_SECONDS", 0.3)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "tcp://"):
        with (
            pytest.raises(InputError, match="cannot be reached"),
            Dask(address, tasks.facts, tmp_path),
        ):
            pass
    empty = make_cluster(0)
    with (
        pytest.raises(InputError, match="has no workers; start some: dask worker"),
        Dask(empty.scheduler_address, tasks.facts, tmp_path),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_joins_late_works_if_it_is_fit(make_cluster, tmp_path, monkeypatch):
    told_facts = tmp_path / "facts"
    told_facts.write_text("1")
    monkeypatch.setenv("KSAME_TEST_FACTS", str(told_facts))
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.1)
    cluster = make_cluster(1)
    with Dask(cluster.scheduler_address, tasks.facts_of_a_file, tmp_path) as dask:
        for fit, expected in ((True, 2), (False, 2)):
            told_facts.write_text("1" if fit else "2")
            with without_main():
                cluster.scale(2 if fit else 3)
                dask._client.wait_for_workers(2 if fit else 3, timeout=60)
            end = time.monotonic() + 60
            while dask._watch.fit_workers() < expected and time.monotonic() < end:
                time.sleep(0.1)
            waits = [0.05] * 60
            assert len(set(dask.run("who", tasks.process_after, waits))) == expected
