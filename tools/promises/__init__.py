"""Every promise that a mutation breaks, by subject."""

from promises import (
    attacking,
    clips,
    continued,
    faces,
    faults,
    heads,
    people,
    reading,
    releasing,
    reviews,
    vaults,
    verifying,
    working,
)
from promises.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *attacking.MUTATIONS,
    *clips.MUTATIONS,
    *continued.MUTATIONS,
    *faces.MUTATIONS,
    *faults.MUTATIONS,
    *heads.MUTATIONS,
    *people.MUTATIONS,
    *reading.MUTATIONS,
    *releasing.MUTATIONS,
    *reviews.MUTATIONS,
    *vaults.MUTATIONS,
    *verifying.MUTATIONS,
    *working.MUTATIONS,
)

__all__ = ["MUTATIONS", "Mutation"]
