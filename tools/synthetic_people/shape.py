"""A person's head: macro targets, detail targets and an expression, as refined vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tools.synthetic_people.assets import Assets
from tools.synthetic_people.person import Person, rng_of

Floats = npt.NDArray[np.float32]

STRENGTH = 0.62
# one-sided targets of a pair share a draw, with a little asymmetry
ONE_WAY = ("head-oval", "head-round", "head-square", "head-triangular", "head-diamond")
SKIPPED = ("neck-", "measure-", "head-trans", "head-back", "head-age", "head-scale", "head-angle")
GAIN = {
    "nose": 0.75,
    "mouth": 0.6,
    "eye": 0.55,
    "chin": 0.75,
    "cheek": 0.6,
    "head": 0.5,
    "forehead": 0.4,
}
QUIET = ("mouth-trans", "mouth-dimples", "nose-trans", "nose-compression", "ear-shape", "eye-push")

EXPRESSIONS: dict[str, dict[str, float]] = {
    "neutral": {"mouthSmile": 0.10, "browInnerUp": 0.09},
    "smile": {
        "mouthSmile": 1.0,
        "cheekSquint": 0.4,
        "eyeSquint": 0.32,
        "mouthUpperUp": 0.66,
        "mouthLowerDown": 0.21,
        "mouthStretch": 0.12,
        "jawOpen": 0.035,
    },
    "surprise": {
        "browInnerUp": 0.8,
        "browOuterUp": 0.75,
        "eyeWide": 0.65,
        "jawOpen": 0.42,
        "mouthFunnel": 0.15,
    },
}


@dataclass(frozen=True)
class Head:
    """Refined vertices and the eyeballs: centres (2, 3), the subject's right eye first."""

    points: Floats
    eyes: Floats
    eye_radius: float


def make_head(assets: Assets, person: Person, expression: str, amount: float = 1.0) -> Head:
    """The person's head with an expression of the given amount."""
    base = assets.base.copy()
    for name, weight in {**person.morphs, **detail_morphs(assets, person)}.items():
        _add(base, assets, name, weight)
    # MakeHuman's macro targets move the whole body: put the eyes back to where the rest has them
    base += _eye_centres(assets, assets.base).mean(0) - _eye_centres(assets, base).mean(0)
    eyes = _eye_centres(assets, base)
    radius = _eye_radius(assets, base, eyes)
    for name, weight in _expression(assets, person, expression, amount).items():
        _add(base, assets, name, weight)
    return Head(assets.mesh.apply(base[assets.kept]), eyes, radius)


def _add(base: Floats, assets: Assets, name: str, weight: float) -> None:
    target = assets.targets[name]
    base[target.rows] += np.float32(weight) * target.offsets


def detail_morphs(assets: Assets, person: Person) -> dict[str, float]:
    """Random weights of the opposed pairs of detail targets, mirrored for left and right."""
    rng = rng_of(person, "details")
    out: dict[str, float] = {}
    for low, high in _pairs(assets):
        name = low.removeprefix("r-")
        draw = float(np.clip(rng.normal(0, 0.42), -1, 1)) * STRENGTH * _gain(name)
        lopsided = float(rng.normal(0, 0.04)) * _gain(name)
        for side, value in (("r-", draw), ("l-", draw + lopsided)):
            chosen = high if value > 0 else low
            if chosen.startswith("r-"):
                out[side + chosen.removeprefix("r-")] = abs(value)
            else:
                out[chosen] = abs(draw)
    for name in ONE_WAY:
        out[name] = float(rng.beta(0.5, 2.2)) * 0.65
    if person.gender == "male":
        out["chin-bones-incr"] = out.get("chin-bones-incr", 0) + 0.25
    return out


def _gain(name: str) -> float:
    if name.startswith(QUIET):
        return 0.22
    return GAIN.get(name.removeprefix("l-").partition("-")[0], 0.55)


def _pairs(assets: Assets) -> list[tuple[str, str]]:
    ends = (("decr", "incr"), ("down", "up"), ("in", "out"), ("backward", "forward"))
    ends += (("concave", "convex"), ("compress", "uncompress"))
    pairs = []
    for name in sorted(assets.targets):
        if name.startswith(("l-", *SKIPPED)) or "trans-in" in name or "expression" in name:
            continue
        for low, high in ends:
            other = name.removesuffix(low) + high
            if name.endswith("-" + low) and other in assets.targets:
                pairs.append((name, other))
    return pairs


def _expression(assets: Assets, person: Person, expression: str, amount: float) -> dict[str, float]:
    """Face units of both sides; everyone makes an expression a little differently."""
    rng = rng_of(person, expression)
    out: dict[str, float] = {}
    for unit, weight in EXPRESSIONS[expression].items():
        own = weight * amount * float(rng.uniform(0.8, 1.2))
        names = [unit] if unit in assets.targets else [unit + "Left", unit + "Right"]
        for name in names:
            out[name] = own * float(rng.uniform(0.93, 1.07))
    return out


def _eye_centres(assets: Assets, base: Floats) -> Floats:
    return np.stack([(base[rows].min(0) + base[rows].max(0)) / 2 for rows in assets.eyes])


def _eye_radius(assets: Assets, base: Floats, eyes: Floats) -> float:
    spread = [
        np.linalg.norm(base[r] - c, axis=1).mean() for r, c in zip(assets.eyes, eyes, strict=True)
    ]
    return float(np.mean(spread))
