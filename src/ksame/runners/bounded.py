"""Calls into libraries that may never return, with a bound."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def within(
    seconds: float,
    call: Callable[Given, Returned],
    /,
    *given: Given.args,
    **options: Given.kwargs,
) -> Returned:
    """Call, and return or raise what the call does, after so many seconds at the latest.

    A call that takes longer goes on in a thread which holds up nobody, not even the end of the
    process: what cannot be interrupted can only be left.

    Raises
    ------
    TimeoutError
        It did not return in time.
    """
    outcome: Future[Returned] = Future()

    def do() -> None:
        try:
            outcome.set_result(call(*given, **options))
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=do, name="ksame-within", daemon=True).start()
    return outcome.result(timeout=seconds)
