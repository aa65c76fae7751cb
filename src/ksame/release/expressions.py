"""Which expressions a group may show, so that an expression singles nobody out.

The looks of a surrogate (smiling, turned to a side, ...) differ in their pixels. If only one person
of a group had smiled, whoever knows the originals would know who hides behind the smiling look.
So a look is shown only if at least k people of the group would show it.
"""

from collections.abc import Collection, Sequence

PLAIN = "neutral"  # shown wherever an expression may not be
_KEPT_LONGEST = "open smile left right"  # a face to the front on a turned body shows most


def shared_by(people: Sequence[Collection[str]], k: int) -> set[str]:
    """The expressions that at least k people show."""
    return {
        look
        for look in {expression for expressions in people for expression in expressions}
        if sum(look in expressions for expressions in people) >= k
    }


def expressions_to_show(
    people: Sequence[Collection[str]], looks: Collection[str], k: int
) -> frozenset[str]:
    """The expressions of a group that at least k of its people share, always with the plain one.

    Guarantee: if every photo shows its own expression where that is in the result, and the plain
    look elsewhere, then every look that is shown at all is shown by photos of k people or more.

    Parameters
    ----------
    people : one collection of expressions per person of the group (k people at least)
    looks : the expressions that the group's surrogate has
    k : people who must share a look
    """
    kept = shared_by(people, k) & set(looks) - {PLAIN}
    plain = sum(any(e not in kept for e in expressions) for expressions in people)
    if 0 < plain < k:
        # k people or more show any look that is given up, and all of them become plain
        kept.remove(min(kept, key=lambda look: (_KEPT_LONGEST.find(look), look)))
    return frozenset({PLAIN, *kept})
