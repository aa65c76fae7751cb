"""What a style must do at each stage of a release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Faces
from ksame.states import State

if TYPE_CHECKING:
    from ksame.release.find import Album, Spot
    from ksame.release.job import Job
    from ksame.release.orders import PhotoOrder
    from ksame.release.share import Group, SharedFace
    from ksame.render import Laid
    from ksame.vision import Face


Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class FaceWritten:
    """What became of one face of a written photo, as the ledger tells it.

    Attributes
    ----------
    placement : (2, 3) numbers, optional
        The similarity from the photo to the head frame, where a head was laid.
    state : State, optional
        The look of the surrogate that is shown.
    hidden : xyxy, optional
        The box that is black or filled, where the face was not replaced.
    numbers : mapping, optional
        Everything of the person that entered the face region, where a model face was rendered.
    """

    placement: tuple[tuple[float, ...], ...] | None = None
    state: State | None = None
    hidden: Box | None = None
    numbers: Mapping[str, Any] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "FaceWritten":
        """A face as a ledger, or the note of a written photo, lists it."""
        placement, state, hidden = entry["placement"], entry["state"], entry["hidden"]
        return cls(
            placement=None if placement is None else tuple(tuple(row) for row in placement),
            state=None if state is None else State(state),
            hidden=None if hidden is None else tuple(hidden),
            numbers=entry["numbers"],
        )


@dataclass(frozen=True, slots=True)
class Protected:
    """A photo whose faces are all replaced, filled or black.

    ``faces`` is parallel to the order's; ``regions`` are the boxes (xyxy) in which a detector may
    find a face, because what it sees there is a surrogate, or no face at all. ``ignored`` are those
    of them that were left as they are, because several models took them for no face. ``laid`` are
    model faces in the order in which they were put in, for fills that are found necessary later.
    """

    rgb: Image = field(repr=False)
    faces: tuple[FaceWritten, ...]
    regions: Sequence[Sequence[float]]
    ignored: tuple[tuple[float, ...], ...] = ()
    laid: "tuple[Laid, ...]" = field(default=(), repr=False)


class Style(Protocol):
    """Functions of a module."""

    def keep(
        self, rgb: Image, found: "Sequence[Face]", attributes: Sequence[str], /
    ) -> tuple[Faces, Arrays]:
        """What later stages need of the faces of one photo; arrays are named ``number/name``."""
        ...

    def check_scenes(self, job: "Job", album: "Album", /) -> None:
        """Raise `InputError` where the photos cannot carry the style."""
        ...

    def codes(
        self, job: "Job", album: "Album", faces: "Mapping[str, Sequence[Spot]]", /
    ) -> dict[str, Floats]:
        """One vector per person, by which people are grouped."""
        ...

    def told(self, job: "Job", album: "Album", spots: "Sequence[Spot]", /) -> Mapping[str, str]:
        """Classes that all photos of a person tell together; the others are voted on, by photo."""
        ...

    def tones(
        self, job: "Job", album: "Album", faces: "Mapping[str, Sequence[Spot]]", /
    ) -> dict[str, float]:
        """How light everybody's skin is, in logarithms."""
        ...

    def make(
        self,
        job: "Job",
        album: "Album",
        faces: "Mapping[str, Sequence[Spot]]",
        groups: "Sequence[Group]",
        /,
    ) -> "list[SharedFace]":
        """The face of each group, made once and kept in the store."""
        ...

    def protect(self, order: "PhotoOrder", rgb: Image, /) -> Protected:
        """The photo with every face replaced, filled or black."""
        ...
