"""What a person corrects before a release, as one value.

Corrections are made on the review page or written by hand; either way they end as a corrected
ledger (`ksame.release.listing.corrected`), and the release is made from that ledger alone. So the
same corrections give the same bytes, whoever made them and wherever.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from ksame.errors import InputError
from ksame.people.ledgers import Place
from ksame.release.listed import LOOKS

FORMAT: Final = "ksame-corrections-1"

Pair = frozenset[Place]
Marks = tuple[tuple[float, ...], ...]  # frame, x0, y0, x1, y1 each: where a track's face is
Switches = Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Corrections:
    """All decisions of a person; `after` adds later ones, so that a history is a list of them.

    Attributes
    ----------
    persons : who a face is; empty for nobody, whose face is hidden
    drawn : faces that a person drew; False takes a drawn one back
    dismissed : what is no face; False takes that back
    tracks : where the face of a clip's track is in some frames, told by hand: the track is made
        or goes on over all frames between; empty takes that back
    looks : by person, words for gender, age_band and tone; empty for as measured
    kept : the people who consented to be shown as they are
    set_aside : the photos to leave out, by sha256
    settled : pairs of faces that were decided about
    """

    persons: Mapping[Place, str] = field(default_factory=dict, repr=False)
    drawn: Mapping[Place, bool] = field(default_factory=dict, repr=False)
    dismissed: Mapping[Place, bool] = field(default_factory=dict, repr=False)
    tracks: Mapping[Place, Marks] = field(default_factory=dict, repr=False)
    looks: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    kept: Switches = field(default_factory=dict, repr=False)
    set_aside: Switches = field(default_factory=dict, repr=False)
    settled: Mapping[Pair, bool] = field(default_factory=dict, repr=False)

    def after(self, later: "Corrections") -> "Corrections":
        """These corrections, and then later ones, which win."""
        merged = {f.name: {**getattr(self, f.name), **getattr(later, f.name)} for f in fields(self)}
        looks = {
            person: {**self.looks.get(person, {}), **later.looks.get(person, {})}
            for person in {**self.looks, **later.looks}
        }
        return Corrections(**{**merged, "looks": looks})

    def photos(self) -> set[str]:
        """The photos (sha256) whose faces, not people, they change."""
        return {photo for photo, _ in (*self.drawn, *self.dismissed, *self.tracks)}

    def as_json(self) -> dict[str, Any]:
        """The value as JSON; private, because it tells who is who."""

        def place(one: Place) -> dict[str, Any]:
            return {"photo": one[0], "box": list(one[1])}

        return {
            "format": FORMAT,
            "persons": [{**place(p), "person": who} for p, who in sorted(self.persons.items())],
            "drawn": [{**place(p), "is": on} for p, on in sorted(self.drawn.items())],
            "dismissed": [{**place(p), "is": on} for p, on in sorted(self.dismissed.items())],
            "tracks": [
                {**place(p), "marks": [list(mark) for mark in marks]}
                for p, marks in sorted(self.tracks.items())
            ],
            "looks": {person: dict(words) for person, words in sorted(self.looks.items())},
            "kept": dict(sorted(self.kept.items())),
            "set_aside": dict(sorted(self.set_aside.items())),
            "settled": sorted(([place(p) for p in sorted(pair)] for pair in self.settled), key=str),
        }

    @classmethod
    def from_json(cls, value: Any) -> "Corrections":
        """The inverse of `as_json`.

        Raises
        ------
        InputError
            The value is of another form, or holds a word that says nothing about looks.
        """
        try:
            if value["format"] != FORMAT:
                raise ValueError("format")
            found = cls(
                persons={_place(e): str(e["person"]) for e in value["persons"]},
                drawn={_place(e): _switch(e["is"]) for e in value["drawn"]},
                dismissed={_place(e): _switch(e["is"]) for e in value["dismissed"]},
                # corrections that were kept before there were tracks have none
                tracks={_place(e): tuple(tuple(map(float, mark)) for mark in e["marks"])
                        for e in value.get("tracks", ())},
                looks={str(p): {str(n): str(w) for n, w in t.items()}
                       for p, t in value["looks"].items()},
                kept={str(p): _switch(on) for p, on in value["kept"].items()},
                set_aside={str(p): _switch(on) for p, on in value["set_aside"].items()},
                settled={frozenset(map(_place, pair)): True for pair in value["settled"]},
            )  # fmt: skip
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"the corrections cannot be read ({type(error).__name__}); expected {FORMAT}"
            ) from None
        for words in found.looks.values():
            check_looks(words)
        return found


def check_looks(words: Mapping[str, str]) -> None:
    """Refuse words that say nothing about looks; an empty one stands for as measured.

    Raises
    ------
    InputError
        A name or a word is unknown.
    """
    for name, word in words.items():
        if name not in LOOKS:
            raise InputError(f"looks have no {name!r}; choose one of {', '.join(LOOKS)}")
        if word and word not in LOOKS[name]:
            raise InputError(
                f"{name}={word!r} is not known; choose one of {', '.join(LOOKS[name])}"
            )


def _place(entry: Any) -> Place:
    return str(entry["photo"]), tuple(float(value) for value in entry["box"])


def _switch(value: Any) -> bool:
    """True or false, and no word: bool("false") is true, and would show somebody as is."""
    if not isinstance(value, bool):
        raise TypeError("a word is no decision")
    return value
