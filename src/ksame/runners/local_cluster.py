"""A cluster of Dask on this machine."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from distributed import LocalCluster, Nanny, Status

from ksame.errors import MediaError
from ksame.runners.bounded import within
from ksame.runners.starting import without_main

log = logging.getLogger(__name__)

_START_SECONDS: Final = 120.0  # a worker starts in some, on a busy machine in many
# Windows ends a process at once by the signal that asks for it elsewhere
_AT_ONCE: Final = getattr(signal, "SIGKILL", signal.SIGTERM)
_CLOSE_SECONDS: Final = 30.0  # a worker is given four before it is killed


class _Nanny(Nanny):  # type: ignore[misc]
    """Restarts a worker without the program's main module."""

    async def instantiate(self) -> Any:
        with without_main():
            return await super().instantiate()


@contextmanager
def local_cluster(workers: int) -> Iterator[LocalCluster]:
    """A scheduler in this process, and workers in processes of their own.

    Raises
    ------
    MediaError
        The workers do not start.
    """
    try:
        cluster = within(
            _START_SECONDS,
            LocalCluster,
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            worker_class=_Nanny,
        )
    except (RuntimeError, TimeoutError):
        raise MediaError(
            "a worker died or hung while it was started; run the same command again"
        ) from None
    try:
        yield cluster
    finally:
        close(cluster)


def close(cluster: LocalCluster) -> None:
    """End a cluster whose tasks are done.

    A worker that is being started again at this moment makes Dask fail, or wait for ever. Neither
    is the fault of what the cluster was for; its workers are ended without it.
    """
    nannies = list(cluster.workers.values())
    try:
        within(_CLOSE_SECONDS, cluster.close)
    except Exception as error:
        log.warning("the local cluster did not close: %s", type(error).__name__)
        for nanny in nannies:
            with suppress(Exception):
                _end(nanny)


def _end(nanny: Nanny) -> None:
    """End a worker's process, and let its nanny start no other."""
    if nanny.status is Status.running:
        nanny.close_gracefully()
    if nanny.pid is not None:
        os.kill(nanny.pid, _AT_ONCE)
