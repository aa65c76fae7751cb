"""What was found as a ledger before its release, and a ledger with corrections applied."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from ksame.people.ledgers import SET_ASIDE, Place
from ksame.release.corrections import Corrections
from ksame.release.find import FOUND, Album
from ksame.release.name import People
from ksame.store import Store

_NONE: Final = np.zeros((0, 4))
LEDGER: Final = "ksame-ledger-2"  # what `listing` gives is read like any ledger


def listing(album: Album, people: People, store: Store) -> dict[str, Any]:
    """What was found, as a ledger before its release: a name of no meaning for every photo.

    Given back as it is, it changes nothing.
    """
    shown = {p.sha256: n for n, p in reversed(list(enumerate(album.pictures[: album.shown])))}
    names = {n: f"{n:06d}" for n in shown.values() if album.pictures[n].failure is None}
    book: dict[str, Any] = {
        "format": LEDGER,
        "originals": {name: album.pictures[n].sha256 for n, name in sorted(names.items())},
        "faces": [],
        "ignored": {},
        "dismissed": {
            names[n]: _lists(boxes) for n, boxes in people.dismissed.items() if n in names
        },
        "labels": {names[n]: dict(told) for n, told in people.labels.items() if n in names},
        "withheld": [
            {"file": "", "sha256": album.pictures[n].sha256, "reason": SET_ASIDE}
            for n in sorted(people.set_aside)
        ],
        "uncertain": [],
    }
    for n, name in sorted(names.items()):
        if n in people.unlisted:
            del book["originals"][name]
            continue
        if left := _left(store, album.pictures[n].key):
            book["ignored"][name] = left
        book["faces"] += [
            _entry(album, people, n, i, name) for i in range(len(album.pictures[n].faces))
        ]
    for pair in people.uncertain:
        ends = [(names.get(shown.get(album.pictures[n].sha256, -1)), n, i) for n, i in pair]
        told = [
            {"file": f, "box": album.pictures[n].faces.xyxy[i].tolist()} for f, n, i in ends if f
        ]
        if len(told) == len(ends):
            book["uncertain"].append({"one": told[0], "other": told[1]})
    return book


def _left(store: Store, key: str) -> list[list[float]]:
    """The boxes of a photo that models took for no face."""
    kept: list[list[float]] = store.load(FOUND, key, "dropped").get("", _NONE).round(2).tolist()
    return kept


def _entry(album: Album, people: People, n: int, i: int, name: str) -> dict[str, Any]:
    """One face as the listing tells it."""
    faces, decided = album.pictures[n].faces, people.decided.get((n, i))
    person = people.persons.get((n, i))
    return {
        "file": name,
        "box": faces.xyxy[i].tolist(),
        "points": faces.points[i].tolist(),
        "score": float(faces.score[i]),
        "person": person,
        "drawn": decided is not None and decided.drawn,
        "kept": person is not None and person in people.kept,
        "looks": {} if decided is None else dict(decided.looks),
        "marks": [] if decided is None else _lists(decided.marks),
    }


def _lists(boxes: Iterable[Iterable[float]]) -> list[list[float]]:
    return [list(box) for box in boxes]


def corrected(ledger: Mapping[str, Any], corrections: Corrections) -> dict[str, Any]:
    """A ledger with corrections applied, to be given as ``--persons``; pure.

    Corrections of photos or faces that the ledger does not know are left out: they are another
    collection's.
    """
    name_of = {sha256: name for name, sha256 in reversed(ledger["originals"].items())}
    originals = dict(ledger["originals"])
    withheld = [dict(entry) for entry in ledger.get("withheld", ())]
    for entry in withheld:  # a photo without a face may get one: then it is listed again
        photo = entry.get("sha256", "")
        if photo not in name_of and any(
            p == photo and on for (p, _), on in corrections.drawn.items()
        ):
            name_of[photo] = f"withheld-{photo}"
            originals[name_of[photo]] = photo
    dismissed = _dismissed(ledger, corrections, name_of)
    faces = _faces(ledger, corrections, originals, name_of, dismissed)
    aside = {photo for photo, on in corrections.set_aside.items() if on}
    back = {photo for photo, on in corrections.set_aside.items() if not on}
    known = {entry.get("sha256") for entry in withheld}
    withheld = [
        {**entry, "reason": SET_ASIDE if entry.get("sha256") in aside else entry["reason"]}
        for entry in withheld
        if not (entry.get("sha256") in back and entry["reason"] == SET_ASIDE)
    ]
    withheld += [
        {"file": "", "sha256": photo, "reason": SET_ASIDE}
        for photo in sorted(aside - known)
        if photo in name_of
    ]
    return {
        **ledger,
        "originals": originals,
        "faces": faces,
        "dismissed": {name: boxes for name, boxes in dismissed.items() if boxes},
        "withheld": withheld,
        "uncertain": [
            pair
            for pair in ledger.get("uncertain", ())
            if not _is_settled(pair, originals, corrections)
        ],
    }


def _dismissed(
    ledger: Mapping[str, Any], corrections: Corrections, name_of: Mapping[str, str]
) -> dict[str, list[list[float]]]:
    found = {name: _lists(boxes) for name, boxes in ledger.get("dismissed", {}).items()}
    for (photo, box), on in sorted(corrections.dismissed.items()):
        if photo in name_of and (photo, box) not in corrections.drawn:
            boxes = found.setdefault(name_of[photo], [])
            if on and list(box) not in boxes:
                boxes.append(list(box))
            elif not on and list(box) in boxes:
                boxes.remove(list(box))
    return {name: sorted(boxes) for name, boxes in found.items()}


def _faces(
    ledger: Mapping[str, Any],
    corrections: Corrections,
    originals: Mapping[str, str],
    name_of: Mapping[str, str],
    dismissed: Mapping[str, list[list[float]]],
) -> list[dict[str, Any]]:
    """Faces of the ledger that are left, the drawn ones, and who they are."""
    entries = [dict(face) for face in ledger["faces"]]
    listed = {(originals.get(e["file"], ""), tuple(e["box"])) for e in entries}
    drawn = {p for p, on in corrections.drawn.items() if on and p[0] in name_of}
    drawn -= {p for p, on in corrections.dismissed.items() if on}
    entries += [
        {"file": name_of[photo], "box": list(box), "points": [], "person": None, "drawn": True}
        for photo, box in sorted(drawn - listed)
    ]
    # a dismissal that was taken back: the detector's word counts again, its points are looked for
    again = {p for p, on in corrections.dismissed.items() if not on and p[0] in name_of}
    entries += [
        {"file": name_of[photo], "box": list(box), "points": [], "person": None}
        for photo, box in sorted(again - listed - set(corrections.drawn))
        if list(box) in ledger.get("dismissed", {}).get(name_of[photo], [])
    ]
    found = []
    for entry in entries:
        place = (originals.get(entry["file"], ""), tuple(entry["box"]))
        gone = corrections.drawn.get(place) is False or corrections.dismissed.get(place)
        if gone or list(place[1]) in dismissed.get(entry["file"], []):
            continue
        found.append(_face(entry, place, corrections))
    return found


def _face(entry: dict[str, Any], place: Place, corrections: Corrections) -> dict[str, Any]:
    person = corrections.persons.get(place, entry.get("person") or "") or None
    words = {**(entry.get("looks") or {}), **corrections.looks.get(person or "", {})}
    kept = corrections.kept.get(
        person or "", bool(entry.get("kept")) and place not in corrections.persons
    )
    marks = corrections.tracks.get(place, entry.get("marks") or ())
    return {
        **entry,
        "person": person,
        "marks": _lists(marks),
        "looks": {name: word for name, word in words.items() if word},
        "kept": bool(person) and kept,
    }


def _is_settled(pair: Mapping[str, Any], originals: Mapping[str, str], done: Corrections) -> bool:
    ends = [pair["one"], pair["other"]]
    if any("box" not in end or end["file"] not in originals for end in ends):
        return False
    return frozenset((originals[e["file"]], tuple(e["box"])) for e in ends) in done.settled
