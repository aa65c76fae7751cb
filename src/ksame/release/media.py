"""What a release is made of: photos, clips and media of others, with one contract.

A photo is a medium of one frame. What follows from finding faces (who is who, who shares a face)
does not ask which medium a face was found in, only whether faces are tracks over time (`moves`).
Installed packages offer further media as entry points (`ksame.mediums`), whose pictures stand
still.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast, runtime_checkable

from ksame.plugins import made, names_of, resolve

if TYPE_CHECKING:
    from ksame.release.find import Picture, Search
    from ksame.release.job import Job
    from ksame.release.orders import PhotoOrder
    from ksame.release.write import Written

PHOTO: Final = "photo"
CLIP: Final = "clip"
_HOMES: Final = {
    PHOTO: "ksame.release.photos",
    CLIP: "ksame.release.clips",
}


class Medium(Protocol):
    """Two functions of a module; both give one result for each task, in their order."""

    def find(self, job: "Job", searches: "Sequence[Search]", /) -> "list[Picture]":
        """What is in each picture; a picture that cannot be worked on says why."""
        ...

    def write(self, job: "Job", orders: "Sequence[PhotoOrder]", /) -> "list[Written]":
        """Every picture with its faces replaced, checked, and only then written."""
        ...


@runtime_checkable
class OwnMedium(Medium, Protocol):
    """A medium that another package offers."""

    def holds(self, path: Path, /) -> bool:
        """Whether a file is of this medium."""
        ...


@cache
def _offered() -> dict[str, OwnMedium]:
    """The media that installed packages offer, by name."""
    return {
        name: made("medium", name, resolve("medium", name, {}), OwnMedium)  # type: ignore[type-abstract]
        for name in names_of("medium", {})
        if name not in _HOMES
    }


def medium_named(name: str) -> Medium:
    """The medium of a name; its module is imported when it is first asked for."""
    return cast(Medium, import_module(_HOMES[name])) if name in _HOMES else _offered()[name]


def medium_of(path: Path) -> str:
    """The medium of a file: the first that holds it; a GIF is a clip if it moves."""
    from ksame.media.clips.kinds import is_clip

    for name, medium in _offered().items():
        if medium.holds(path):
            return name
    return CLIP if is_clip(path) else PHOTO


def moves(medium: str) -> bool:
    """Whether the faces of a medium are tracks, seen from frame to frame."""
    return medium == CLIP


def find_by_medium(job: "Job", searches: "Sequence[Search]") -> "list[Picture]":
    """Each search by its medium, the results in the order of the searches."""
    media = [medium_of(search.path) for search in searches]
    found: dict[int, Picture] = {}
    for name in (*_HOMES, *_offered()):
        numbers = [n for n, medium in enumerate(media) if medium == name]
        if numbers:
            pictures = medium_named(name).find(job, [searches[n] for n in numbers])
            found.update(zip(numbers, pictures, strict=True))
    return [found[n] for n in range(len(searches))]


def write_by_medium(job: "Job", orders: "Sequence[PhotoOrder]") -> "list[Written]":
    """Each order by its medium, the results in the order of the orders."""
    written: dict[int, Written] = {}
    for name in (*_HOMES, *_offered()):
        numbers = [n for n, order in enumerate(orders) if order.medium == name]
        if numbers:
            results = medium_named(name).write(job, [orders[n] for n in numbers])
            written.update(zip(numbers, results, strict=True))
    return [written[n] for n in range(len(orders))]


def without_name(message: str, path: Path) -> str:
    """A reason without the file's name, which may be a person's."""
    for name in (str(path), path.name):
        message = message.replace(name, "the file")
    return message
