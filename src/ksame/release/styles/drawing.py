"""The faces of one photo as they are drawn, each once for each guard that is tried."""

import threading
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.codecs.face import FaceModel
from ksame.release.find import FOUND
from ksame.release.model_faces import load_identity
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.render import LADDER, FaceNumbers, Front, Rendered


class Drawn(NamedTuple):
    """A face before it goes into the photo."""

    numbers: FaceNumbers
    rendered: Rendered
    front: Front | None

    def told(self) -> dict[str, Any]:
        """What the ledger tells of it."""
        front = self.front.as_json() if self.front else None
        return self.numbers.as_json() | {"front": front, "box": list(self.rendered.box)}


@dataclass(frozen=True)
class Drawing:
    """What is drawn into one photo: the parts around its faces, and each face at each guard.

    A photo that is finished again, because some of its faces are guarded more, has the others at
    hand.
    """

    photo: tuple[Any, ...]
    kept: Arrays = field(repr=False)
    parts: dict[int, Any] = field(repr=False)
    measured: dict[tuple[Any, ...], FaceNumbers] = field(default_factory=dict, repr=False)
    rendered: dict[tuple[Any, ...], Rendered] = field(default_factory=dict, repr=False)
    drawn: dict[tuple[Any, ...], Drawn] = field(default_factory=dict, repr=False)

    def face(self, order: PhotoOrder, rgb: Image, face: FaceOrder) -> Drawn:
        """One replaced face of the photo as the order asks for it."""
        from ksame.render import front_mask, measure, render
        from ksame.vision import Landmarks

        assert face.surrogate is not None
        who = face.number, face.surrogate, order.seed
        if (how := (*who, face.guard)) in self.drawn:
            return self.drawn[how]
        model, guard = FaceModel.load(), LADDER[face.guard]
        identity, parts = load_identity(order.store, face.surrogate), self.parts[face.number]
        if who not in self.measured:
            mesh = self.mesh(face.number)
            score = float(self.kept[f"{face.number}/marks_score"])
            marks = Landmarks(mesh[:, :2], mesh[:, 2], score)
            jitter = np.random.default_rng([order.seed, face.number])
            self.measured[who] = measure(model, rgb, marks, identity, jitter, parts)
        numbers = self.measured[who].higher(guard.higher)
        # half of the guards reach as high as the one before, and change what lies in front alone
        if (reach := (*who, guard.higher)) not in self.rendered:
            size = rgb.shape[1], rgb.shape[0]
            self.rendered[reach] = render(model, identity, numbers, size)
        rendered = self.rendered[reach]
        self.drawn[how] = Drawn(numbers, rendered, front_mask(rgb, rendered, parts, guard))
        return self.drawn[how]

    def mesh(self, number: int) -> Floats:
        """A face's landmarks with their depth (478, 3)."""
        return self.kept[f"{number}/landmarks"].astype(np.float64)


# The photo that was last drawn in this thread: another thread may draw another photo meanwhile
_last = threading.local()


def drawing_of(order: PhotoOrder, rgb: Image) -> Drawing:
    """The drawing of a photo: the one that was begun, if it is the same photo."""
    from ksame.vision.glances import glance_at_parts
    from ksame.vision.whole_heads import with_whole_heads

    faces = shown_faces(order)
    numbers = [face.number for face in faces]
    photo = order.sha256, order.found, *numbers
    last: Drawing | None = getattr(_last, "drawing", None)
    if last is None or last.photo != photo:
        _last.drawing = None  # before anything is drawn: two photos' faces are never held at once
        kept = order.store.load(FOUND, order.found)
        points = [kept[f"{n}/landmarks"][:, :2].astype(np.float64) for n in numbers]
        boxes = [np.array(face.box, np.float64) for face in faces]
        parts = with_whole_heads(rgb, boxes, points, glance_at_parts(rgb, points))
        last = Drawing(photo, kept, dict(zip(numbers, parts, strict=True)))
        _last.drawing = last
    return last


def shown_faces(order: PhotoOrder) -> list[FaceOrder]:
    """The faces that are replaced. Small ones are far ones: near ones are laid over them."""
    shown = [face for face in order.faces if face.surrogate is not None]
    return sorted(shown, key=lambda face: face.box[2] - face.box[0])
