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
    Mutation(
        "a worker of another version gets no tasks",
        "runners/fitness.py",
        "            if here != there:\n",
        "            if False:\n",
        "runners/test_dask.py::test_what_makes_a_worker_unfit",
    ),
    Mutation(
        "a runner of one's own leaves out no result",
        "runners/named.py",
        "        if done != len(tasks):\n",
        "        if False:\n",
        "runners/test_named_runners.py::test_results_that_do_not_fit_their_tasks_stop_the_run",
    ),
)
