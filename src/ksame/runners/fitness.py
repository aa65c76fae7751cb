"""Which workers of a cluster may do tasks: those that would write the same bytes as this machine.

A worker that passes offers a resource which every task asks for. The scheduler therefore gives
tasks to such workers alone, also where a worker restarts or joins while a run goes on.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from distributed import Status, Worker
from distributed.diagnostics.plugin import WorkerPlugin

from ksame.runners.starting import ask_for_one_thread, one_thread

log = logging.getLogger(__name__)

Facts = Callable[[], Mapping[str, str]]

NO_KSAME: Final = "has no ksame of this version; install the same one there"
NO_STORE: Final = (
    "does not see the scratch folder beside OUT; put OUT into a folder that all machines share "
    "and name it by its absolute path"
)
SAME_PROCESS: Final = "runs inside of this very process; start workers as processes of their own"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a worker must have.

    Attributes
    ----------
    facts : what decides about bytes (versions, digests), asked for on the worker
    wanted : the same, as this machine has it
    mark, token : a file that every worker must see, and what it holds
    places : what else must exist, with a word for each that names no path
    """

    facts: Facts
    wanted: Mapping[str, str]
    mark: Path = field(repr=False)
    token: str = field(repr=False)
    places: tuple[tuple[str, Path], ...] = field(default=(), repr=False)
    client: tuple[str, int] = field(default_factory=lambda: (socket.gethostname(), os.getpid()))

    def problems(self) -> list[str]:
        """Why the process that asks is not fit; empty where it is. Settles the process in."""
        if (socket.gethostname(), os.getpid()) == self.client:
            return [SAME_PROCESS]
        ask_for_one_thread()
        found = []
        has = self.facts()
        for name in sorted({*has, *self.wanted}):
            here, there = self.wanted.get(name, "nothing"), has.get(name, "nothing")
            if here != there:
                found.append(f"{name}: it has {there}, this machine {here}")
        try:
            seen = self.mark.read_text(encoding="utf-8") == self.token
        except OSError:
            seen = False
        if not seen:
            found.append(NO_STORE)
        found += [
            f"does not see {word}; put it into a folder that all machines share and name it by "
            "its absolute path"
            for word, place in self.places
            if not place.exists()
        ]
        if not found:
            one_thread()
        return found


class Fitness(WorkerPlugin):  # type: ignore[misc]
    """Lets a worker offer the resource once it was found fit."""

    def __init__(self, needs: Needs, resource: str) -> None:
        self.needs = needs
        self.resource = resource
        self.name = resource

    async def setup(self, worker: Worker) -> None:
        """Look at the worker; runs on each one, whenever it joins."""
        problems = await asyncio.to_thread(self.needs.problems)
        if problems:
            log.warning("this worker gets no tasks of ksame: %s", "; ".join(problems))
            return
        # one task at a time: the tasks' memory is planned so, however many threads there are
        await worker.set_resources(**{self.resource: 1})
        if worker.status is Status.running:
            # tasks that nobody could do are looked at again only when a worker begins to run
            worker.status = Status.paused
            worker.status = Status.running


def probe(needs: Needs) -> list[str]:
    """Why a worker is not fit, asked for on the worker."""
    return needs.problems()


def told(address: str, answer: Any) -> list[str]:
    """What a worker's answer to :func:`probe` means, in words that name the worker."""
    if isinstance(answer, ImportError | AttributeError):
        return [f"worker {address} {NO_KSAME}"]
    if isinstance(answer, OSError):
        return []  # it went away at this moment; whoever comes instead is looked at too
    if isinstance(answer, BaseException):
        return [f"worker {address} cannot be asked ({type(answer).__name__})"]
    return [f"worker {address}: {problem}" for problem in answer]
