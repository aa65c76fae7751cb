"""The papers' pictures of faces, drawn again on people who do not exist.

newton-figure1, newton-figure3      a still, registered, and with a bar over its eyes
newton-figure2                      a person-specific face set
newton-figure4, newton-figure5      two people blacked out, and averaged
newton-figure13                     every ad hoc method on one face
newton-figure17                     k-Same-Pixel (above) and k-Same-Eigen (below) over k
gross-figure1, gross-figure2        pixelation and blur, with profiles at the height of the eyes
gross-figure5                       a man and a woman, neutral and smiling
gross-figure3, gross-figure4        k-Same, and k-Same-Select on expression, over k
model-figure2, model-figure3        k-Same, which ghosts, and k-Same-M, which does not
model-figure4, furthest-figure5     examples of the set
model-figure7                       pixelation by block
furthest-figure7, furthest-figure8  furthest over k, inside each expression and over all faces
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ksame.arrays import Array
from ksame.errors import InputError
from ksame.experiments import picture_sets as sets
from ksame.experiments.alterations import ad_hoc, blur
from ksame.experiments.drawn import Drawn, train
from ksame.experiments.face_grid import FaceGrid, Faces
from ksame.experiments.stills import Stills
from ksame.methods import (
    AD_HOC,
    KSameEigen,
    KSameFurthest,
    KSameM,
    KSamePixel,
    KSameSelect,
)


def draw_pictures(
    stills: Stills, out: Path, names: Sequence[str] = (), ks: Sequence[int] = (2, 3, 5, 10)
) -> list[Path]:
    """Draw pictures by name, all of them by default, as PNG files into a folder."""
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        raise InputError(f"picture {unknown[0]!r} is not known; choose from {', '.join(PICTURES)}.")
    out.mkdir(parents=True, exist_ok=True)
    made = []
    for name in names or PICTURES:
        made.append(out / f"{name}.png")
        PICTURES[name](stills, ks).draw(made[-1])
    return made


def _neutral(stills: Stills) -> Faces:
    """One neutral face of each person, in N's frame."""
    return stills.newton[stills.pairs("neutral", "smile")[0]].astype(np.float64)


