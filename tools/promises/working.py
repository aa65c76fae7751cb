"""Workers do every task once, or say that they did not."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "workers end with the run that gives up",
        "runners/processes.py",
        "            self._lifeline[1].close()\n",
        "            pass\n",
        "runners/test_processes.py",
    ),
)
