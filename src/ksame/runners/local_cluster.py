"""A cluster of Dask on this machine."""

import logging
from typing import Any

from distributed import LocalCluster, Nanny

from ksame.errors import MediaError
from ksame.runners.starting import without_main


class _Nanny(Nanny):  # type: ignore[misc]
    """Restarts a worker without the program's main module."""

    async def instantiate(self) -> Any:
        with without_main():
            return await super().instantiate()


def local_cluster(workers: int) -> LocalCluster:
    """A scheduler in this process, and workers in processes of their own."""
    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            worker_class=_Nanny,
        )
    except RuntimeError:
        raise MediaError("a worker died while it was started; run the same command again") from None
