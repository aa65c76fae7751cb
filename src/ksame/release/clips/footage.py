"""What the store holds of one track: its detections, landmarks and glimpses of its light."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image, Ints
from ksame.release.clips.gathering import TRACK
from ksame.release.clips.searching import FRAMES
from ksame.store import Store

_GOOD: Final = 0.5  # of the landmark model's score
_NEAR: Final = 60  # frames around a stretch in which glimpses of the light are looked for


@dataclass(frozen=True)
class Stretch:
    """A track's detections in a stretch of frames, and the nearest ones before and after it.

    ``light_row`` are the rows of those of them whose light was measured, ``turned_row`` those of
    heads turned far, whose landmarks as posed by their silhouette are ``turned_mesh``.
    """

    frame: Ints
    mesh: Floats32 = field(repr=False)
    mesh_score: Floats
    light_row: Ints
    light_seen: Image = field(repr=False)
    light_black: Floats
    turned_row: Ints
    turned_mesh: Floats32 = field(repr=False)


@dataclass(frozen=True)
class Footage:
    """One track of a clip; its landmarks are read from the store as they are needed.

    ``camera`` holds the blur of edges, three strengths of grain, the colour and the face's size.
    """

    store: Store
    keys: tuple[str, ...] = field(repr=False)
    frame: Ints = field(repr=False)
    xyxy: Floats = field(repr=False)
    mesh_score: Floats = field(repr=False)
    segment: Ints = field(repr=False)
    row: Ints = field(repr=False)
    first: int
    stop: int
    rate: float
    camera: Floats = field(repr=False)

    def box(self, frame: int) -> Floats:
        """Where the face is in a frame; between two detections it moves evenly."""
        return np.array([np.interp(frame, self.frame, side) for side in self.xyxy.T])

    def stretch(self, low: int, high: int) -> Stretch:
        """The detections of the frames ``low`` to ``high - 1``, and the nearest ones around."""
        inside = np.flatnonzero((self.frame >= low) & (self.frame < high))
        good = self.mesh_score >= _GOOD
        chosen = set(inside.tolist())
        near = low - _NEAR, high + _NEAR
        able_ones = (
            np.ones(len(good), bool),
            good,
            self._has(lights, *near),
            self._has(turns, *near),
        )
        for able in able_ones:
            before = np.flatnonzero(able & (self.frame < low))
            after = np.flatnonzero(able & (self.frame >= high))
            chosen |= {*before[-1:].tolist(), *after[:1].tolist()}
        order = np.array(sorted(chosen), np.int64)
        return self._loaded(order)

    def _has(self, kept: Callable[[Store, str], Mapping[str, Any]], low: int, high: int) -> Bools:
        """Which rows of the segments around some frames something was kept of."""
        found = np.zeros(len(self.frame), bool)
        for segment in np.unique(self.segment[(self.frame >= low) & (self.frame < high)]):
            here = self.segment == segment
            found[here] = np.isin(self.row[here], kept(self.store, self.keys[segment])["row"])
        return found

    def _loaded(self, order: Ints) -> Stretch:
        mesh = np.zeros((len(order), 478, 3), np.float32)
        light_row: list[int] = []
        seen: list[Image] = []
        black: list[float] = []
        turned_row: list[int] = []
        turned: list[Floats32] = []
        for segment in np.unique(self.segment[order]):
            here = np.flatnonzero(self.segment[order] == segment)
            at = self.row[order[here]]
            mesh[here] = meshes(self.store, self.keys[segment])[at]
            lit = lights(self.store, self.keys[segment])
            looked = turns(self.store, self.keys[segment])
            for place, row in zip(here, at, strict=True):
                for found in np.flatnonzero(lit["row"] == row):
                    light_row.append(int(place))
                    seen.append(lit["seen"][found])
                    black.append(float(lit["black"][found]))
                for found in np.flatnonzero(looked["row"] == row):
                    turned_row.append(int(place))
                    turned.append(looked["mesh"][found])
        return Stretch(
            self.frame[order],
            mesh,
            self.mesh_score[order],
            np.array(light_row, np.int64),
            np.array(seen, np.uint8),
            np.array(black),
            np.array(turned_row, np.int64),
            np.array(turned, np.float32).reshape(-1, 478, 3),
        )


@lru_cache(maxsize=3)  # a segment and its neighbours
def meshes(store: Store, key: str) -> Floats32:
    """The landmarks of a segment's detections."""
    found: Floats32 = store.load(FRAMES, key, names=("mesh",))["mesh"]
    return found


@lru_cache(maxsize=3)
def lights(store: Store, key: str) -> Mapping[str, Any]:
    """The glimpses of a segment."""
    return store.load(FRAMES, key, "light/")


@lru_cache(maxsize=3)
def turns(store: Store, key: str) -> Mapping[str, Any]:
    """The looks at turned heads of a segment."""
    return store.load(FRAMES, key, "turned/")


def open_footage(
    store: Store, found: Mapping[str, Any], number: int, keys: Sequence[str], rate: float
) -> Footage:
    """A track of a clip; ``found`` is what the first stage kept of the clip."""
    told = {name: found[f"{number}/{name}"] for name in TRACK}
    first, stop = found[f"{number}/cover"].tolist()
    camera = found.get(f"{number}/camera", np.array([np.nan, 0, 0, 0, 0, 1.0]))
    return Footage(store, tuple(keys), **told, first=first, stop=stop, rate=rate, camera=camera)
