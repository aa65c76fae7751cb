"""Names that belong to one person."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise


def merge_names(sets: Iterable[Sequence[str]]) -> dict[str, str]:
    """The one name that stands for each name: the first, in order, of all it was merged with.

    Each of the sets holds names of one person. Guarantee: two names get the same result if and
    only if a chain of sets links them.
    """
    # imported here: it takes a seventh of a second, and workers never merge names
    from scipy.cluster.hierarchy import DisjointSet

    listed = [tuple(names) for names in sets]
    joined = DisjointSet(name for names in listed for name in names)
    for names in listed:
        for one, other in pairwise(names):
            joined.merge(one, other)
    return {name: min(same) for same in joined.subsets() for name in same}


def spellings(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The sets of names that differ by case, spaces or Unicode form alone, of two names or more."""
    alike: dict[str, set[str]] = defaultdict(set)
    for name in names:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
        alike[" ".join(folded.split())].add(name)
    return [tuple(sorted(same)) for same in alike.values() if len(same) > 1]
