"""Choose pictures that show a bare face, take their light out and make them symmetric."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.light import fit_shading, shading_basis, to_linear, to_srgb
from tools.face_model.regions import HALF, Regions

Floats32 = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]

_LUMA = np.array([0.2126, 0.7152, 0.0722], np.float32)
_DARK = 0.004  # linear light added before the logarithm: the noise of a camera
_GLASSES = 0.004  # share of the eyes' region that is neither skin nor hair
_BARE = 0.62  # share of the inner face that must be skin
_TURNED = 14.0  # degrees of yaw beyond which one cheek is a smear
_OFF_COLOUR = 2.6  # medians of the distance from the colours that skin has
_KEPT_CAST = 0.5  # of a person's distance from them: half is skin, half is light


@dataclass(frozen=True)
class Clean:
    """Textures of the chosen people, without light, and how far each pixel is to be trusted."""

    rows: Rows  # of the reading
    gains: Floats32  # (n, half, half): log of the light that was divided out
    trust: Floats32  # (n, half, half)
    cast: Floats32  # (n, 2): what is subtracted from Cr and Cb everywhere
    tint: Floats32  # (n, 2, half, half): what is subtracted from Cr and Cb, slowly varying
    level: Floats32  # (n,): median luma of the skin
    why: dict[str, int]  # how many were left out, by reason


def choose(
    small: npt.NDArray[np.uint8], classes: npt.NDArray[np.uint8], yaw: Floats32, regions: Regions
) -> Clean:
    """Clean textures (m, half, half, 3) whose pixels have the classes hair, skin and other."""
    skin = classes[..., 1].astype(np.float32) / 255
    colours = np.array([_skin_colour(t, s, regions) for t, s in zip(small, skin, strict=True)])
    glasses = (classes[..., 2] > 90)[:, regions.eyes].mean(axis=1) >= _GLASSES
    covered = skin[:, regions.core].mean(axis=1) <= _BARE
    turned = np.abs(yaw) >= _TURNED
    kept = ~glasses & ~covered & ~turned & np.isfinite(colours[:, 0])
    kept, off = _skin_coloured(colours, kept)
    rows = np.nonzero(kept)[0]
    trust = np.stack([_bare(s) for s in skin[rows]]) * regions.facing * regions.skin
    gains = _find_light(small[rows], trust, regions)
    # what was brightened or darkened most shows noise and highlights
    trust = trust * np.clip(1.6 - np.abs(gains) / 0.6, 0.1, 1)
    why = {
        "glasses": int(glasses.sum()),
        "hair or things over the face": int((covered & ~glasses).sum()),
        "turned": int((turned & ~glasses & ~covered).sum()),
    }
    why["no skin colour"] = int(len(small) - len(rows) - sum(why.values()))
    tint = _find_tint(small[rows], trust, regions)
    return Clean(rows, gains, trust, off[rows] * (1 - _KEPT_CAST), tint, colours[rows, 0], why)


def _bare(skin: Floats32) -> Floats32:
    """Trust in bare skin: sure of it, and a few pixels away from hair and things."""
    sure = np.clip((skin - 0.6) / 0.3, 0, 1)
    return cv2.GaussianBlur(cv2.erode(sure, np.ones((7, 7), np.uint8)), (0, 0), 1.5)


def _skin_colour(texture: npt.NDArray[np.uint8], skin: Floats32, regions: Regions) -> Floats32:
    """Median luma, Cr and Cb of the plain skin; nan where there is hardly any."""
    sure = regions.core & (skin > 0.7)
    if sure.sum() < 200:
        return np.full(3, np.nan, np.float32)
    return np.median(cv2.cvtColor(texture, cv2.COLOR_RGB2YCrCb)[sure], axis=0).astype(np.float32)


def _skin_coloured(
    colours: Floats32, kept: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], Floats32]:
    """Who has a colour that skin has, and how far Cr and Cb are off the usual ones of that luma."""
    luma = np.nan_to_num(colours[:, 0], nan=128.0)
    powers = np.column_stack([np.ones_like(luma), luma, luma**2])
    chosen, off = kept, np.zeros((len(luma), 2), np.float32)
    for _ in range(3):
        fit = np.linalg.lstsq(powers[chosen], colours[chosen, 1:], rcond=None)[0]
        off = np.nan_to_num(colours[:, 1:] - powers @ fit).astype(np.float32)
        far = np.hypot(*off.T)
        chosen = kept & (far < _OFF_COLOUR * np.median(far[chosen])) & (luma > 38) & (luma < 215)
    return chosen, off


def _find_light(small: npt.NDArray[np.uint8], trust: Floats32, regions: Regions) -> Floats32:
    """The log of each picture's shading against the symmetric mean face, zero on average."""
    luma = np.log(np.stack([to_linear(t) @ _LUMA for t in small]) + _DARK)
    basis = shading_basis(regions.normals)
    used = _sparse(regions.skin & ~regions.features)
    # a beard is no shadow
    heed = np.where(regions.jaw, 0.35, 1.0).astype(np.float32)
    gains = np.zeros_like(luma)
    for _ in range(3):
        even = luma - gains
        level = np.array(
            [
                np.average(e[regions.core], weights=t[regions.core] + 1e-3)
                for e, t in zip(even, trust, strict=True)
            ]
        )
        mean = ((even - level[:, None, None]) * trust).sum(0) / (trust.sum(0) + 1e-3)
        mean = cv2.GaussianBlur((mean + mean[:, ::-1]) / 2, (0, 0), 1)
        for row in range(len(small)):
            residual = (luma[row] - mean - level[row])[used]
            found = fit_shading(residual, basis[used], (trust[row] * heed)[used])
            gains[row] = basis @ found[1:]
        gains -= gains[:, regions.core].mean(axis=1)[:, None, None]
    return gains * regions.skin


