"""Names that belong to one person."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence


def merge_names(sets: Iterable[Sequence[str]]) -> dict[str, str]:
    """The one name that stands for each name: the first, in order, of all it was merged with.

    Each of the sets holds names of one person. Guarantee: two names get the same result if and
    only if a chain of sets links them.
    """
    leads: dict[str, str] = {}  # to a name it was merged with, nearer to the one that stands

    def first(name: str) -> str:
        while (nearer := leads.setdefault(name, name)) != name:
            leads[name] = name = leads[nearer]
        return name

    for names in sets:
        for name in names:
            one, other = first(names[0]), first(name)
            leads[max(one, other)] = min(one, other)
    return {name: first(name) for name in list(leads)}


def spellings(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The sets of names that differ by case, spaces or Unicode form alone, of two names or more."""
    alike: dict[str, set[str]] = defaultdict(set)
    for name in names:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
        alike[" ".join(folded.split())].add(name)
    return [tuple(sorted(same)) for same in alike.values() if len(same) > 1]
