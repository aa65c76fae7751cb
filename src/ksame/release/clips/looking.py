"""The last look at a frame of a clip: what is left of a face is hidden before it is encoded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Bools, Floats, Image
from ksame.faces import Face, Faces
from ksame.release.clips.tally import Tally
from ksame.release.clips.watching import SURE, Watch
from ksame.release.last_look import excused, still_bare

if TYPE_CHECKING:
    from ksame.render import Laid

_ROUNDS: Final = 3  # looks at a finished frame, hiding what is left after each
_COVERED: Final = 0.6  # of the middle of a found face that must be replaced or hidden
_FADES: Final = 20  # part of a fill's sides by which it fades into what is around
_MIDDLE: Final = 0.6  # of a face's box that is its middle: brows, eyes, nose and mouth


@dataclass(frozen=True, slots=True)
class UnfinishedFrame:
    """A frame in the making.

    ``result`` and ``mask``, the pixels that were replaced or hidden, change while it is made;
    ``left`` are the boxes (n, 4) of what stays as it is: no faces, and those who consented.
    ``touched`` are the boxes (xyxy) outside of which no pixel differs from ``before``, ``faces``
    those in which a face was found that another was drawn over, and ``laid`` what was drawn, by the
    number of the track.
    """

    number: int
    before: Image = field(repr=False)
    result: Image = field(repr=False)
    mask: Bools = field(repr=False)
    left: Floats = field(repr=False)
    touched: list[tuple[int, int, int, int]] = field(default_factory=list, repr=False)
    faces: list[list[float]] = field(default_factory=list, repr=False)
    laid: "list[Laid]" = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, number: int, rgb: Image, left: Floats) -> "UnfinishedFrame":
        """A frame of which nothing is changed yet."""
        return cls(number, rgb, np.array(rgb), np.zeros(rgb.shape[:2], bool), left)

    def fill(self, box: Floats, tally: Tally) -> None:
        """Hide what is at a box, and list it.

        As in photos, a drawn face that a fill reaches over lies whole over it, with nothing of the
        frame kept in front of it.
        """
        from ksame.render import filled_box, lay_over_fills

        if tally.task.order.on_failure == "fill":
            self.laid[:] = [one.also_beside([filled_box(box)]) for one in self.laid]
            lay_over_fills(self.result, self.laid)  # fills go by what they lie beside
        self.hidden(tally.fill(self.result, self.number, box))
        lay_over_fills(self.result, self.laid)

    def hidden(self, box: Sequence[float]) -> None:
        """Take notice of a box (xyxy) in which everything was hidden."""
        x0, y0, x1, y1 = (int(side) for side in box)
        self.mask[y0:y1, x0:x1] = True
        across, down = ((x1 - x0) // _FADES, (y1 - y0) // _FADES)
        self.touched.append((x0 - across, y0 - down, x1 + across, y1 + down))

    def replaced(self, box: Sequence[int], pixels: Bools, found: Floats) -> None:
        """Take notice of a box (xyxy) that was drawn in; of its ``pixels`` nothing is left.

        ``found`` is the box of the face that was there.
        """
        self.faces.append(found.tolist())
        x0, y0, x1, y1 = box
        self.mask[y0:y1, x0:x1] |= pixels
        self.touched.append((x0, y0, x1, y1))

    @property
    def changed(self) -> Floats:
        """The box (xyxy) around all that was drawn or hidden; without any, one of no size."""
        boxes = np.array([box for box in self.touched if box[0] < box[2]], np.float64)
        if not len(boxes):
            return np.zeros(4)
        return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])

    def protects(self, face: Face) -> bool:
        """Whether a face that is seen in the finished frame is nobody's.

        The mask alone is no proof, as a listed box is none of a photo: a fill is round, and hides
        half of a face that a wrong ledger lists beside its place. As in photos, points that lie
        before a drawn profile may be bare.
        """
        bare = still_bare(face, self.before, self.result, self.faces)
        return covers(self.mask, face.box) and not bare


def covers(mask: Bools, box: Floats) -> bool:
    """Whether the middle of a found face, brows to mouth, lies on replaced or hidden pixels."""
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2 * _MIDDLE
    limit = (mask.shape[1], mask.shape[0])
    x0, y0 = np.clip(np.floor(middle - half), 0, limit).astype(int)
    x1, y1 = np.clip(np.ceil(middle + half), 0, limit).astype(int)
    part = mask[y0:y1, x0:x1]
    return not part.size or float(part.mean()) >= _COVERED


def look(made: UnfinishedFrame, watch: Watch, fresh: bool, tally: Tally) -> bool:
    """Look at a finished frame, and hide what is not protected, until nothing is.

    False where the clip must be withheld.
    """
    order = tally.task.order
    for turn in range(_ROUNDS):
        # the watch counts frames; later rounds are careful ones
        looking = Watch((), order.detector) if turn else watch
        found = looking.look(made.result, fresh and not turn, None if turn else made.changed)
        seen = _certain(found, looking.asks, made)
        stay = excused(seen, made.left)
        safe = [stays or made.protects(face) for face, stays in zip(seen, stay, strict=True)]
        left = [face for face, is_safe in zip(seen, safe, strict=True) if not is_safe]
        tally.faces = [face for face, is_safe in zip(seen, safe, strict=True) if is_safe]
        if not left:
            return True
        tally.surprised |= not turn and any(watch.missed(face) for face in left)
        if order.on_failure == "withhold":
            return False
        for face in left:
            made.fill(face.box, tally)
    return False


def _certain(faces: Faces, asks: bool, made: UnfinishedFrame) -> list[Face]:
    """The faces of which the detector is sure, and, if one ``asks``, those that another sees too.

    A faint one on the mask is a drawn face, and nobody is asked: its five points are guesses, which
    tell nothing of what shows between them.
    """
    from ksame.vision.faint import confirmed

    if not asks:
        return [face for face in faces if face.score >= SURE]
    open_ones = [f.score >= SURE or not covers(made.mask, f.box) for f in faces]
    return list(confirmed(made.result, faces[np.flatnonzero(open_ones)], SURE))
