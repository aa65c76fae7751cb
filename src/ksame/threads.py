"""Processors: how many there are, and matrix products whose rounding does not depend on them."""

import os
from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which the matrix library runs in the calling thread alone."""
    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return limits
