"""Clusters of processes on this machine, as somebody else would have started them."""

import pytest
from distributed import LocalCluster

from ksame.runners.local_cluster import close
from ksame.runners.starting import without_main


def _started(workers: int) -> LocalCluster:
    with without_main():
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        )


@pytest.fixture
def make_cluster():
    """Clusters of processes on this machine, as somebody else would have started them."""
    made = []

    def make(workers: int) -> LocalCluster:
        made.append(_started(workers))
        return made[-1]

    yield make
    for cluster in made:
        close(cluster)


@pytest.fixture(scope="module")
def cluster():
    started = _started(2)
    yield started.scheduler_address
    close(started)
