"""Draw people who do not exist, of given looks, from a pool of faces that resemble nobody."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ksame.arrays import AnyFloats, Array, Floats, Floats32
from ksame.codecs.face.looks import Looks
from ksame.errors import InputError

# how far a face may be from the asked looks, as one standard deviation: years, degrees of tone.
# Ages are asked more loosely the older one is, and tones loosely: the light makes up for them.
_AGE_REACH, _AGE_SHARE, _TONE_REACH = 2.5, 0.08, 11.0
_LEAST = 1e-3  # probability of a sex: a network is never surer than this
# how much the sex that a face is read with counts, worn by people of that sex and by others: hair
# tells much of a sex, and whose hair is tied back or under a hat needs a face that tells it alone
_SEX_COUNTS, _BY_ITSELF = 2.0, 1.5
# a face that is plainly flawed is as unlikely as one that is 1.4 standard deviations too old
_FLAW_COUNTS = 0.5


@dataclass(frozen=True)
class Pool:
    """Faces of nobody: codes (n, c), looks, and what two recognisers say of them.

    ``on_women`` and ``on_men`` are the probabilities with which a face is read as a woman's when
    women or men of nobody wear it, with their hair and light; ``age`` is read off them as well.
    ``flaws`` (n,) are what was seen when each was looked at: 0 of a plain face, 1 where it may be
    flawed, 2 where it is.
    ``limits`` are the likenesses from which each recogniser accepts two faces as one person at
    0.1% false accepts: the cosine for ``sface``, minus the distance for ``dlib``.
    """

    codes: Floats32 = field(repr=False)
    on_women: Floats32 = field(repr=False)
    on_men: Floats32 = field(repr=False)
    age: Floats32 = field(repr=False)
    tone: Floats32 = field(repr=False)
    flaws: Floats32 = field(repr=False)
    embeddings: Mapping[str, Floats32] = field(repr=False)
    limits: Mapping[str, float]

    @classmethod
    def of(cls, arrays: dict[str, Array]) -> "Pool":
        """The pool of a model's file."""
        codes = arrays["faces_codes"].astype(np.float32) * float(arrays["faces_step"][0])
        on_women, on_men, age, tone, flaws = (
            arrays[f"faces_{name}"].astype(np.float32)
            for name in ("on_women", "on_men", "age", "tone", "flaws")
        )
        names = ("sface", "dlib")
        embeddings = {name: arrays[f"faces_{name}"].astype(np.float32) for name in names}
        limits = dict(zip(names, arrays["faces_limits"].astype(float).tolist(), strict=True))
        return cls(codes, on_women, on_men, age, tone, flaws, embeddings, limits)

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
        log = self.log_likely(looks)
        likely: Floats = np.exp(log - log.max())
        # faces far from what was asked are no choice at all
        likely[likely < 1e-3] = 0
        share: Floats = likely / likely.sum()
        return share

    def log_likely(self, looks: Looks) -> Floats:
        """How well each face suits, as a logarithm; 0 where nothing is amiss."""
        log = self._reads(looks.sex) - _FLAW_COUNTS * self.flaws
        if looks.age is not None:
            reach = _AGE_REACH + _AGE_SHARE * looks.age
            log -= ((self.age - looks.age) / reach) ** 2 / 2
        if looks.tone is not None:
            log -= ((self.tone - looks.tone) / _TONE_REACH) ** 2 / 2
        return log

    def _reads(self, sex: str) -> Floats:
        """The logarithm of how surely each face is read with a sex.

        Who shares a face of an ``unsure`` one may be of either: it should be read as its wearer's.
        """
        women, men = self.on_women.astype(np.float64), self.on_men.astype(np.float64)
        own, other = {
            "female": (women, men),
            "male": (1 - men, 1 - women),
        }.get(sex, (women * (1 - men), np.ones(len(women))))
        told: Floats = _SEX_COUNTS * np.log(np.clip(own, _LEAST, 1))
        told += _BY_ITSELF * np.log(np.clip(other, _LEAST, 1))
        return told


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
