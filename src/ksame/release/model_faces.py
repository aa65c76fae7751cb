"""The model faces that groups share: chosen among faces of nobody, and kept in the store."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from ksame._version import __version__
from ksame.arrays import Floats, Floats32, Ints
from ksame.codecs.face import FaceModel, Looks, mean_code
from ksame.codecs.face.codes import individual_norm
from ksame.codecs.face.proxies import proxy_code
from ksame.methods.recipes import Recipe
from ksame.release.find import FOUND
from ksame.store import Store, key_of
from ksame.vision.looks import PersonLooks

FACES: Final = "faces"  # the kind under which the store keeps model faces
CODES: Final = "codes"  # ... and the codes of a picture's people
_SUITED: Final = 0.005  # of the best suited face's likelihood that a choice has at least
_FEW: Final = 3  # people who are most like a face
_CHOICES: Final = 3  # faces, furthest from a group's people, of which one is drawn at random
_LITTLE: Final = 0.05  # of a likeness (cosine): half of what two strangers usually differ by
# likeness that is as bad as a face which is less likely by a factor of e to have the asked looks:
# two standard deviations of age are as bad as what two strangers usually differ by
_UNSUITED: Final = 0.04
# likeness that is as bad as a face that another group has as well: one that suits well may serve
# twice, to people who are not seen together, before one that does not is taken
_AGAIN: Final = 0.03
_MOSTLY: Final = 2 / 3  # of a group's people who are of one sex, if its face is to be
# what a face costs that does not suit, in units of `Choice.costs`: a face that nobody of the group
# resembles costs hundredths, one that is the person's look-alike costs tens
_LOOKS_COST: Final = 0.1


@dataclass(frozen=True, slots=True)
class ModelFace:
    """What is told of a model face: its digest, under which the store keeps it, and its code."""

    digest: str
    code: tuple[float, ...] = field(repr=False)


def keep_face(store: Store, identity: Floats32) -> ModelFace:
    """Keep a face's code, as it is told in the ledger."""
    inside = FaceModel.load().checked(identity)  # a far mean may lie beyond what faces have
    code = _told_code(inside)
    face = ModelFace(key_of("model face", code), code)
    store.save(FACES, face.digest, {"identity": np.array(code, np.float32)})
    return face


def restore_face(store: Store, code: Sequence[float]) -> str:
    """Keep a face as a ledger tells its code, exactly as it was; returns its digest."""
    digest = key_of("model face", tuple(code))
    store.save(FACES, digest, {"identity": np.array(code, np.float32)})
    return digest


def _told_code(identity: Floats32) -> tuple[float, ...]:
    """A code as the ledger tells it."""
    return tuple(float(value) for value in identity.astype(np.float64).round(4))


@lru_cache(maxsize=64)
def load_identity(store: Store, key: str) -> Floats32:
    """A kept face's code. The key is a digest, so none is ever stale."""
    identity: Floats32 = store.load(FACES, key)["identity"]
    return identity


def made_face(recipe: Recipe, codes: Floats, k: int) -> Floats32:
    """The code of a group's face, from those of its lenders (people, numbers).

    The mean of the k faces of nobody that are nearest to them, or their own mean.
    """
    if recipe.making == "proxies":
        return proxy_code(codes, FaceModel.load().faces.codes, k)
    return mean_face(codes, recipe.grouping.swaps)


def mean_face(codes: Floats, full_length: bool) -> Floats32:
    """The mean of the lenders' codes (M algorithm 4.1), at an individual's length if asked for.

    A mean of many is short and looks like nobody in particular, so that hair and outline decide
    whom it resembles; where groups swap faces (F) it is brought to the length of individuals.
    """
    mean = mean_code(codes)
    if not full_length:
        return mean
    length = max(float(np.linalg.norm(mean)), 1e-9)
    far: Floats32 = (mean * (individual_norm(len(mean)) / length)).astype(np.float32)
    return far


