"""What a release is made of: photos and clips, each a module with one contract.

A photo is a medium of one frame. What follows from finding faces (who is who, who shares a face)
does not ask which medium a face was found in.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ksame.release.find import Picture, Search
    from ksame.release.job import Job
    from ksame.release.orders import PhotoOrder
    from ksame.release.write import Written

_HOMES = {
    "photo": "ksame.release.photos",
    "clip": "ksame.release.clips",
}


class Medium(Protocol):
    """Two functions of a module; both give one result for each task, in their order."""

    def find(self, job: "Job", searches: "Sequence[Search]", /) -> "list[Picture]":
        """What is in each picture; a picture that cannot be worked on says why."""
        ...

    def write(self, job: "Job", orders: "Sequence[PhotoOrder]", /) -> "list[Written]":
        """Every picture with its faces replaced, checked, and only then written."""
        ...


def medium_named(name: str) -> Medium:
    """The medium of a name; its module is imported when it is first asked for."""
    return cast(Medium, import_module(_HOMES[name]))


def medium_of(path: Path) -> str:
    """The medium of a file, by its name; a GIF is a clip if it moves."""
    from ksame.media.clips.kinds import is_clip

    return "clip" if is_clip(path) else "photo"


def find_by_medium(job: "Job", searches: "Sequence[Search]") -> "list[Picture]":
    """Each search by its medium, the results in the order of the searches."""
    media = [medium_of(search.path) for search in searches]
    found: dict[int, Picture] = {}
    for name in _HOMES:
        numbers = [n for n, medium in enumerate(media) if medium == name]
        if numbers:
            pictures = medium_named(name).find(job, [searches[n] for n in numbers])
            found.update(zip(numbers, pictures, strict=True))
    return [found[n] for n in range(len(searches))]


def write_by_medium(job: "Job", orders: "Sequence[PhotoOrder]") -> "list[Written]":
    """Each order by its medium, the results in the order of the orders."""
    written: dict[int, Written] = {}
    for name in _HOMES:
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
