"""Textures of the eyeballs and of the inside of the mouth."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.extend import extended
from tools.face_model.eyes import RADIUS, whole_eye
from tools.face_model.frame import EYE_PLACE, MOUTH_PLACE, MOUTH_ROWS, MOUTH_UNIT
from tools.face_model.modes import Modes, principal
from tools.face_model.textures import Textures

Floats32 = npt.NDArray[np.float32]

EYES = 6  # modes of the eyeballs
MOUTHS = 6  # mouths that the model chooses from
_TEETH = np.array([132.0, 122.0], np.float32)  # their Cr, Cb
_WHITE = np.array([146.0, 133.5, 124.0], np.float32)  # luma, Cr, Cb of the white of an eye


def learn_eyes(textures: Textures, rows: npt.NDArray[np.intp]) -> tuple[Modes, tuple[int, int]]:
    """Modes of whole eyeballs, (pixels * 3) each, and the island's height and width.

    Eyes are lit like the skin around them: their light is taken out by their white.
    """
    centre = (EYE_PLACE[0] - textures.eye_box[1].start, EYE_PLACE[1] - textures.eye_box[0].start)
    found: list[Floats32 | None] = []
    for row in rows:
        eyes = [whole_eye(eye, centre) for eye in textures.eyes[row]]
        seen = [_lit(eye, centre) for eye in eyes if eye is not None]
        found.append(np.mean(seen, axis=0) if seen else None)
    known = [eye for eye in found if eye is not None]
    middle = np.median(known, axis=0)
    values = np.stack([middle if eye is None else eye for eye in found])
    shape = values.shape[1:3]
    flat = values.reshape(len(values), -1).astype(np.float32)
    # strange eyes (effects, closed ones) are drawn in
    away = np.abs(flat - flat.mean(axis=0)).mean(axis=1)
    flat[away > np.percentile(away, 94)] = middle.ravel()
    return principal(flat, EYES), (int(shape[0]), int(shape[1]))


def _lit(eye: Floats32, centre: tuple[float, float]) -> Floats32:
    """An eyeball in even light: a white that is white, an iris of its own colour, a dark pupil.

    Photographs of eyes are mostly shadow and reflections; only the iris' colour is the person's.
    """
    row, column = np.mgrid[: eye.shape[0], : eye.shape[1]]
    distance = np.hypot(column - centre[0], row - centre[1]) / RADIUS
    ring = (distance > 1.2) & (distance < 2.2) & (abs(row - centre[1]) < RADIUS)
    white = float(np.median(eye[ring][:, 0]))
    inner = (distance > 0.45) & (distance < 0.85)
    colour = np.median(eye[inner], axis=0)
    # the iris is lit as the white is, though lids and lashes darken the white more
    luma = float(np.clip(colour[0] * np.clip(120 / max(white, 25.0), 0.7, 1.35), 30, 108))
    iris = np.empty_like(eye)
    iris[..., 0] = luma + 0.5 * np.clip(eye[..., 0] - colour[0], -25, 25) * (distance < 0.95)
    iris[..., 1:] = 128 + (colour[1:] - 128) * 0.9
    iris[..., 0] *= 1 - 0.5 * np.exp(-(((distance - 1.0) / 0.16) ** 2))  # its dark rim
    pupil = np.clip((0.44 - distance) / 0.10, 0, 1)[..., None]
    iris = (1 - pupil) * iris + pupil * np.array([14.0, 129.0, 127.0], np.float32)
    plain = np.broadcast_to(_WHITE, eye.shape).copy()
    plain[..., 0] += 0.25 * np.clip(eye[..., 0] - white, -40, 25) * (distance > 1.1)
    blend = np.clip((1.06 - distance) / 0.13, 0, 1)[..., None]
    out = blend * iris + (1 - blend) * plain
    shade = 1 - 0.38 * np.clip((distance - 1) / 2.2, 0, 1) ** 1.3
    shade *= (
        1 - 0.45 * np.clip((centre[1] - row) / (1.05 * RADIUS), 0, 1) ** 1.2
    )  # under the upper lid
    out[..., 0] *= shade
    return out.astype(np.float32)


def glint(shape: tuple[int, int], centre: tuple[float, float]) -> Floats32:
    """A small reflection of the sky, which eyes are never without: luma to add."""
    row, column = np.mgrid[: shape[0], : shape[1]]
    spot = np.hypot(column - centre[0] + 0.28 * RADIUS, row - centre[1] + 0.36 * RADIUS)
    return (120 * np.exp(-((spot / (0.15 * RADIUS)) ** 2))).astype(np.float32)


def eye_mask(textures: Textures) -> npt.NDArray[np.bool_]:
    """The part of the eyes' box that belongs to the island; the corners are skin."""
    shape = textures.eyes.shape[2:4]
    mask = np.zeros(shape, np.uint8)
    centre = (shape[1] // 2, shape[0] // 2)
    cv2.ellipse(mask, centre, (shape[1] // 2, shape[0] // 2), 0, 0, 360, 1, -1)
    return mask > 0


def choose_mouths(
    textures: Textures, rows: npt.NDArray[np.intp], scale: Floats32
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.intp]]:
    """Insides of mouths (m, h, w, 3) as luma, Cr, Cb, and whose they are among `rows`."""
    top = MOUTH_PLACE[1] - textures.mouth_box[0].start
    gum, edge, _low, _ = (top + y * MOUTH_UNIT for y in MOUTH_ROWS)
    upper = np.s_[int(gum) + 6 : int(edge)]
    score = []
    for row in rows:
        island = textures.mouths[row]
        seen = island[upper][..., 3].mean() / 255
        picture = cv2.cvtColor(island[..., :3], cv2.COLOR_RGB2YCrCb)[upper].astype(np.float32)
        inside = island[upper][..., 3] > 128
        if inside.sum() < 60:
            score.append(0.0)
            continue
        luma, red = picture[..., 0][inside], picture[..., 1][inside]
        sharp = float(np.abs(cv2.Laplacian(picture[..., 0], cv2.CV_32F))[inside].mean())
        pale = float((red < 144).mean() ** 2 * ((luma > 85) & (luma < 235)).mean() ** 2)
        row_luma = picture[..., 0] * inside
        even = float(np.corrcoef(row_luma.ravel(), row_luma[:, ::-1].ravel())[0, 1])
        pale *= max(even, 0.0) ** 2
        score.append(seen * pale * min(sharp / 8, 1.5) * min(float(scale[row]) / 120, 1.2))
    best = np.argsort(-np.array(score), kind="stable")[:MOUTHS]
    dark = _cavity(textures)
    mouths = np.stack([_mouth(textures.mouths[rows[b]], dark, edge) for b in best])
    return np.clip(np.rint(mouths), 0, 255).astype(np.uint8), best


def _cavity(textures: Textures) -> Floats32:
    """The mean of what open mouths show, where they show it."""
    picture = np.stack(
        [cv2.cvtColor(m[..., :3], cv2.COLOR_RGB2YCrCb) for m in textures.mouths]
    ).astype(np.float32)
    seen = textures.mouths[..., 3].astype(np.float32) / 255
    total = seen.sum(axis=0)
    mean = (picture * seen[..., None]).sum(axis=0) / np.maximum(total, 1e-3)[..., None]
    return extended(mean, np.clip(total / 25, 0, 1))


def _mouth(island: npt.NDArray[np.uint8], dark: Floats32, edge: float) -> Floats32:
    """One person's upper teeth over a dark cavity, rows below the teeth's edge shaded."""
    picture = cv2.cvtColor(island[..., :3], cv2.COLOR_RGB2YCrCb).astype(np.float32)
    seen = cv2.erode(island[..., 3], np.ones((3, 3), np.uint8)).astype(np.float32) / 255
    row = np.arange(island.shape[0], dtype=np.float32)[:, None]
    teeth = seen * np.clip((edge + 5 - row) / 4, 0, 1)
    luma = np.median(picture[..., 0][(seen > 0.5) & (row < edge)])
    picture[..., 0] *= float(np.clip(142 / max(luma, 40), 0.7, 1.2))
    # teeth are lit like the face: their light goes with their tint
    tint = np.median(picture[(seen > 0.5) & (row < edge)][:, 1:], axis=0)
    picture[..., 1:] -= tint - _TEETH
    above = extended(picture, np.maximum(teeth, 1e-4), reach=1.5)
    cavity = dark.copy()
    below = np.clip((row - edge - 2) / 5, 0, 1)
    cavity[..., 0] = cavity[..., 0] * (1 - 0.72 * below) * np.clip(1.0 + 0 * row, 0, 1)
    share = (np.clip((edge + 3 - row) / 4, 0, 1) * np.ones_like(seen))[..., None]
    out = share * above + (1 - share) * cavity
    # teeth lie in shade towards the corners
    column = np.abs(np.linspace(-1, 1, island.shape[1], dtype=np.float32))[None, :]
    out[..., 0] *= 1 - 0.55 * np.clip((column - 0.45) / 0.55, 0, 1) ** 1.3
    return out.astype(np.float32)