class Choice:
    """Chooses faces of nobody for groups, each once while there are enough that suit.

    Guarantee: no chosen face is accepted, at 0.1% false accepts by the recogniser that people were
    told apart with, as anybody of the collection, unless every face of the group's looks is.
    """

    def __init__(self, embeddings: Floats32, owners: Ints) -> None:
        """``embeddings`` (m, 128) of everybody's photos, ordered by ``owners`` (m,), 0 to n - 1."""
        self._faces = FaceModel.load().faces
        self._used = np.zeros(len(self._faces.codes), np.int64)
        alike = _cosines(self._faces.embeddings["sface"], embeddings)
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        # how like each face is to each person: to the photo that is most like it
        self._alike = np.maximum.reduceat(alike, starts, axis=1)
        self._accepted = self._alike.max(axis=1) >= self._faces.limits["sface"]
        # how like each face is to the few who are most like it: where a recogniser looks instead
        few = min(_FEW, self._alike.shape[1])
        self._drawing = np.sort(self._alike, axis=1)[:, -few:].mean(axis=1)

    @classmethod
    def among(cls, rows: Sequence[tuple[int, Any]]) -> "Choice":
        """A choice for people of these numbers, each with the embedding of one photo."""
        embeddings = np.stack([row for _, row in rows]).astype(np.float32)
        return cls(embeddings, np.array([number for number, _ in rows]))

    def draw(
        self,
        looks: Looks,
        people: Sequence[int],
        rng: np.random.Generator,
        barred: Collection[int] = (),
    ) -> int:
        """The number of a face for a group of people, given by their numbers.

        ``barred`` are faces of people with whom they are seen: the last to be taken.

        Of the faces that suit the looks those are drawn from that are least like the group,
        compared with how like they are to others, and that suit best.
        """
        suited = self._faces.likely(looks)
        able = suited >= _SUITED * suited.max()
        free = ~np.isin(np.arange(len(suited)), list(barred))
        for kept in (~self._accepted & free, ~self._accepted, free, suited >= 0):
            if (able & kept).sum() >= min(_CHOICES, able.sum()):
                able &= kept
                break
        candidates = np.flatnonzero(able)
        own = np.exp(self._alike[candidates][:, list(people)] / _LITTLE).mean(axis=1)
        score = np.log(own) * _LITTLE - self._drawing[candidates]
        score += _AGAIN * self._used[candidates] - _UNSUITED * np.log(suited[candidates])
        chosen = int(rng.choice(candidates[np.argsort(score, kind="stable")[:_CHOICES]]))
        self._used[chosen] += 1
        return chosen

    def take(self, codes: Sequence[Sequence[float]]) -> None:
        """Leave out faces that groups of an earlier release share, while there are others."""
        taken = {_told_code(np.asarray(code, np.float32)) for code in codes}
        for number, code in enumerate(self._faces.codes):
            self._used[number] += _told_code(code) in taken

    def give_back(self, face: int) -> None:
        """Let a face be drawn again."""
        self._used[face] -= 1

    def code(self, face: int) -> Floats32:
        """The code of a face."""
        code: Floats32 = self._faces.codes[face]
        return code

    def costs(
        self, people: Sequence[int], looks: Sequence[PersonLooks], faces: Sequence[int]
    ) -> Floats:
        """What it costs to give people (rows) each of some faces: much where they are alike.

        In its photo a face is surrounded by its person's own hair, and a recogniser that knows no
        face decides by that: already a little likeness is too much. Where nobody is like a face,
        it goes to whom it suits by ``looks`` (of everybody, or none).
        """
        chosen = list(faces)
        alike = self._alike[chosen].T[list(people)]
        values: Floats = np.exp((alike - self._drawing[chosen]) / _LITTLE)
        if looks:
            suits = [self._faces.log_likely(looks_of([one]))[chosen] for one in looks]
            values -= _LOOKS_COST * np.stack(suits)
        return values


def _cosines(faces: Floats32, people: Floats32) -> Floats:
    """Likenesses (n, m) of unit vectors."""
    rows = faces / np.maximum(np.linalg.norm(faces, axis=1, keepdims=True), 1e-9)
    alike: Floats = rows @ people.T
    return alike


def looks_of(people: Sequence[PersonLooks]) -> Looks:
    """The looks that suit a group: what its people have on average, shared by all of them."""
    female = float(np.mean([person.female for person in people]))
    tones = [person.tone for person in people if person.tone is not None]
    return Looks(
        sex="female" if female >= _MOSTLY else "male" if female <= 1 - _MOSTLY else "unsure",
        age=float(np.clip(np.median([person.age for person in people]), 0, 100)),
        tone=float(np.clip(np.median(tones), -90, 90)) if tones else None,
    )


@dataclass(frozen=True, slots=True)
class CodeOrder:
    """The order to encode the people of one picture."""

    store: Store
    path: Path = field(repr=False)
    found: str
    max_pixels: int


def encode_faces(order: CodeOrder) -> dict[int, Floats]:
    """The code of every face of a picture that has landmarks, by its number."""
    from ksame.media import read_photo

    key = key_of(CODES, __version__, order.found)
    if order.store.note(CODES, key) is not None:
        return dict(_numbered(order.store.load(CODES, key)))
    kept = order.store.load(FOUND, order.found)
    marks = {n.split("/")[0]: a for n, a in kept.items() if n.endswith("/landmarks")}
    codes: dict[str, Any] = {}
    if marks and f"{next(iter(marks))}/portrait" in kept:  # the tracks of a clip
        codes = {n: _portrayed(kept, n, mesh) for n, mesh in marks.items()}
    elif marks:
        model = FaceModel.load()
        rgb = read_photo(order.path, max_pixels=order.max_pixels, writeable=False).rgb
        codes = {n: model.encode(rgb, mesh.astype(np.float64)) for n, mesh in marks.items()}
    order.store.save(CODES, key, codes, True)
    return dict(_numbered(codes))


def _portrayed(kept: Mapping[str, Any], number: str, mesh: Floats32) -> Floats:
    """The code of a track, by the picture that was kept of its best frame."""
    x, y, scale = kept[f"{number}/corner"]
    at = (mesh.astype(np.float64) - [x, y, 0.0]) * scale
    return FaceModel.load().encode(kept[f"{number}/portrait"], at).astype(np.float64)


def _numbered(codes: dict[str, Any]) -> Iterator[tuple[int, Floats]]:
    return ((int(number), code.astype(np.float64)) for number, code in codes.items())
