"""Loops as machine code where numba is installed (``pip install ksame[fast]``)."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def has_numba() -> bool:
    """Whether loops can be compiled; without it, NumPy does the same more slowly."""
    return find_spec("numba") is not None


def compiled(function: Function) -> Function:
    """Compile a function when it is first called; its machine code is kept beside the source.

    Without numba the function is returned as it is: right, and slow.
    """
    if not has_numba():
        return function
    import numba

    # no fastmath: a loop rounds as NumPy does
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
