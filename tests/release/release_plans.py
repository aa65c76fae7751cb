"""The plan that most tests of the flow look at."""

from ksame.release import Plan


def strict_plan(inputs, out, **options) -> Plan:
    """Whole heads, with the seed and the people given."""
    chosen = {"k": 3, "composite": "strict", "persons": "folder", "seed": 7, "jobs": 1, **options}
    return Plan(inputs, out, **chosen)
