"""A runner of one's own by name: an installed package's, or ``package.module:name``."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from ksame.errors import InputError
from ksame.plugins import made, names_of, resolve
from ksame.runners.contract import Progress, Result, Runner, Task, silent, steps_of
from ksame.runners.faults import explaining_faults
from ksame.runners.starting import one_thread

_IMPORT_PATH: Final = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")  # and no host:8786


def is_named(name: str) -> bool:
    """Whether a text names a runner, and no address of a cluster."""
    return bool(_IMPORT_PATH.fullmatch(name)) or name in names_of("runner", {})


@contextmanager
def own_runner(name: str, progress: Progress | None = None) -> Iterator[Runner]:
    """A runner by name, held while it is used; one that is a context is entered.

    Raises
    ------
    InputError
        No runner has this name, or what has it is none.
    """
    import cv2

    found = made("runner", name, resolve("runner", name, {}), Runner)  # type: ignore[type-abstract]
    with ExitStack() as held:
        # one thread here too: sums in another order would round to other bytes
        held.callback(cv2.setNumThreads, one_thread())
        entered: Any = found
        if hasattr(found, "__enter__"):
            entered = held.enter_context(entered)
        yield _Watched(entered, name, progress or silent)


class _Watched:
    """A runner whose results are counted: for whoever watches, and because none may be missing."""

    def __init__(self, runner: Runner, name: str, progress: Progress) -> None:
        self._runner, self._name, self._progress = runner, name, progress

    def run(
        self, label: str, function: Callable[[Task], Result], tasks: Sequence[Task], /
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; see :class:`ksame.runners.Runner`."""
        weights = [steps_of(task) for task in tasks]
        done = 0
        with self._progress(label, sum(weights)) as step, explaining_faults():
            for done, result in enumerate(self._runner.run(label, function, tasks), 1):
                if done <= len(tasks):
                    step(weights[done - 1])
                    yield result
        if done != len(tasks):
            raise InputError(
                f"runner {self._name!r} gave {done} results for {len(tasks)} tasks; it must give "
                "one for each, in their order"
            )

    def finish(self) -> None:
        """Nothing more will be run."""
        self._runner.finish()
