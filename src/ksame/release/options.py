"""What may be asked of a release: the options by name, and the values that they take."""

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import index
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

from ksame.errors import InputError
from ksame.methods.recipes import RECIPES, Recipe, recipe_of
from ksame.plugins import names_of

if TYPE_CHECKING:
    from ksame.vault import Lock

MOST_JOBS: Final = 8  # each takes about 200 MB
COMPOSITES: Final = ("natural", "strict")
FAILURES: Final = ("fill", "blackout", "withhold")
VIDEO_CODECS: Final = ("h264", "hevc")
AUDIO: Final = ("drop", "keep", "mask")
DONORS: Final = ("model", "people", "reference")
LOOKS: Final = ("gender", "age_band", "tone")  # the classes of people that a model face suits
YUNET: Final = "yunet"  # the detector that always looks
NOBODY: Final = "nobody"  # as a reference: people of the model, who are not shown
NUMBERS: Final = ("k", "seed", "per_person", "max_pixels", "jobs")  # whole ones, of any kind


class Options(TypedDict, total=False):
    """What may be asked of a release besides inputs, folder and k; see `Plan`."""

    method: str
    grouping: str | None
    persons: str | Path
    select: str | Sequence[str] | None
    reference: str | Path | None
    donors: str
    composite: str
    on_failure: str
    force: bool
    allow_faceless: bool
    keep_names: bool
    per_person: int | None
    with_originals: bool
    audio: str
    video_codec: str
    attack: bool | None
    seed: int | None
    detector: str
    max_pixels: int
    jobs: int
    cluster: str | None
    continues: str | Path | None
    vault: "str | Path | Lock | Sequence[Lock]"


def usual_jobs() -> int:
    """As many processes as there are processors to use, at most 8."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(usable or 1, MOST_JOBS)


def method_names() -> tuple[str, ...]:
    """Every method that a release can be made with, k-anonymous ones first."""
    from ksame.methods.adhoc import AD_HOC

    return (*names_of("method", RECIPES), *AD_HOC)


@lru_cache(maxsize=64)
def recipe_named(method: str, grouping: str | None) -> Recipe | None:
    """The k-Same method of a name with the grouping that was asked for; None for an ad hoc one.

    Raises
    ------
    InputError
        No method or grouping has that name.
    """
    from ksame.methods.adhoc import AD_HOC

    if method in AD_HOC:
        return None
    if ":" not in method:
        one_of("method", method, method_names())
    return recipe_of(method).grouped_by(grouping)


def detector_named(name: str) -> None:
    """Refuse a detector that nobody has.

    Raises
    ------
    InputError
        No detector has that name.
    """
    if name != YUNET:
        from ksame.vision import detector

        detector(name)


def one_of(option: str, value: str, allowed: Iterable[str]) -> None:
    """Refuse a value that is not among the allowed ones."""
    if value not in (names := tuple(allowed)):
        raise InputError(f"{option}={value!r} is not known; choose one of {', '.join(names)}")


def whole(option: str, value: Any) -> int | None:
    """A whole number as Python's own, whatever kind of integer it is; None stays.

    Raises
    ------
    InputError
        It is no whole number.
    """
    if value is None and option in ("seed", "per_person"):
        return None
    try:
        return index(value)
    except TypeError:
        raise InputError(f"{option}={value!r} must be a whole number; pass an int") from None


def input_paths(given: Any) -> tuple[Path, ...]:
    """The inputs as paths: one, or several of any iterable.

    Raises
    ------
    InputError
        Something among them is no path.
    """
    try:
        return tuple(map(Path, (given,) if isinstance(given, str | PathLike) else given))
    except TypeError:
        raise InputError(
            "inputs must be a path or several: str or pathlib.Path; pass photos or folders"
        ) from None
