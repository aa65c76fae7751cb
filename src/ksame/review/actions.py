"""What a person can do on the page: every request becomes one step, in words and corrections."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ksame.errors import InputError
from ksame.people.ledgers import Place
from ksame.release.corrections import Corrections, check_looks
from ksame.review.desk import Desk, Now
from ksame.review.history import Step
from ksame.review.table import DISMISSED, DRAWN, Numbers, Table
from ksame.review.tracks import drawn_marks, extended, frame_of, place_beside

LEAST_SIDE: Final = 8.0  # pixels of the shorter side of a face that is drawn
_ALIKE: Final = 0.4  # likeness (cosine) from which a drawn face is taken for somebody who is known


@dataclass(frozen=True, slots=True)
class Scene:
    """What actions look at; none of them changes it."""

    desk: Desk
    now: Now
    table: Table
    numbers: Numbers
    corrections: Corrections

    def place(self, number: int) -> Place:
        """A face as corrections name it."""
        photo, box = self.numbers.faces[number]
        return self.now.album.pictures[photo].sha256, box

    def faces_of(self, person: str) -> list[int]:
        """The numbers of a person's faces."""
        return [number for number, row in self.table.faces.items() if row[5] == person]

    def new_name(self) -> str:
        """A name that nobody has."""
        taken = self.table.people
        return next(n for n in (f"person-{i:05d}" for i in range(len(taken) + 1)) if n not in taken)


