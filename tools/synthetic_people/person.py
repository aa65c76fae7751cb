"""Traits of a person who does not exist, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Colour = tuple[float, float, float]

AGE_BANDS = ((18, 29), (30, 44), (45, 59), (60, 75))
# linear albedo of skin from the lightest to the darkest
TONES = np.array(
    [
        (0.67, 0.45, 0.355),
        (0.62, 0.40, 0.30),
        (0.54, 0.335, 0.237),
        (0.44, 0.262, 0.176),
        (0.30, 0.170, 0.108),
        (0.20, 0.107, 0.064),
        (0.145, 0.075, 0.045),
    ]
)
TONE_RANGE = {"caucasian": (0.0, 2.4), "asian": (1.0, 3.0), "african": (3.3, 5.8)}
HAIR_COLOURS: dict[str, Colour] = {
    "black": (0.014, 0.011, 0.010),
    "darkbrown": (0.040, 0.023, 0.014),
    "brown": (0.090, 0.050, 0.027),
    "auburn": (0.145, 0.052, 0.021),
    "red": (0.26, 0.092, 0.030),
    "blond": (0.33, 0.215, 0.100),
    "darkblond": (0.18, 0.110, 0.054),
    "grey": (0.27, 0.265, 0.26),
    "white": (0.56, 0.55, 0.53),
}
HAIR_OF = {
    "caucasian": (
        ("darkbrown", "brown", "auburn", "red", "blond", "darkblond", "black"),
        (0.24, 0.24, 0.09, 0.09, 0.14, 0.14, 0.06),
    ),
    "asian": (("black", "darkbrown"), (0.75, 0.25)),
    "african": (("black", "darkbrown"), (0.8, 0.2)),
}
EYE_COLOURS: dict[str, Colour] = {
    "brown": (0.105, 0.050, 0.022),
    "darkbrown": (0.045, 0.022, 0.012),
    "hazel": (0.19, 0.125, 0.045),
    "green": (0.135, 0.155, 0.085),
    "blue": (0.13, 0.19, 0.26),
    "grey": (0.22, 0.27, 0.30),
}
MALE_STYLES = {
    "caucasian": ("crop", "sidepart", "quiff", "buzz", "receding", "medium", "curlytop"),
    "asian": ("crop", "sidepart", "quiff", "fringe", "medium", "buzz"),
    "african": ("buzz", "shortafro", "shortafro", "hightop", "bald", "buzz"),
}
FEMALE_STYLES = {
    "caucasian": ("long", "longwavy", "bob", "bobfringe", "bun", "pixie", "curly"),
    "asian": ("long", "bobfringe", "bob", "longfringe", "bun", "longwavy"),
    "african": ("afro", "curly", "bun", "longwavy", "shortafro", "longcurly"),
}
SHIRTS: tuple[Colour, ...] = (
    (0.028, 0.045, 0.105),
    (0.62, 0.62, 0.60),
    (0.055, 0.058, 0.064),
    (0.29, 0.045, 0.050),
    (0.050, 0.145, 0.125),
    (0.30, 0.37, 0.46),
    (0.40, 0.31, 0.21),
    (0.135, 0.080, 0.150),
    (0.105, 0.130, 0.075),
    (0.46, 0.22, 0.13),
    (0.17, 0.26, 0.43),
    (0.55, 0.42, 0.42),
)


@dataclass(frozen=True)
class Person:
    """One invented person; every random detail of the looks comes from `seed`."""

    name: str
    seed: int
    gender: str
    age: int
    heritage: str
    skin: Colour
    freckles: float
    ruddy: float
    hair_style: str
    hair_colour: Colour
    hair_grey: float
    beard: str
    eye_colour: Colour
    shirt: Colour
    neckline: str
    morphs: dict[str, float]

    @property
    def age_band(self) -> str:
        """The band that `people.csv` states."""
        return next(f"{lo}-{hi}" for lo, hi in AGE_BANDS if lo <= self.age <= hi)

    @property
    def oldness(self) -> float:
        """0 at 25 years and younger, 1 at 80."""
        return float(np.clip((self.age - 25) / 55, 0, 1))


def make_people(count: int, seed: int) -> list[Person]:
    """`count` people, half of each gender, with heritages and age bands spread evenly."""
    rng = np.random.default_rng(seed)
    heritages = ("caucasian", "african", "asian", "caucasian", "asian", "african", "caucasian")
    people = []
    for i in range(count):
        gender = "female" if i % 2 == 0 else "male"
        heritage = heritages[(i // 2) % len(heritages)]
        lo, hi = AGE_BANDS[(i // 2 + i // 14) % 4]
        people.append(_make_person(i, gender, heritage, int(rng.integers(lo, hi + 1)), rng))
    return people


def _make_person(
    index: int, gender: str, heritage: str, age: int, rng: np.random.Generator
) -> Person:
    tone = rng.uniform(*TONE_RANGE[heritage])
    names, odds = HAIR_OF[heritage]
    hair = str(rng.choice(names, p=np.array(odds) / sum(odds)))
    if hair in ("red", "blond"):
        tone = min(tone, 1.2)
    grey = _greyness(age, gender, rng)
    # a cycle and not a draw, so that neighbours on the contact sheet differ
    styles = (FEMALE_STYLES if gender == "female" else MALE_STYLES)[heritage]
    style = styles[(index // 2 + index // 14) % len(styles)]
    if gender == "male" and age > 50 and rng.random() < 0.35:
        style = str(rng.choice(["receding", "balding", "bald"]))
    light_eyes = ("blue", "grey", "green", "hazel", "brown", "brown")
    dark_eyes = ("darkbrown", "darkbrown", "brown")
    eyes = str(rng.choice(light_eyes if heritage == "caucasian" else dark_eyes))
    return Person(
        name=f"p{index:03d}",
        seed=int(rng.integers(2**31)),
        gender=gender,
        age=age,
        heritage=heritage,
        skin=_skin_colour(tone, rng),
        freckles=float(rng.uniform(0.5, 1.0)) if hair in ("red", "auburn") else 0.0,
        ruddy=float(rng.uniform(0.3, 1.0)),
        hair_style=style,
        hair_colour=HAIR_COLOURS[hair],
        hair_grey=grey,
        beard=_beard(gender, heritage, rng),
        eye_colour=EYE_COLOURS[eyes],
        shirt=SHIRTS[int(rng.integers(len(SHIRTS)))],
        neckline=str(rng.choice(["crew", "crew", "vee", "shirt", "scoop"])),
        morphs=_morphs(gender, heritage, age, rng),
    )


def _skin_colour(tone: float, rng: np.random.Generator) -> Colour:
    """Interpolate the tone scale and shift its warmth a little."""
    r, g, b = (float(np.interp(tone, np.arange(len(TONES)), TONES[:, c])) for c in range(3))
    warmth = rng.normal(0, 0.03)
    return r * (1 + warmth / 2), g, b * (1 - warmth)


def _greyness(age: int, gender: str, rng: np.random.Generator) -> float:
    if gender == "female" and rng.random() < 0.45:
        return 0.0  # dyed
    return float(np.clip((age - 42 + rng.normal(0, 7)) / 26, 0, 1))


def _beard(gender: str, heritage: str, rng: np.random.Generator) -> str:
    if gender == "female":
        return "none"
    full = 0.22 if heritage != "asian" else 0.08
    odds = (0.32, 0.34, full, 0.12, 0.34 - full)
    kinds = ("none", "stubble", "full", "goatee", "short")
    return str(rng.choice(kinds, p=np.array(odds) / sum(odds)))


def _morphs(gender: str, heritage: str, age: int, rng: np.random.Generator) -> dict[str, float]:
    """Weights of the macro targets of MakeHuman's scheme; details are drawn in `shape`."""
    old = float(np.clip((age - 25) / 65, 0, 1))
    weight = float(np.clip(rng.normal(0.0, 0.45), -0.8, 0.9))
    muscle = float(np.clip(rng.normal(0.05 if gender == "male" else -0.1, 0.3), -0.6, 0.6))
    other = str(rng.choice([h for h in TONE_RANGE if h != heritage]))
    mix = float(rng.uniform(0.0, 0.25))
    out: dict[str, float] = {}
    for stage, share in (("young", 1 - old), ("old", old)):
        for name, part in ((heritage, 1 - mix), (other, mix)):
            out[f"{name}-{gender}-{stage}"] = share * part
        for m_name, m in _thirds(muscle, "muscle"):
            for w_name, w in _thirds(weight, "weight"):
                out[f"universal-{gender}-{stage}-{m_name}-{w_name}"] = share * m * w
    return {name: value for name, value in out.items() if value > 0.01}


def _thirds(value: float, noun: str) -> list[tuple[str, float]]:
    """Weights of min, average and max for a value in [-1, 1]."""
    return [
        (f"min{noun}", max(-value, 0.0)),
        (f"average{noun}", 1 - abs(value)),
        (f"max{noun}", max(value, 0.0)),
    ]


def rng_of(person: Person, purpose: str) -> np.random.Generator:
    """A stream of its own for each purpose, so that a change of one detail leaves the others."""
    return np.random.default_rng([person.seed, *purpose.encode()])


def grey_mix(person: Person, amounts: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Hair colour of strands whose own greyness draw is `amounts` in [0, 1]."""
    base = np.array(person.hair_colour)
    target = np.array(HAIR_COLOURS["white" if person.hair_grey > 0.85 else "grey"])
    is_grey = np.clip((person.hair_grey * 1.2 - amounts) * 8, 0, 1)[:, None]
    return (base * (1 - is_grey) + target * is_grey).astype(np.float32)
