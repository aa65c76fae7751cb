"""What a user asks of a release, checked once, before anything is read or written."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from ksame.errors import InputError

Mode = Literal["strict", "natural"]


MOST_JOBS = 8  # each takes about 200 MB


def usual_jobs() -> int:
    """As many processes as there are processors to use, at most 8."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(usable or 1, MOST_JOBS)


@dataclass(frozen=True, slots=True)
class Method:
    """How a named method groups people and makes the face that a group shares.

    ``code`` is what people are compared by, ``grouping`` who shares a face, and ``layer`` whether
    donors' faces are brought to one shape before they are averaged (``warped``: no ghosting) or
    not (``plain``). An ad hoc method has no grouping and gives no guarantee.
    """

    name: str
    code: str = ""
    grouping: str = ""
    layer: str = "warped"

    @property
    def guarantees(self) -> bool:
        """Whether the method's surrogates are shared by at least k people."""
        return bool(self.grouping)


K_ANONYMOUS: Mapping[str, Method] = MappingProxyType(
    {
        "pixel": Method("pixel", "pixels", "closest", "plain"),
        "eigen": Method("eigen", "eigen", "closest", "plain"),
        "m": Method("m", "identity", "closest"),
        "select": Method("select", "identity", "closest"),
        "mdav": Method("mdav", "identity", "mdav"),
        "furthest": Method("furthest", "identity", "furthest"),
    }
)
GROUPINGS = ("closest", "mdav", "furthest", "blocks")
COMPOSITES = ("strict", "natural")
FAILURES = ("blackout", "withhold")
DONORS = ("people", "reference")


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what a release looks like.

    Two runs with equal plans, equal seeds and equal photos write the same bytes.
    """

    inputs: tuple[Path, ...]
    out: Path
    k: int = 5
    method: str = "furthest"
    grouping: str | None = None
    persons: str = "auto"
    select: tuple[str, ...] | None = None
    reference: str | None = None
    donors: str = "people"
    composite: Mode = "strict"
    on_failure: str = "blackout"
    allow_faceless: bool = False
    keep_names: bool = False
    with_originals: bool = False
    attack: bool | None = None
    seed: int | None = field(default=None, repr=False)
    max_pixels: int = 100_000_000
    jobs: int = field(default_factory=usual_jobs)

    def __post_init__(self) -> None:
        if not self.inputs:
            raise InputError("no input given; name at least one photo or folder")
        if self.k < 2:
            raise InputError(f"k={self.k} must be at least 2: a face of one person hides nobody")
        _one_of("--method", self.method, method_names())
        _one_of("--composite", self.composite, COMPOSITES)
        _one_of("--on-failure", self.on_failure, FAILURES)
        _one_of("--donors", self.donors, DONORS)
        if self.grouping is not None:
            _one_of("--grouping", self.grouping, GROUPINGS)
        if self.select is None:
            # a face of another skin colour looks pasted, and furthest would look for just that
            chosen = ("tone",) if self.recipe.grouping == "furthest" else ()
            object.__setattr__(self, "select", chosen)
        if self.method == "select" and not self.select:
            raise InputError("--method select needs classes; name them, as in --select gender")
        if self.donors == "reference" and self.reference is None:
            raise InputError("--donors reference needs a set to take them from; add --reference")
        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise InputError("--seed must lie between 0 and 2**63 - 1")
        if self.jobs < 1:
            raise InputError(f"--jobs {self.jobs} must be at least 1")
        if self.max_pixels < 1:
            raise InputError(f"--max-pixels {self.max_pixels} must be at least 1")

    @property
    def recipe(self) -> Method:
        """The method with the grouping that was asked for."""
        method = K_ANONYMOUS.get(self.method, Method(self.method))
        if not method.guarantees or self.grouping is None:
            return method
        return Method(method.name, method.code, self.grouping, method.layer)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that people are grouped inside of."""
        return self.select or ()

    @property
    def needed(self) -> int:
        """How many people a class must have: furthest groups swap faces, so it takes two."""
        return 2 * self.k if self.recipe.grouping == "furthest" else self.k

    @property
    def attacks(self) -> bool:
        """Whether the release is attacked; always in natural mode, whose claim rests on it."""
        return self.composite == "natural" or bool(self.attack)

    @property
    def ledger(self) -> Path:
        """The private file beside OUT that links the release to its originals."""
        return self.out.with_name(self.out.name + ".ledger.json")

    @property
    def work(self) -> Path:
        """The private scratch folder beside OUT; removed when the release is complete."""
        return self.out.with_name(self.out.name + ".work")

    @property
    def private_report(self) -> Path:
        """The report that shows originals, beside OUT because OUT never holds an original."""
        return self.out.with_name(self.out.name + ".report.html")

    def public(self) -> dict[str, object]:
        """The options that the certificate states: none names a person or a place."""
        persons = self.persons if self.persons in ("auto", "folder") else "file"
        reference = {None: "none", "demo": "demo"}.get(self.reference, "folder")
        return {
            "method": self.method,
            "k": self.k,
            "grouping": self.recipe.grouping or "none",
            "composite": self.composite,
            "persons": persons,
            "select": list(self.classes),
            "reference": reference,
            "donors": self.donors,
            "on_failure": self.on_failure,
            "allow_faceless": self.allow_faceless,
            "keep_names": self.keep_names,
        }


def method_names() -> tuple[str, ...]:
    """Every method that a release can be made with, k-anonymous ones first."""
    from ksame.release.adhoc import AD_HOC_NAMES

    return (*K_ANONYMOUS, *AD_HOC_NAMES)


def check_places(plan: Plan) -> None:
    """Refuse a release that would read what it writes.

    Raises
    ------
    InputError
        An input does not exist, or OUT and an input folder lie in one another.
    """
    out = Path(os.path.realpath(plan.out))
    for given in plan.inputs:
        if not given.exists():
            raise InputError(f"input {given} does not exist; check the path")
        real = Path(os.path.realpath(given))
        if real == out:
            raise InputError(f"OUT {plan.out} is an input too; choose another folder for OUT")
        if real.is_dir() and real in out.parents:
            raise InputError(
                f"OUT {plan.out} lies inside the input {given}; a later run would take the "
                "release for originals. Choose a folder outside of it"
            )
        if out in real.parents:
            raise InputError(
                f"input {given} lies inside OUT {plan.out}; OUT holds nothing but the release. "
                "Choose another folder for OUT"
            )


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not among the allowed ones."""
    if value not in allowed:
        raise InputError(f"{option} {value!r} is not known; choose one of {', '.join(allowed)}")
