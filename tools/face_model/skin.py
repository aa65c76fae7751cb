"""The skin's texture model: symmetric modes, folds of expression, fine layers."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.clean import Clean, relit, symmetric
from tools.face_model.frame import SIDE
from tools.face_model.light import fit_shading, shading_basis
from tools.face_model.modes import principal, principal_with_gaps
from tools.face_model.regions import HALF, Regions

from ksame.codecs.face.weights import EXPRESSION_NAMES

Floats32 = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

QUARTER = HALF // 2
CHROMA_WEIGHT = 2.0  # a step of chroma is seen as much as two of luma, once it is blurred
_SEEN = 0.65  # share of the people who must show a pixel; others take their neighbours'
_SLOW = 13.0  # pixels of half the side: what varies more slowly is light as often as skin
_KEPT_SLOW, _KEPT_SLOW_JAW, _KEPT_SLOW_CHROMA = 0.35, 0.8, 0.25
_KEPT_QUICK_CHROMA = 0.5
_STREAKS = 6.0  # pixels of half the side
_EVENED = 0.6  # of the shading of the mean face: what is left keeps it round
_MOUTH_ROW = 125  # of half the side
_OUTLIERS = 8.0  # per cent of the people whom the modes explain worst: stylised pictures
# weights whose folds are learned, each as the mean of some
_FOLDS = (
    ("jawOpen",), ("smileLeft", "smileRight"), ("pucker", "funnel"),
    ("squint",), ("browDown",), ("browInnerUp", "browOuterUp"), ("sneer", "upperUp"),
)  # fmt: skip
_FOLD_RIDGE = 3.0
_FINE = 7.0  # pixels of the texture: layers hold what changes faster


@dataclass(frozen=True)
class Skin:
    """The learned model, on the left half of the frame."""

    chosen: npt.NDArray[np.intp]  # rows of `Clean` that were used
    codes: Floats32  # (n, t)
    luma_mean: Floats32  # (half, half / 2)
    chroma_mean: Floats32  # (quarter, quarter / 2, 2)
    luma_modes: Floats32  # (t, half, half / 2)
    chroma_modes: Floats32  # (t, quarter, quarter / 2, 2)
    folds: Floats32  # (22, half, half / 2)
    colour: Floats32  # (n, 3): luma, Cr, Cb of the plain skin


def learn_skin(
    small: npt.NDArray[np.uint8],
    clean: Clean,
    regions: Regions,
    weights: Floats32,
    covariates: Floats32,
    count: int,
) -> Skin:
    """Learn from textures (m, half, half, 3); `weights` (n, 22) are relative to rest."""
    luma, chroma, trust = _even(small, clean, regions)
    trust_quarter = np.stack([_shrunk(t) for t in trust])
    seen = trust.mean(axis=0)
    used = seen > _SEEN
    used_quarter = _shrunk(used.astype(np.float32)) > 0.99
    values = np.concatenate(
        [luma[:, used], chroma[:, used_quarter].reshape(len(luma), -1) * CHROMA_WEIGHT], axis=1
    )
    trusted = np.concatenate(
        [trust[:, used], np.repeat(trust_quarter[:, used_quarter], 2, axis=1)], axis=1
    )
    _, _, error = principal_with_gaps(values, trusted, count // 2, rounds=3)
    good = np.nonzero(error < np.percentile(error, 100 - _OUTLIERS))[0]
    _, filled, _ = principal_with_gaps(values[good], trusted[good], count, rounds=6)
    split = int(used.sum())
    folds = _learn_folds(filled[:, :split], weights[good], covariates[good])
    filled[:, :split] -= weights[good] @ folds
    found = principal(filled, count)
    plain = cv2.erode(used.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    plain &= ~regions.features[:, :QUARTER]
    plain_quarter = used_quarter & (_shrunk(plain.astype(np.float32)) > 0.99)
    near, near_quarter = _nearest(used, plain), _nearest(used_quarter, plain_quarter)
    core, core_quarter = regions.core[:, :QUARTER], _shrunk(regions.core[:, :QUARTER] * 1.0) > 0.99
    colour = np.column_stack(
        [
            np.median(filled[:, :split][:, core[used]], axis=1),
            *np.median(
                filled[:, split:].reshape(len(good), -1, 2)[:, core_quarter[used_quarter]], axis=1
            ).T
            / CHROMA_WEIGHT,
        ]
    )
    dim = _dimming(found.mean[:split][near], regions)
    return Skin(
        chosen=good,
        codes=found.codes,
        luma_mean=_smooth_outside(found.mean[:split][near], used) / dim,
        chroma_mean=_smooth_outside(
            found.mean[split:].reshape(-1, 2)[near_quarter] / CHROMA_WEIGHT, used_quarter
        ),
        luma_modes=np.stack([_smooth_outside(m[near], used) for m in found.modes[:, :split]]) / dim,
        chroma_modes=np.stack(
            [
                _smooth_outside(m.reshape(-1, 2)[near_quarter], used_quarter)
                for m in found.modes[:, split:]
            ]
        )
        / CHROMA_WEIGHT,
        folds=folds[:, near] * used / dim,
        colour=colour.astype(np.float32),
    )


def _dimming(luma: Floats32, regions: Regions) -> Floats32:
    """How far the mean face is darker towards its sides and below: light that all share."""
    left = np.s_[:, : luma.shape[1]]
    basis = shading_basis(regions.normals[left])
    plain = (regions.core[left]) & (regions.facing[left] > 0.5)
    found = fit_shading(
        np.log(luma[plain] + 4), basis[plain], np.ones(int(plain.sum()), np.float32)
    )
    shade = basis @ found[1:]
    shade = np.clip(shade - np.median(shade[plain]), -0.5, 0.3) * regions.skin[left]
    return np.exp(_EVENED * cv2.GaussianBlur(shade.astype(np.float32), (0, 0), 3))


def _even(
    small: npt.NDArray[np.uint8], clean: Clean, regions: Regions
) -> tuple[Floats32, Floats32, Floats32]:
    """Left halves of luma, chroma (half of that size) and trust, slow changes held back."""
    pictures, trusts = [], []
    for row, source in enumerate(clean.rows):
        picture, trust = symmetric(relit(small[source], clean, row), clean.trust[row])
        pictures.append(picture)
        trusts.append(trust)
    trust = np.stack(trusts)
    stack = np.stack(pictures)
    mean = (stack * trust[..., None]).sum(0) / (trust.sum(0) + 1e-3)[..., None]
    plain = regions.skin & ~regions.features
    row = np.arange(HALF, dtype=np.float32)[:, None]
    low = np.clip((row - 105) / 12, 0, 1)
    kept_luma = _KEPT_SLOW + (_KEPT_SLOW_JAW - _KEPT_SLOW) * low
    kept = np.stack(
        [np.broadcast_to(kept_luma, (HALF, HALF))] + [np.full((HALF, HALF), _KEPT_SLOW_CHROMA)] * 2,
        -1,
    )
    column = np.arange(HALF, dtype=np.float32)[None, :]
    apart = np.hypot((column - (HALF - 1) / 2) / 36, (row - _MOUTH_ROW) / 17)
    lips = np.clip((1.2 - apart) / 0.3, 0, 1)[..., None]
    for picture, own in zip(stack, trust, strict=True):
        away = picture - mean
        sure = (own * plain).astype(np.float32)
        level = (
            np.median(away[(own > 0.8) & regions.core], axis=0)
            if (own > 0.8)[regions.core].sum() > 50
            else np.zeros(3)
        )
        away -= level
        weight = cv2.GaussianBlur(sure, (0, 0), _SLOW) + 0.03
        slow = cv2.GaussianBlur(away * sure[..., None], (0, 0), _SLOW) / weight[..., None]
        picture -= (1 - kept) * slow
        # coloured highlights and shadows are light; lips have a colour of their own
        quick = (away - slow)[..., 1:]
        picture[..., 1:] -= (1 - lips) * (1 - _KEPT_QUICK_CHROMA) * quick
    chroma = np.stack([_shrunk(p[:, :QUARTER, 1:]) for p in stack])
    return stack[:, :, :QUARTER, 0].copy(), chroma, trust[:, :, :QUARTER].copy()


def _learn_folds(luma: Floats32, weights: Floats32, covariates: Floats32) -> Floats32:
    """How luma changes with each weight, sex, age and tone being equal: (22, pixels)."""
    names = EXPRESSION_NAMES[:-2]
    gather = np.zeros((len(names), len(_FOLDS)), np.float32)
    for number, fold in enumerate(_FOLDS):
        for name in fold:
            gather[names.index(name), number] = 1 / len(fold)
    known = np.column_stack([weights @ gather, covariates]).astype(np.float64)
    known -= known.mean(axis=0)
    ridge = np.diag([_FOLD_RIDGE] * len(_FOLDS) + [1e-3] * covariates.shape[1])
    found = np.linalg.solve(known.T @ known + ridge, known.T @ (luma - luma.mean(axis=0)))
    return (gather @ found[: len(_FOLDS)]).astype(np.float32)


def _shrunk(picture: Floats32) -> Floats32:
    return cv2.resize(
        picture, (picture.shape[1] // 2, picture.shape[0] // 2), interpolation=cv2.INTER_AREA
    )


def _nearest(used: Mask, source: Mask) -> npt.NDArray[np.intp]:
    """The number, among the used pixels, that each pixel takes its values from.

    A used one is itself; others take the nearest one of `source`, which is part of `used`.
    """
    number = np.zeros(used.shape, np.intp)
    number[used] = np.arange(int(used.sum()))
    wide = np.ones((len(used) // 8, len(used) // 8), np.uint8)
    holes = (cv2.morphologyEx(used.astype(np.uint8), cv2.MORPH_CLOSE, wide) > 0) & ~used
    # lips go on into the mouth's opening and lids into the eyes'; beyond the outline there is skin
    return np.where(used, number, np.where(holes, _copied(number, used), _copied(number, source)))


def _copied(number: npt.NDArray[np.intp], source: Mask) -> npt.NDArray[np.intp]:
    """For every pixel the number of the nearest one of `source`."""
    _, labels = cv2.distanceTransformWithLabels(
        (~source).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    order = np.zeros(labels.max() + 1, np.intp)
    order[labels[source]] = number[source]
    return order[labels]


def _smooth_outside(picture: Floats32, used: Mask) -> Floats32:
    """A plane (h, w) or (h, w, c) whose pixels outside are smoothed, lest they are streaks."""
    wide = np.ones((len(used) // 8, len(used) // 8), np.uint8)
    used = cv2.morphologyEx(used.astype(np.uint8), cv2.MORPH_CLOSE, wide) > 0
    blurred = cv2.GaussianBlur(picture, (0, 0), _STREAKS * len(picture) / HALF)
    inside = cv2.GaussianBlur(used.astype(np.float32), (0, 0), 1.0)
    inside = inside if picture.ndim == 2 else inside[..., None]
    return (inside * picture + (1 - inside) * blurred).astype(np.float32)


def fine_layers(
    full: npt.NDArray[np.uint8],
    clean: Clean,
    skin: Skin,
    weights: Floats32,
    rows: npt.NDArray[np.intp],
    mask: Mask,
) -> tuple[npt.NDArray[np.int8], Floats32]:
    """What a person's skin has beyond the modes, (layers, pixels of the mask) and its steps.

    `rows` number the people among `skin.chosen`.
    """
    layers, steps = [], []
    for row in rows:
        own = int(skin.chosen[row])
        picture = relit(full[clean.rows[own]], clean, own)[..., 0]
        half = (
            skin.luma_mean
            + np.tensordot(skin.codes[row], skin.luma_modes, 1)
            + np.tensordot(weights[own], skin.folds, 1)
        ).astype(np.float32)
        said = cv2.resize(
            np.concatenate([half, half[:, ::-1]], 1), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC
        )
        trust = cv2.resize(clean.trust[own], (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
        trust = cv2.GaussianBlur(cv2.erode(trust, np.ones((7, 7), np.uint8)), (0, 0), 3)
        rest = picture - said
        weight = cv2.GaussianBlur(trust, (0, 0), _FINE) + 0.02
        fine = rest - cv2.GaussianBlur(rest * trust, (0, 0), _FINE) / weight
        fine = np.clip(fine * trust, -48, 48)[mask]
        step = max(float(np.abs(fine).max()), 1e-3) / 127
        layers.append(np.rint(fine / step).astype(np.int8))
        steps.append(step)
    return np.stack(layers), np.array(steps, np.float32)
