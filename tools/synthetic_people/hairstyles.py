"""The named hair styles, as numbers that `hair` grows strands from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """Lengths in decimetres; `comb` names a direction field; `volume` is the pile's height."""

    top: float
    side: float
    back: float
    comb: str
    lift: float = 0.35
    gravity: float = 0.5
    volume: float = 0.10
    stick: float = 0.35
    wave: float = 0.0
    turns: float = 3.0
    curl: float = 0.0
    clump: float = 0.35
    part: float = 0.0
    recede: float = 0.0
    bald: float = 0.0
    count: int = 14000
    frizz: float = 0.012
    forelock: float = 1.0
    over_ears: bool = False


STYLES: dict[str, Style] = {
    "buzz": Style(0.075, 0.05, 0.05, "crown", lift=0.8, volume=0.03, clump=0.0, count=17000),
    "crop": Style(
        0.30, 0.10, 0.12, "crown", lift=0.35, gravity=0.35, volume=0.11, clump=0.3, forelock=0.8
    ),
    "sidepart": Style(
        0.62, 0.17, 0.16, "part", part=0.26, lift=0.6, gravity=0.35, volume=0.16, clump=0.3
    ),
    "quiff": Style(
        0.60, 0.12, 0.14, "back", lift=0.75, stick=0.32, gravity=0.15, volume=0.24, clump=0.4
    ),
    "medium": Style(
        0.85, 0.55, 0.6, "part", part=0.16, lift=0.5, volume=0.18, wave=0.035, over_ears=True
    ),
    "fringe": Style(0.62, 0.22, 0.2, "crown", lift=0.45, gravity=0.4, volume=0.15, forelock=0.75),
    "curlytop": Style(
        0.55,
        0.16,
        0.18,
        "crown",
        lift=1.0,
        stick=0.12,
        count=11000,
        gravity=0.2,
        volume=0.30,
        curl=0.055,
        turns=3.5,
        clump=0.75,
        forelock=0.5,
    ),
    "receding": Style(0.30, 0.13, 0.14, "back", lift=0.5, volume=0.10, recede=1.0, count=11000),
    "balding": Style(
        0.14, 0.15, 0.15, "crown", lift=0.4, volume=0.07, recede=1.0, bald=1.0, count=8000
    ),
    "bald": Style(
        0.03,
        0.025,
        0.025,
        "crown",
        lift=0.7,
        volume=0.01,
        clump=0.0,
        recede=0.6,
        bald=0.8,
        count=5000,
    ),
    "shortafro": Style(
        0.30,
        0.16,
        0.18,
        "up",
        lift=1.5,
        stick=0.0,
        gravity=0.0,
        volume=0.30,
        curl=0.028,
        turns=4.0,
        clump=0.5,
        count=12000,
    ),
    "hightop": Style(
        0.36,
        0.07,
        0.07,
        "up",
        lift=1.5,
        stick=0.0,
        gravity=0.0,
        volume=0.36,
        curl=0.028,
        turns=6.0,
        clump=0.5,
        count=12000,
    ),
    "afro": Style(
        0.72,
        0.66,
        0.62,
        "up",
        lift=1.5,
        stick=0.0,
        gravity=0.02,
        volume=0.75,
        curl=0.04,
        turns=6.0,
        clump=0.5,
        count=12000,
        over_ears=True,
    ),
    "long": Style(
        3.0,
        2.6,
        2.6,
        "part",
        part=0.06,
        lift=0.42,
        gravity=1.0,
        volume=0.14,
        clump=0.3,
        over_ears=True,
    ),
    "longfringe": Style(
        2.9,
        2.6,
        2.6,
        "part",
        lift=0.4,
        gravity=1.0,
        volume=0.14,
        clump=0.3,
        forelock=-0.55,
        over_ears=True,
    ),
    "longwavy": Style(
        2.7,
        2.4,
        2.4,
        "part",
        part=0.22,
        lift=0.6,
        gravity=1.0,
        volume=0.20,
        wave=0.075,
        turns=2.6,
        clump=0.55,
        over_ears=True,
    ),
    "longcurly": Style(
        2.3,
        2.1,
        2.1,
        "part",
        part=0.1,
        lift=0.8,
        stick=0.12,
        count=11000,
        gravity=1.0,
        volume=0.32,
        curl=0.075,
        turns=7.0,
        clump=0.8,
        over_ears=True,
    ),
    "bob": Style(
        1.75,
        1.35,
        1.25,
        "part",
        part=-0.24,
        lift=0.5,
        gravity=1.0,
        volume=0.18,
        clump=0.3,
        over_ears=True,
    ),
    "bobfringe": Style(
        1.7,
        1.3,
        1.25,
        "part",
        lift=0.45,
        gravity=1.0,
        volume=0.18,
        clump=0.3,
        forelock=-0.56,
        over_ears=True,
    ),
    "bun": Style(
        1.0, 0.85, 0.8, "tied", lift=0.16, gravity=0.0, volume=0.05, clump=0.25, frizz=0.008
    ),
    "pixie": Style(
        0.62, 0.34, 0.30, "part", part=-0.28, lift=0.6, gravity=0.4, volume=0.17, clump=0.4
    ),
    "curly": Style(
        1.35,
        1.15,
        1.15,
        "part",
        part=0.12,
        lift=0.9,
        stick=0.12,
        count=11000,
        gravity=0.4,
        volume=0.36,
        curl=0.07,
        turns=5.0,
        clump=0.8,
        over_ears=True,
        forelock=0.7,
    ),
}
