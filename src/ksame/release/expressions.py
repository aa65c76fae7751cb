"""Which looks a group may show, so that a look singles nobody out.

The looks of a surrogate (smiling, turned to a side, without colour, ...) differ in their pixels. If
only one person of a group had smiled, whoever knows the originals would know who hides behind the
smiling look. So a look is shown only if at least k people of the group would show it.
"""

from collections.abc import Collection, Mapping, Sequence

PLAIN = "neutral"  # shown wherever another look may not be
GREY = "grey "  # before the expression of a face in a photo without colour
# a face to the front on a turned body shows most
_GIVEN_UP_FIRST = ("open", "smile", "left", "right")


def shared_by(people: Sequence[Collection[str]], k: int) -> set[str]:
    """The expressions that at least k people show."""
    return {
        look
        for look in {expression for expressions in people for expression in expressions}
        if sum(look in expressions for expressions in people) >= k
    }


def without_grey(state: str) -> str:
    """The expression alone, whether the photo has colour or not."""
    return state.removeprefix(GREY)


def shown_as(state: str, looks: Collection[str]) -> str:
    """The look that a face in a state gets: its own, else the plain one, without colour if it can.

    This is the rule by which a photo is written.
    """
    grey = GREY + PLAIN
    if state in looks:
        return state
    return grey if state.startswith(GREY) and grey in looks else PLAIN


def looks_to_show(
    people: Sequence[Collection[str]], looks: Collection[str], k: int
) -> frozenset[str]:
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
    people: Sequence[Collection[str]], looks: Collection[str]
) -> Mapping[str, int]:
    """How many people each look has that is shown."""
    shown = [{shown_as(state, looks) for state in states} for states in people]
    return {look: sum(look in seen for seen in shown) for look in looks}


def _given_up(look: str) -> tuple[bool, int, str]:
    """The order in which looks are given up: those without colour last."""
    pose = without_grey(look)
    place = _GIVEN_UP_FIRST.index(pose) if pose in _GIVEN_UP_FIRST else -1
    return look.startswith(GREY), place, look
