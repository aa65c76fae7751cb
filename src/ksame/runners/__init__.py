"""Who does the work: one process, a few of them, or a cluster.

A runner applies one function to many tasks and yields the results in the order of the tasks.
Tasks and functions can be pickled, carry digests and small values, and depend on nothing else of
the machine that they were made on.
"""

from ksame.runners.contract import Progress, Runner, silent
from ksame.runners.faults import explaining_faults
from ksame.runners.processes import Processes

__all__ = ["Processes", "Progress", "Runner", "explaining_faults", "silent"]
