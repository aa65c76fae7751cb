"""What the scheduler of a cluster knows about workers and tasks, asked for now and then."""

import logging
import time
from typing import Any, Final

from distributed import Client, Future

from ksame.errors import MediaError
from ksame.runners.bounded import within
from ksame.runners.cluster_faults import GONE

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 2.0  # how often it is looked for workers that came or went
# without any fit worker, one that restarts needs some of it; and with a task that no worker has
PATIENCE_SECONDS: Final = 60.0
_ANSWER_SECONDS: Final = 30.0  # of a scheduler that is asked something


class Watch:
    """Looks at the workers that offer a resource."""

    def __init__(self, client: Client, resource: str) -> None:
        self._client = client
        self._resource = resource
        self._workers = 0
        self._looked = self._last_fit = 0.0

    def fit_workers(self) -> int:
        """How many workers may do tasks.

        Raises
        ------
        MediaError
            The scheduler does not answer.
        """
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            # of all workers: it tells of five unless it is asked for more
            workers = self._ask(self._client.scheduler_info, n_workers=-1)["workers"].values()
            self._workers = sum(self._resource in each["resources"] for each in workers)
            self._looked = time.monotonic()
            if self._workers or not self._last_fit:
                self._last_fit = self._looked
        return self._workers

    def alone_for_long(self) -> bool:
        """Whether there has been no worker that may do tasks for longer than a restart takes."""
        return self.fit_workers() == 0 and time.monotonic() - self._last_fit > PATIENCE_SECONDS

    def has_a_worker(self, task: Future) -> bool:
        """Whether a worker has this task now.

        Raises
        ------
        MediaError
            The scheduler does not answer.
        """
        held = self._ask(self._client.processing)
        return any(task.key in keys for keys in held.values())

    def _ask(self, call: Any, **options: Any) -> Any:
        try:
            return within(_ANSWER_SECONDS, call, **options)
        except Exception as error:
            log.warning("the scheduler does not answer: %s", type(error).__name__)
            raise MediaError(GONE) from None