def _sparse(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Every ninth pixel of a mask: light varies slowly."""
    out = np.zeros_like(mask)
    out[::3, ::3] = mask[::3, ::3]
    return out


def _find_tint(small: npt.NDArray[np.uint8], trust: Floats32, regions: Regions) -> Floats32:
    """Coloured light from one side: the part of Cr and Cb that changes evenly over the face."""
    basis = shading_basis(regions.normals, order=1)
    basis = basis - basis[regions.core].mean(axis=0)
    used = _sparse(regions.skin & ~regions.features)
    tints = np.zeros((len(small), 2, HALF, HALF), np.float32)
    chroma = np.stack([cv2.cvtColor(t, cv2.COLOR_RGB2YCrCb)[..., 1:] for t in small]).astype(
        np.float32
    )
    mean = (chroma * trust[..., None]).sum(0) / (trust.sum(0) + 1e-3)[..., None]
    for row in range(len(small)):
        for channel in range(2):
            residual = (chroma[row, ..., channel] - mean[..., channel])[used]
            found = fit_shading(residual, basis[used], trust[row][used])
            tints[row, channel] = basis @ found[1:] * regions.skin
    return tints


def relit(texture: npt.NDArray[np.uint8], clean: Clean, row: int) -> Floats32:
    """One texture of any size without its light, as luma, Cr and Cb."""
    size = texture.shape[1::-1]
    gain = cv2.resize(clean.gains[row], size, interpolation=cv2.INTER_LINEAR)
    even = to_srgb(to_linear(texture) * np.exp(-gain)[..., None])
    picture = cv2.cvtColor(even / 255, cv2.COLOR_RGB2YCrCb) * 255
    for channel in range(2):
        tint = cv2.resize(clean.tint[row, channel], size, interpolation=cv2.INTER_LINEAR)
        picture[..., channel + 1] -= tint + clean.cast[row, channel]
    return picture


def symmetric(picture: Floats32, trust: Floats32) -> tuple[Floats32, Floats32]:
    """Both halves of a picture (h, w, c) averaged by trust, and the trust of the result."""
    flipped, other = picture[:, ::-1], trust[:, ::-1]
    total = trust + other
    share = np.where(total > 1e-3, trust / np.maximum(total, 1e-3), 0.5)[..., None]
    return share * picture + (1 - share) * flipped, np.minimum(total, 1)
