"""Draw people who do not exist, of given looks, from a pool of faces that resemble nobody."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ksame.arrays import AnyFloats, Array, Floats, Floats32
from ksame.codecs.face.looks import Looks
from ksame.errors import InputError

# how far a face may be from the asked looks, as one standard deviation: years, degrees of tone.
# Ages are asked more loosely the older one is.
_AGE_REACH, _AGE_SHARE, _TONE_REACH = 4.0, 0.12, 9.0
_OTHER_SEX = 1e-4  # of the weight of faces that have the asked sex
_SURE = 0.5  # probability of female beyond which a face counts as female


@dataclass(frozen=True)
class Pool:
    """Faces of nobody: codes (n, c), looks, and what two recognisers say of them.

    ``limits`` are the likenesses from which each recogniser accepts two faces as one person at
    0.1% false accepts: the cosine for ``sface``, minus the distance for ``dlib``.
    """

    codes: Floats32 = field(repr=False)
    female: Floats32 = field(repr=False)
    age: Floats32 = field(repr=False)
    tone: Floats32 = field(repr=False)
    embeddings: Mapping[str, Floats32] = field(repr=False)
    limits: Mapping[str, float]

    @classmethod
    def of(cls, arrays: dict[str, Array]) -> "Pool":
        """The pool of a model's file."""
        codes = arrays["faces_codes"].astype(np.float32) * float(arrays["faces_step"][0])
        female, age, tone = (
            arrays[f"faces_{name}"].astype(np.float32) for name in ("female", "age", "tone")
        )
        names = ("sface", "dlib")
        embeddings = {name: arrays[f"faces_{name}"].astype(np.float32) for name in names}
        limits = dict(zip(names, arrays["faces_limits"].astype(float).tolist(), strict=True))
        return cls(codes, female, age, tone, embeddings, limits)

    def draw(
        self, rng: np.random.Generator, looks: Looks, unlike: Mapping[str, npt.ArrayLike]
    ) -> int:
        """The number of a face with these looks that no embedding of ``unlike`` is accepted as.

        Where every face of these looks is accepted as someone, the least alike one is taken.
        """
        likely = self.likely(looks)
        alike = self.likeness(unlike)
        free = likely * (alike < 0)
        if free.sum() < 0.02 * likely.sum():
            return int(np.argmin(alike + np.where(likely > 0.05 * likely.max(), 0.0, 1e3)))
        return int(rng.choice(len(likely), p=free / free.sum()))

    def likeness(self, people: Mapping[str, npt.ArrayLike]) -> Floats:
        """How alike each face is to the nearest of some people; 0 and more is accepted as one.

        ``people`` gives embeddings (m, 128) by recogniser (``sface``, ``dlib``); the recogniser
        that sees more likeness decides.
        """
        worst = np.full(len(self.codes), -np.inf)
        for name, rows in people.items():
            if name not in self.embeddings:
                raise InputError(f"recogniser {name!r} is unknown; take sface or dlib.")
            given = np.atleast_2d(np.asarray(rows, np.float64))
            if not given.size:
                continue
            own = self.embeddings[name].astype(np.float64)
            worst = np.maximum(worst, likeness(name, own, given).max(axis=1) - self.limits[name])
        return worst

    def likely(self, looks: Looks) -> Floats:
        """How likely each face is to be drawn."""
        log = np.zeros(len(self.codes))
        if looks.sex != "unsure":
            is_female = self.female > _SURE
            log += np.where(is_female == (looks.sex == "female"), 0.0, np.log(_OTHER_SEX))
        if looks.age is not None:
            reach = _AGE_REACH + _AGE_SHARE * looks.age
            log -= ((self.age - looks.age) / reach) ** 2 / 2
        if looks.tone is not None:
            log -= ((self.tone - looks.tone) / _TONE_REACH) ** 2 / 2
        likely: Floats = np.exp(log - log.max())
        # faces far from what was asked are no choice at all
        likely[likely < 1e-3] = 0
        share: Floats = likely / likely.sum()
        return share


def likeness(recogniser: str, some: AnyFloats, others: AnyFloats) -> Floats:
    """Likenesses (n, m) of embeddings: cosines for ``sface``, minus distances for ``dlib``."""
    a, b = np.asarray(some, np.float64), np.asarray(others, np.float64)
    if recogniser == "sface":
        a = a / np.maximum(np.linalg.norm(a, axis=1, keepdims=True), 1e-9)
        b = b / np.maximum(np.linalg.norm(b, axis=1, keepdims=True), 1e-9)
        cosines: Floats = a @ b.T
        return cosines
    square = (a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T
    distances: Floats = -np.sqrt(np.maximum(square, 0))
    return distances
