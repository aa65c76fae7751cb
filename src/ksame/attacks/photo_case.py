"""Cases of photos: whatever tool made the release, its faces lie in the attacker's crops."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from ksame.arrays import Array, Image
from ksame.attacks.case import Altered, Lesson, NoTrial, Rows, Side
from ksame.attacks.enhance import enhance
from ksame.attacks.levels import Level, apply_level
from ksame.attacks.photos import Gallery, Probes
from ksame.attacks.sightings import Sighted
from ksame.recognition.contract import FaceImages
from ksame.recognition.crops import FACE, SIDE, inner_grey

_SPLITS = 5  # random divisions of the people into those to learn from and those to attack (M 5.2)
_SHARE = 0.3  # of the people are learned from (M 5.2)
_FEWEST = 8  # people: below, some to learn from and others to attack are too few
_QUORUM = 0.3  # of the faces must show an alteration: a tool alters all photos of a release alike


@dataclass(frozen=True)
class PhotoCase:
    """Original and released faces of photos; training = gallery, as N does it.

    The attacker does not hold the tool: where the method would have to be run, other released
    photos of the same people stand in.
    """

    originals: Gallery = field(repr=False)
    probes: Probes = field(repr=False)

    @property
    def training(self) -> Side:
        """The originals."""
        return self.gallery

    @property
    def gallery(self) -> Side:
        """The originals."""
        return Side(self.originals.crops, self.originals.persons)

    @property
    def release(self) -> Side:
        """The released faces."""
        return Side(self.probes.crops, self.probes.persons)

    @property
    def source(self) -> Rows:
        """The original of each released face, or -1."""
        return self.probes.source

    @property
    def donors(self) -> tuple[tuple[Hashable, ...], ...]:
        """Whose faces each surrogate shows."""
        return self.probes.donors

    @property
    def groups(self) -> Sequence[Hashable | None]:
        """The surrogate of each released face."""
        return self.probes.groups

    def together(self) -> tuple[Array, Array] | NoTrial:
        """The files of original and of released faces, by numbers."""
        if len(self.probes.photos) != len(self.probes.persons):
            return NoTrial("the photos of the released faces are not known")
        sides = ([path for path, _ in self.originals.keys], list(self.probes.photos))
        numbers = [{path: i for i, path in enumerate(dict.fromkeys(side))} for side in sides]
        gallery, release = (
            np.array([known[path] for path in side], dtype=np.intp)
            for side, known in zip(sides, numbers, strict=True)
        )
        return gallery, release

    def altered(self) -> Altered | NoTrial:
        """The release itself: the attacker ran the tool on another photo of each person."""
        _, counts = np.unique(self.probes.persons, return_counts=True)
        if counts.max() < 2:
            return NoTrial("no person has two released photos; parrot compares different photos")
        return Altered(self.release, self.release, np.arange(len(self.release)))

    def again(self) -> NoTrial:
        """The tool is not at hand."""
        return NoTrial("the tool is not at hand to make the release again")

    def levels(self) -> tuple[Level, ...] | NoTrial:
        """The level that most faces vote for, for all of them."""
        level, _ = self._common_level()
        if level.kind == "none":
            return NoTrial("neither pixelation nor blur was detected on the released faces")
        if level.kind == "blur":
            level = Level("blur", _matching_blur(self.originals.crops, self.probes.crops))
        return (level,) * len(self.release)

    def imitate(self, level: Level) -> FaceImages:
        """All of a crop, or the detector's box alone: as much as the tool seems to alter.

        Where the corners of the probes are as steep as those of the gallery, the surroundings
        were left as they are.
        """
        gallery, probes = self.originals.crops, self.probes.crops
        altered = np.stack([apply_level(face, level) for face in gallery])
        corner = (slice(None), slice(0, SIDE // 4))
        kept = np.median([_slope(face[corner]) for face in probes])
        if kept < 0.5 * np.median([_slope(face[corner]) for face in gallery]):
            return altered
        x0, y0, x1, y1 = FACE.box.astype(int)
        out = gallery.copy()
        out[:, y0:y1, x0:x1] = altered[:, y0:y1, x0:x1]
        return out

    def sharpened(self) -> tuple[FaceImages, str] | NoTrial:
        """All faces by the block that most of them show."""
        level, share = self._common_level()
        if level.kind != "pixelate":
            return NoTrial("no pixelation was detected on the released faces")
        block = max(round(level.value), 2)
        faces = np.stack([_enhance_colour(face, block) for face in self.probes.crops])
        return faces, f"blocks of {block} px, detected on {share:.0%} of the faces"

    def sightings(self) -> tuple[Sighted, Sighted] | NoTrial:
        """Both sides, where the photos were looked at as they are."""
        originals, released = self.originals.sighted, self.probes.sighted
        if originals is None or released is None:
            return NoTrial("the photos were not looked at as they are")
        return originals, released

    def further(self, faces: FaceImages) -> tuple[FaceImages, ...]:
        """The other good frames of each track of a clip.

        Of what an attack makes of the faces (other levels, some rows) there is one frame alone.
        """
        sides = (self.originals, self.probes)
        return next((side.further for side in sides if faces is side.crops), ())

    def lessons(self) -> tuple[Lesson, ...] | NoTrial:
        """Several random divisions of the people, none on both sides of one."""
        people = np.unique(self.probes.persons)
        if len(people) < _FEWEST:
            return NoTrial(
                f"{len(people)} people are too few to train on some and attack the others"
            )
        rng = np.random.default_rng(0)
        count = max(round(_SHARE * len(people)), 2)
        return tuple(self._lesson(rng.choice(people, count, replace=False)) for _ in range(_SPLITS))

    def _lesson(self, chosen: Array) -> Lesson:
        known = np.isin(self.originals.persons, chosen)
        shown = np.isin(self.probes.persons, chosen)
        return Lesson(
            self.gallery.take(np.flatnonzero(known)),
            self.release.take(np.flatnonzero(shown)),
            np.flatnonzero(~known),
            np.flatnonzero(~shown),
        )

    def _common_level(self) -> tuple[Level, float]:
        """The level that most faces vote for, and the share of faces that do."""
        levels = self.probes.levels
        kinds = [level.kind for level in levels if level.kind != "none"]
        if len(kinds) < _QUORUM * len(levels):
            return Level("none"), 0.0
        kind = max(sorted(set(kinds)), key=kinds.count)
        values = [level.value for level in levels if level.kind == kind]
        return Level(kind, float(np.median(values))), len(values) / len(levels)


def _matching_blur(gallery: Image, probes: Image) -> float:
    """The sigma that makes the gallery as smooth as the probes.

    Tools blur with boxes and masks as well as with Gaussians; how steep the inner face still is
    says more about those than the shape of its spectrum.
    """
    sigmas = np.geomspace(1.0, 40.0, 24)
    wanted = np.median([_steepness(face) for face in probes])
    some = gallery[:: max(len(gallery) // 40, 1)]
    found = [
        np.median([_steepness(apply_level(face, Level("blur", sigma))) for face in some])
        for sigma in sigmas
    ]
    return float(sigmas[int(np.argmin(np.abs(np.log(found) - np.log(wanted))))])


def _steepness(face: Image) -> float:
    """Mean square slope of the inner face."""
    return _slope(inner_grey(face[None])[0][20:-20, 15:-15])


def _slope(image: Array) -> float:
    steps = [np.diff(image.astype(np.float32), axis=axis) for axis in (0, 1)]
    return float(sum(np.mean(step**2) for step in steps)) + 1e-3


def _enhance_colour(face: Image, block: int) -> Image:
    """Enhance the lightness; colours have little detail to win."""
    parts = cv2.cvtColor(face, cv2.COLOR_RGB2YCrCb)
    parts[..., 0] = np.clip(np.rint(enhance(parts[None, ..., 0], block)[0]), 0, 255)
    out: Image = cv2.cvtColor(parts, cv2.COLOR_YCrCb2RGB)
    return out
