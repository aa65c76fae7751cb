"""Every promise that a mutation breaks, by subject."""

from promises import attacking, faces, heads, people, reading, releasing, verifying, working
from promises.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *attacking.MUTATIONS,
    *faces.MUTATIONS,
    *heads.MUTATIONS,
    *people.MUTATIONS,
    *reading.MUTATIONS,
    *releasing.MUTATIONS,
    *verifying.MUTATIONS,
    *working.MUTATIONS,
)

__all__ = ["MUTATIONS", "Mutation"]
