"""Calls that never return are left behind, and everything else is as without a bound."""

import threading

import pytest

from ksame.runners.bounded import within


def test_what_a_call_returns_or_raises_is_handed_on():
    assert within(10, divmod, 7, 2) == (3, 1)
    assert within(10, int, "z", base=36) == 35
    with pytest.raises(ZeroDivisionError):
        within(10, divmod, 7, 0)


def test_a_call_that_does_not_return_is_left_behind():
    over = threading.Event()
    with pytest.raises(TimeoutError):
        within(0.05, over.wait, 60)
    (left,) = [thread for thread in threading.enumerate() if thread.name == "ksame-within"]
    assert left.daemon  # it does not hold up the end of the process
    over.set()
    left.join(10)
    assert not left.is_alive()
