"""Attacks count what they say they count."""

from promises.mutation import Mutation

MUTATIONS = (
    Mutation(
        "attack: rank-1 without the very photo leaves it out",
        "attacks/outcomes.py",
        "trial.own[rows]] = np.inf",
        "trial.own[rows]] += 0",
        "attacks/test_counted_by_hand.py::test_rank_1_without_the_very_photo",
    ),
    Mutation(
        "attack: an accept is a match with the own person",
        "attacks/outcomes.py",
        "own = nearest[np.arange(len(nearest)), np.searchsorted(people, trial.probes)]",
        "own = nearest.min(axis=1)",
        "attacks/test_counted_by_hand.py::test_accepts_at_the_threshold_of_different_people",
    ),
)