def step_for(scene: Scene, request: Mapping[str, Any]) -> Step:
    """The step that a request asks for.

    Raises
    ------
    InputError
        The request is of no known kind, or speaks of a face, person or photo that is not there
        (another tab may have changed it).
    """
    action = _ACTIONS.get(str(request.get("do")))
    if action is None:
        raise InputError("this is nothing that can be done here; reload the page")
    try:
        return action(scene, request)
    except (LookupError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("what was asked for is no longer there; look at the page again") from None


def _numbers(scene: Scene, request: Mapping[str, Any]) -> list[int]:
    """The faces that a request names: all of them must be there."""
    faces = [int(number) for number in request["faces"]]
    if not faces or any(number not in scene.table.faces for number in faces):
        raise InputError("a face is no longer there; look at the page again")
    return faces


def _person(scene: Scene, request: Mapping[str, Any], name: str = "person") -> str:
    person = str(request[name])
    if person not in scene.table.people:
        raise InputError("a person is no longer there; look at the page again")
    return person


def _count(number: int, one: str, many: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {many}"


def _merge(scene: Scene, request: Mapping[str, Any]) -> Step:
    """Several people are one; the name is that of the first."""
    names = [_person(scene, {"person": name}) for name in request["people"]]
    into, rest = names[0], list(dict.fromkeys(names[1:]))
    faces = [face for name in rest if name != into for face in scene.faces_of(name)]
    if not faces:
        raise InputError("choose two people to merge")
    return Step(
        f"merged {len({into, *rest})} people",
        Corrections(persons={scene.place(face): into for face in faces}, kept=_none_kept(into)),
    )


def _none_kept(person: str) -> dict[str, bool]:
    """Consent is not shared: whoever gets other faces must be asked again."""
    return {person: False}


def _move(scene: Scene, request: Mapping[str, Any]) -> Step:
    """Faces are somebody else's; without a person they are a new one's."""
    faces = _numbers(scene, request)
    named = request.get("person")
    person = scene.new_name() if named is None else _person(scene, request)
    own = scene.table.faces[faces[0]][5]
    if named is None and own is not None and set(faces) == set(scene.faces_of(own)):
        raise InputError("these are all faces of that person; leave one out to split")
    persons = {scene.place(face): person for face in faces}
    moved = _count(len(faces), "face", "faces")
    label = f"split off {moved}" if named is None else f"moved {moved}"
    return Step(label, Corrections(persons=persons, kept=_none_kept(person)))


def _nobody(scene: Scene, request: Mapping[str, Any]) -> Step:
    """Faces are nobody's: they are hidden."""
    faces = _numbers(scene, request)
    persons = {scene.place(face): "" for face in faces}
    return Step(f"hid {_count(len(faces), 'face', 'faces')}", Corrections(persons=persons))


def _settle(scene: Scene, request: Mapping[str, Any]) -> Step:
    """Two faces are one person's, or they are not."""
    one, other = _numbers(scene, {"faces": request["pair"]})
    settled = {frozenset((scene.place(one), scene.place(other))): True}
    who, whom = (scene.table.faces[face][5] for face in (one, other))
    persons: dict[Place, str] = {}
    if request["same"] and who != whom and who and whom:
        persons = {scene.place(face): who for face in scene.faces_of(whom)}
    elif not request["same"] and who == whom and who:
        persons = {scene.place(face): scene.new_name() for face in _nearer(scene, other, one, who)}
    label = "settled: the same person" if request["same"] else "settled: two people"
    kept = {name: False for name in {who, *persons.values()} if name and persons}
    return Step(label, Corrections(persons=persons, settled=settled, kept=kept))


def _nearer(scene: Scene, one: int, other: int, person: str) -> list[int]:
    """The faces of a person that are more like one face than like another, with that one."""

    def likeness(face: int) -> Any:
        return scene.desk.likeness(scene.now, scene.table.spots[face])

    here, there = likeness(one), likeness(other)
    found = [one]
    for face in scene.faces_of(person):
        row = None if face in (one, other) else likeness(face)
        if row is not None and here is not None and there is not None and row @ here > row @ there:
            found.append(face)
    return found


def _dismiss(scene: Scene, request: Mapping[str, Any]) -> Step:
    """What was found is no face; or it is one after all."""
    faces, on = _numbers(scene, request), bool(request.get("on", True))
    drawn = [face for face in faces if scene.table.faces[face][6] & DRAWN]
    found = [f for f in faces if f not in drawn and bool(scene.table.faces[f][6] & DISMISSED) != on]
    if not drawn and not found:
        raise InputError("this was decided already; look at the page again")
    change = Corrections(
        dismissed={scene.place(face): on for face in found},
        drawn={scene.place(face): False for face in drawn},  # what was drawn is simply taken away
    )
    what = _count(len(faces), "face", "faces")
    return Step(f"dismissed {what}" if on else f"took back {what}", change)


def _draw(scene: Scene, request: Mapping[str, Any]) -> Step:
    """A face that no model saw: of somebody who is alike, or of somebody new."""
    n = int(request["photo"])
    if not 0 <= n < scene.now.album.shown:
        raise InputError("this photo is not there; look at the page again")
    box = _box(request["box"], scene.now.album.pictures[n].size)
    taken = [tuple(row[1:5]) for row in scene.table.faces.values() if row[0] == n]
    clip = scene.table.photos[n][-1]
    tracks: dict[Place, Any] = {}
    if clip is not None:
        marks = drawn_marks(request, box, clip)
        box = place_beside(box, taken)
        tracks = {(scene.now.album.pictures[n].sha256, box): marks}
    place = scene.now.album.pictures[n].sha256, box
    if place[1] in taken:
        raise InputError("there is a face in just this place already")
    change = Corrections(drawn={place: True}, dismissed={place: False}, tracks=tracks)
    named = request.get("person")
    person = _person(scene, request) if named is not None else _alike(scene, change, place)
    kept = _none_kept(person) if person else {}
    label = "drew a face" if clip is None else "drew a track"
    return Step(label, change.after(Corrections(persons={place: person}, kept=kept)))


def _extend(scene: Scene, request: Mapping[str, Any]) -> Step:
    """A track begins earlier or ends later: a person says where its face is in a further frame."""
    (number,) = _numbers(scene, {"faces": [request["face"]]})
    row = scene.table.faces[number]
    n, flags, span = row[0], row[6], row[8]
    if span is None or flags & DISMISSED:
        raise InputError("only the track of a clip can be extended")
    clip = scene.table.photos[n][-1]
    at = frame_of(request["frame"], clip[0])
    box = _box(request["box"], scene.now.album.pictures[n].size)
    marks = extended(span[3], (span[0], span[1]), at, box, clip)
    return Step("extended a track", Corrections(tracks={scene.place(number): marks}))


def _box(corners: Sequence[Any], size: tuple[int, int]) -> tuple[float, ...]:
    """A box inside the photo, large enough to be a face."""
    x0, y0, x1, y1 = (float(value) for value in corners)
    if not np.isfinite([x0, y0, x1, y1]).all():
        raise InputError("the corners of a face are numbers")
    x0, x1 = (float(np.clip(value, 0, size[0])) for value in sorted((x0, x1)))
    y0, y1 = (float(np.clip(value, 0, size[1])) for value in sorted((y0, y1)))
    if min(x1 - x0, y1 - y0) < LEAST_SIDE:
        raise InputError(
            f"a face needs at least {LEAST_SIDE:.0f} pixels on each side; draw it larger"
        )
    return tuple(round(value, 2) for value in (x0, y0, x1, y1))


def _alike(scene: Scene, change: Corrections, place: Place) -> str:
    """Whose face a drawn one is most like, or a new name; nobody's if it can only be hidden."""
    trial = scene.desk.after(scene.corrections.after(change))
    spots = [s for s in trial.album.spots(shown=True) if trial.place(s) == place]
    if not spots or trial.album.failure(spots[0]) is not None:
        return ""
    own = scene.desk.likeness(trial, spots[0])
    best, name = _ALIKE, ""
    if own is not None:
        seen = _seen_with(scene, spots[0][0], change.tracks.get(place))
        for number, spot in scene.table.spots.items():
            person = scene.table.faces[number][5]
            row = None if person is None or person in seen else scene.desk.likeness(scene.now, spot)
            if row is not None and float(row @ own) > best:
                best, name = float(row @ own), person
    return name or scene.new_name()


def _seen_with(scene: Scene, n: int, marks: Any) -> set[Any]:
    """Who is in the same photo, or in a clip at the same time: nobody is there twice."""
    rows = [row for row in scene.table.faces.values() if row[0] == n]
    if marks:
        first, last = marks[0][0], marks[-1][0]
        rows = [row for row in rows if row[8][0] <= last and first < row[8][1]]
    return {row[5] for row in rows}


def _looks(scene: Scene, request: Mapping[str, Any]) -> Step:
    """A person looks otherwise than measured; an empty word takes the correction back."""
    person = _person(scene, request)
    words = {str(name): str(word) for name, word in request["looks"].items()}
    check_looks(words)
    return Step("corrected looks", Corrections(looks={person: words}))


def _keep(scene: Scene, request: Mapping[str, Any]) -> Step:
    """Somebody consented to be shown as is; or not any more."""
    person, on = _person(scene, request), bool(request.get("on", True))
    label = "kept a person as is" if on else "protected a person again"
    return Step(label, Corrections(kept={person: on}))


def _aside(scene: Scene, request: Mapping[str, Any]) -> Step:
    """Photos are left out of the release; or taken in again."""
    photos, on = [int(n) for n in request["photos"]], bool(request.get("on", True))
    if not photos or any(n not in scene.table.photos for n in photos):
        raise InputError("a photo is not there; look at the page again")
    what = _count(len(photos), "photo", "photos")
    return Step(
        f"set aside {what}" if on else f"took in {what}",
        Corrections(set_aside={scene.now.album.pictures[n].sha256: on for n in photos}),
    )


_ACTIONS: Final[Mapping[str, Callable[[Scene, Mapping[str, Any]], Step]]] = {
    "merge": _merge,
    "move": _move,
    "hide": _nobody,
    "settle": _settle,
    "dismiss": _dismiss,
    "draw": _draw,
    "extend": _extend,
    "looks": _looks,
    "keep": _keep,
    "aside": _aside,
}
