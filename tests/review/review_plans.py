"""The releases that tests of the page ask for."""

from pathlib import Path

from ksame.release import Plan

HOSTILE = "<img src=x onerror=window.boom=1>"  # as a file name, and as a person's name


def plan_of(album: Path, out: Path, **options) -> Plan:
    """A quick release: two people share a face."""
    given = {"k": 2, "seed": 7, "jobs": 1, "persons": "folder", **options}
    return Plan(album, out, **given)


def clip_plan(filmed: Path, out: Path, **options) -> Plan:
    """As `plan_of`, with people told apart by their faces."""
    return plan_of(filmed, out, **{"persons": "auto", "reference": "nobody", **options})
