"""The plans that most tests of the flow look at."""

from pathlib import Path

from ksame.release import Plan
from ksame.release.job import Job
from ksame.release.scratch import Scratch
from ksame.release.secret import Secret
from ksame.runners import Processes

HERE = Path("in")


def strict_plan(inputs, out, **options) -> Plan:
    """Whole heads, with the seed and the people given."""
    chosen = {"k": 3, "composite": "strict", "persons": "folder", "seed": 7, "jobs": 1, **options}
    return Plan(inputs, out, **chosen)


def plan_of_nothing(**options) -> Plan:
    """A plan that is never run."""
    chosen = {"inputs": HERE, "out": "out", "k": 3, "composite": "strict", "select": (), **options}
    return Plan(**chosen)


def job_of(plan=None, root=Path("w"), secret=None) -> Job:
    """A job that has a secret and no folder."""
    plan = plan or plan_of_nothing()
    return Job(plan, Scratch(root), Processes(1), secret or Secret(1, "n"))
