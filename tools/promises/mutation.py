"""One promise broken on purpose."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """One change to one file, and the test that must fail because of it."""

    promise: str
    file: str  # below src/ksame
    old: str
    new: str
    test: str  # below tests
