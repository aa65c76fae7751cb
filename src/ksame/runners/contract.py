"""What a runner must do, and how it tells how far it has come."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar, runtime_checkable

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


@runtime_checkable
class Runner(Protocol):
    """Applies a function to many tasks."""

    def run(
        self, label: str, function: Callable[[Task], Result], tasks: Sequence[Task], /
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks, lazily and in bounded memory.

        ``label`` names the pass for whoever watches. Whatever happens to a worker, a task is done
        once or an error says that it was not.
        """
        ...

    def finish(self) -> None:
        """Nothing more will be run: workers may end while the caller goes on."""
        ...


def steps_of(task: object) -> int:
    """What a task counts for in the progress: its ``steps``, such as frames, or one."""
    return int(getattr(task, "steps", 1))


def silent(label: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """A progress that shows nothing."""
    return nullcontext(lambda steps: None)
