"""What the page shows, as one JSON value of small rows, and what changed between two of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ksame.release.find import Album, Spot
from ksame.review.desk import Now
from ksame.review.footage import Clips

DRAWN, DISMISSED, HIDDEN, EXTENDED = 1, 2, 4, 8  # flags of a face
Row = list[Any]


class Numbers:
    """A number for every face that was ever on the page; a face keeps its number."""

    def __init__(self) -> None:
        self._of: dict[tuple[int, tuple[float, ...]], int] = {}
        self.faces: list[tuple[int, tuple[float, ...]]] = []  # photo and box of each number

    def of(self, photo: int, box: tuple[float, ...]) -> int:
        """The number of a face, by its photo and box."""
        if (photo, box) not in self._of:
            self._of[photo, box] = len(self.faces)
            self.faces.append((photo, box))
        return self._of[photo, box]


@dataclass(frozen=True, slots=True)
class Table:
    """The page's data.

    Attributes
    ----------
    photos : one row a photo: name, width, height, why it cannot be released, set aside or not; of
        a clip frames, rate and cuts besides
    faces : by number: photo, box, person, flags, why it is hidden; of a track its first frame, the
        one after its last, that of its box, and the marks that a person set
    people : by name: whether kept, and corrected looks
    pairs : numbers of faces that may be one person
    spots : where a face lies in the album; dismissed ones are in none
    """

    photos: Mapping[int, Row] = field(repr=False)
    faces: Mapping[int, Row] = field(repr=False)
    people: Mapping[str, Row] = field(repr=False)
    pairs: list[list[int]] = field(repr=False)
    spots: Mapping[int, Spot] = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "photos": dict(self.photos),
            "faces": dict(self.faces),
            "people": dict(self.people),
            "pairs": self.pairs,
        }

    def since(self, old: "Table") -> dict[str, Any]:
        """The rows that differ from an older table; None for those that are gone."""
        return {
            "photos": _differing(old.photos, self.photos),
            "faces": _differing(old.faces, self.faces),
            "people": _differing(old.people, self.people),
            "pairs": self.pairs,
        }


def _differing(old: Mapping[Any, Row], new: Mapping[Any, Row]) -> dict[Any, Row | None]:
    changed: dict[Any, Row | None] = {key: row for key, row in new.items() if old.get(key) != row}
    return changed | {key: None for key in old if key not in new}


def lay_out(now: Now, numbers: Numbers, clips: Clips) -> Table:
    """The table of what lies on the desk."""
    album, people = now.album, now.people
    faces: dict[int, Row] = {}
    spots: dict[int, Spot] = {}
    number_at: dict[Spot, int] = {}
    looks: dict[str, dict[str, str]] = {}
    for n, picture in enumerate(album.pictures[: album.shown]):
        for i, corners in enumerate(picture.faces.xyxy.tolist()):
            spot, box = (n, i), tuple(corners)
            number = number_at[spot] = numbers.of(n, box)
            spots[number] = spot
            decided = people.decided.get(spot)
            person = people.persons.get(spot)
            why = album.failure(spot) or people.strangers.get(spot, "")
            marks = () if decided is None else decided.marks
            flags = DRAWN if decided is not None and decided.drawn else EXTENDED if marks else 0
            span = _span(clips, n, box, marks)
            faces[number] = [n, *corners, person, flags | (HIDDEN if why else 0), why, span]
            if person is not None:
                told = looks.setdefault(person, {})
                told.update(decided.looks if decided is not None else {})
        for left in people.dismissed.get(n, ()):
            span = _span(clips, n, left, ())
            faces[numbers.of(n, tuple(left))] = [n, *left, None, DISMISSED, "", span]
    return Table(
        photos={n: [*_photo(album, now, n), clips.row(n)] for n in range(album.shown)},
        faces=faces,
        people={name: [name in people.kept, told] for name, told in sorted(looks.items())},
        # two faces of one photo are two people: nobody need be asked
        pairs=[
            [number_at[a], number_at[b]]
            for a, b in people.uncertain
            if a[0] != b[0] or album.pictures[a[0]].moves
        ],
        spots=spots,
    )


def _span(
    clips: Clips, n: int, box: Sequence[float], marks: Sequence[Sequence[float]]
) -> Row | None:
    """How long a track lasts, and where a person marked it."""
    span = clips.span(n, box)
    if span is None:
        return None
    return [span.first, span.stop, span.best, [list(mark) for mark in marks]]


def _photo(album: Album, now: Now, n: int) -> Row:
    picture = album.pictures[n]
    # a name may be no text at all; it is shown, never used
    name = picture.path.name.encode("utf-8", "replace").decode()
    why = picture.failure or ("it is not listed" if n in now.people.unlisted else "")
    return [name, *picture.size, why, n in now.people.set_aside]
