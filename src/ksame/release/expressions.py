"""Which looks a group may show, so that a look singles nobody out.

The looks of a surrogate (smiling, turned to a side, without colour, ...) differ in their pixels. If
only one person of a group had smiled, whoever knows the originals would know who hides behind the
smiling look. So a look is shown only if at least k people of the group would show it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ksame.states import State

PLAIN: Final = State.NEUTRAL  # shown wherever another look may not be
# a face to the front on a turned body shows most
_GIVEN_UP_FIRST: Final = (PLAIN, State.OPEN, State.SMILE, State.LEFT, State.RIGHT)


def shared_by(people: Sequence[Collection[State]], k: int) -> set[State]:
    """The expressions that at least k people show."""
    return {
        look
        for look in {expression for expressions in people for expression in expressions}
        if sum(look in expressions for expressions in people) >= k
    }


def shown_as(state: State | None, looks: Collection[str]) -> State:
    """The look that a face in a state gets: its own, else the plain one, without colour if it can.

    This is the rule by which a photo is written. A state that was not measured is None.
    """
    if state is None or state in looks:
        return state or PLAIN
    grey = PLAIN.without_colour
    return grey if state.grey and grey in looks else PLAIN


def looks_to_show(
    people: Sequence[Collection[State]], looks: Collection[State], k: int
) -> frozenset[State]:
    """The looks of a group that at least k of its people share, always with the plain one.

    Guarantee: if every photo shows what `shown_as` says for the result, then every look that is
    shown at all is shown by photos of k people or more.

    Parameters
    ----------
    people : one collection of states per person of the group (k people at least)
    looks : the looks that the group's surrogate has
    k : people who must share a look
    """
    kept = {PLAIN, *looks}
    while True:
        count = _people_of_looks(people, kept)
        rare = [look for look in kept - {PLAIN} if count.get(look, 0) < k]
        if rare:
            kept.remove(min(rare, key=lambda look: (count.get(look, 0), look)))
        elif 0 < count.get(PLAIN, 0) < k and len(kept) > 1:
            # k people or more show any look that is given up, and all of them become plain
            kept.remove(min(kept - {PLAIN}, key=_given_up))
        else:
            return frozenset(kept)


def _people_of_looks(
    people: Sequence[Collection[State]], looks: Collection[State]
) -> Mapping[State, int]:
    """How many people each look has that is shown."""
    shown = [{shown_as(state, looks) for state in states} for states in people]
    return {look: sum(look in seen for seen in shown) for look in looks}


def _given_up(look: State) -> tuple[bool, int]:
    """The order in which looks are given up: those without colour last."""
    return look.grey, _GIVEN_UP_FIRST.index(look.pose)