def ad_hoc_methods(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """N Figure 13."""
    faces = _neutral(stills)
    people = np.arange(len(faces))
    made = {name: ad_hoc(name)(faces, people)[0] for name in AD_HOC}
    return FaceGrid(["original", *made], {"": [faces[0], *made.values()]})


def pixel_and_eigen(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """N Figure 17."""
    faces = _neutral(stills)
    flat = faces.reshape(len(faces), -1)
    makers: dict[str, Callable[[int], KSamePixel | KSameEigen]] = {
        "k-Same-Pixel": lambda k: KSamePixel(k, random_state=0),
        "k-Same-Eigen": lambda k: KSameEigen(k, random_state=0),
    }
    rows = {
        name: [
            faces[0],
            *(make(k).fit_transform(flat)[0].reshape(faces.shape[1:]) for k in ks),
        ]
        for name, make in makers.items()
    }
    return FaceGrid(["original", *(f"k = {k}" for k in ks)], rows)


def pixelation(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """G Figure 1, with the profile at the height of the eyes."""
    return _levels(stills, "p", {p: ad_hoc("pixelate", p) for p in (3, 5, 7, 9, 15)})


def blurring(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """G Figure 2, with the profile at the height of the eyes; levels are variances."""
    return _levels(stills, "variance", {v: blur(v) for v in (5, 9, 13, 17, 25)})


def _levels(
    stills: Stills, word: str, levels: Mapping[int, Callable[[Faces, Array], Faces]]
) -> FaceGrid:
    face = stills.gross[stills.pairs("neutral", "smile")[0][:1]].astype(np.float64)
    made = [alter(face, np.zeros(1, np.intp))[0] for alter in levels.values()]
    names = ["original", *(f"{word} = {level}" for level in levels)]
    return FaceGrid(names, {"": [face[0], *made]}, profiles=True)


def plain_k_same(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """G Figure 3: the expression may change."""
    first, second = stills.pairs("neutral", "smile")
    faces = stills.gross[np.concatenate([first, second])].astype(np.float64)
    flat = faces.reshape(len(faces), -1)
    made = [KSamePixel(k, random_state=0).fit_transform(flat)[0] for k in ks]
    shown = [faces[0], *(face.reshape(faces.shape[1:]) for face in made)]
    return FaceGrid(["original", *(f"k = {k}" for k in ks)], {"": shown}, profiles=True)


def select_k_same(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """G Figure 4: the expression stays."""
    first, second = stills.pairs("neutral", "smile")
    rows = np.concatenate([first, second])
    faces = stills.gross[rows].astype(np.float64)
    flat = faces.reshape(len(faces), -1)
    columns = {"persons": stills.persons[rows], "classes": stills.expression[rows]}
    made = {
        k: KSameSelect(KSamePixel(k, random_state=0)).fit_transform(flat, **columns) for k in ks
    }
    shown = {
        name: [faces[i], *(made[k][i].reshape(faces.shape[1:]) for k in ks)]
        for name, i in (("neutral", 0), ("smile", len(first)))
    }
    return FaceGrid(["original", *(f"k = {k}" for k in ks)], shown)


def ghosts(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """M Figure 2: k-Same on pixels."""
    both = pixel_and_eigen(stills, ks)
    return FaceGrid(both.columns, {"k-Same": both.rows["k-Same-Pixel"]})


def without_ghosts(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """M Figure 3: k-Same-M on the same people."""
    drawn, _ = _drawn(stills)
    made = [KSameM(k, random_state=0).fit_transform(drawn.codes) for k in ks]
    codes = np.stack([drawn.codes[0], *(codes[0] for codes in made)])
    return FaceGrid(["original", *(f"k = {k}" for k in ks)], {"k-Same-M": list(drawn.draw(codes))})


def blocks(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """M Figure 7."""
    faces = _neutral(stills)[:1]
    sizes = (2, 4, 8, 16)
    made = [ad_hoc("pixelate", p)(faces, np.zeros(1, np.intp))[0] for p in sizes]
    return FaceGrid(["original", *(f"p = {p}" for p in sizes)], {"": [faces[0], *made]})


def furthest_in_expressions(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """F Figure 7: clusters of one expression each."""
    drawn, both = _drawn(stills)
    rows = {name: np.flatnonzero(both.expression == name) for name in ("neutral", "smile")}
    return _far(drawn, rows, ks)


def furthest_over_all(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """F Figure 8: clusters of all faces, whatever they show."""
    drawn, both = _drawn(stills)
    return _far(drawn, {"": np.arange(len(both))}, ks)


def _far(drawn: Drawn, sets: Mapping[str, Array], ks: Sequence[int]) -> FaceGrid:
    shown = {}
    usable = [k for k in ks if all(2 * k <= len(rows) for rows in sets.values())]
    for name, rows in sets.items():
        codes = drawn.codes[rows]
        far = [KSameFurthest(k, random_state=0).fit_transform(codes)[0] for k in usable]
        shown[name] = list(drawn.draw(np.stack([codes[0], *far])))
    return FaceGrid(["original", *(f"k = {k}" for k in usable)], shown)


def _drawn(stills: Stills) -> tuple[Drawn, Stills]:
    """A model of neutral and smiling faces, and those stills."""
    both = stills.take(np.concatenate(stills.pairs("neutral", "smile")))
    return train(both), both


PICTURES: Mapping[str, Callable[[Stills, Sequence[int]], FaceGrid]] = {
    "newton-figure1": sets.registered,
    "newton-figure2": sets.person_specific,
    "newton-figure3": sets.barred,
    "newton-figure4": sets.blacked_out,
    "newton-figure5": sets.averaged,
    "newton-figure13": ad_hoc_methods,
    "newton-figure17": pixel_and_eigen,
    "gross-figure1": pixelation,
    "gross-figure2": blurring,
    "gross-figure3": plain_k_same,
    "gross-figure4": select_k_same,
    "gross-figure5": sets.two_expressions,
    "model-figure2": ghosts,
    "model-figure3": without_ghosts,
    "model-figure4": sets.examples,
    "model-figure7": blocks,
    "furthest-figure5": sets.examples,
    "furthest-figure7": furthest_in_expressions,
    "furthest-figure8": furthest_over_all,
}
