"""Model faces in a photo: each is drawn again from its numbers and compared with what is shown."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32, Image
from ksame.codecs.face import FaceModel
from ksame.verification.documents import Face
from ksame.verification.drawn import Drawn, draw
from ksame.verification.filled import covered_by
from ksame.verification.grid import Grid
from ksame.verification.mesh import BROWS_AND_EYES, LANDMARKS, NOSE_AND_MOUTH, Posed, pose
from ksame.verification.reading import Malformed, count, entry, items
from ksame.verification.steps import GRAIN, FaceSteps, read_steps
from ksame.verification.veils import Front, read_front

Codes = Mapping[int, Sequence[float]]

# Sigma of the means that are compared: pixels of the photo (grain and JPEG move single pixels by
# more), and a share of the face's half width (two drawings of a nostril differ in its edges)
SMOOTHING, SMOOTHING_OF_FACE = 3.0, 0.1
SPARE = 2.0  # pixels of the photo that resampling and colour's coarser samples mix
# How far a face may differ from its drawing, in levels of 255, in the mean and in the worst place.
# The second figure, divided by the face's half width in pixels, is added for small faces; so is
# what the face's own grain leaves after smoothing. Over 741 faces of 119 photographs the faces used
# 71% of what is allowed in the mean at most and 79% in the worst place, half of them less than 35%
# and 18%. Of forged faces of 30 px of half width and more (107 of each kind) all were refused with
# the original, another group's face, four steps of place, six of turn, three of light, five of the
# jaw, or a fifth of the original mixed in; 97% with a tenth, 98% with one original eye. From 15 to
# 30 px: the original and another's face all, a tenth 69%, an eye 90%. Below: all, and 87%.
MEAN_TOLERANCE, MEAN_OF_SMALL = 0.35, 9.0
TINY = 9.0  # px of half width: over it, cubed, a mean of these few pixels is added besides
WORST_TOLERANCE, WORST_OF_SMALL = 8.0, 120.0
# What coding a clip adds: half a step of the quantiser (14 levels at QP 27, the coarsest of a rate
# factor of 18) in the mean of an 8 x 8 block, 0.9 levels, and 1.77 times that in blue
CODED = 0.9 * (1 + 1.77)
FEW_CELLS = 12.0  # a mean of so few cells may differ by twice as much
GRAIN_WIDTHS = 0.5, 1.6  # px (sigma) of fine and coarse grain
FEATHER = 0.25  # of a face's half width: how far a face at most fades into what lies around it
MARGIN = 0.6  # of the half width: what a face's box holds around it at most, and 8 px
LEAST_COVERED = 0.25  # of a detected face's box by its model face
MOST_OPEN = 0.4  # of a face's region through which the photo may be seen; 0.20 was the most
CORE_SPARE = 2.0  # cells of the bitmap by which brows, eyes, nose and mouth are rounded


@dataclass(frozen=True, slots=True)
class Shown:
    """One model face as the ledger says that it is shown; ``box`` is where it may change pixels."""

    face: Face = field(repr=False)
    code: Floats32 = field(repr=False)
    steps: FaceSteps = field(repr=False)
    front: Front | None = field(repr=False)
    box: tuple[int, ...]
    posed: Posed = field(repr=False)

    @property
    def width(self) -> float:
        """What decides about the order: smaller faces are further away and are laid first."""
        return self.face.box[2] - self.face.box[0]


@dataclass(frozen=True, slots=True)
class Apart:
    """How far a face is from its drawing, in levels of 255, over so many cells that are seen."""

    mean: float
    worst: float
    cells: int


def check_model_faces(
    photo: Image,
    faces: Sequence[Face],
    codes: Codes,
    filled: bool,
    whole: list[Callable[[Grid], Bools]] | None = None,
) -> Iterator[str]:
    """Every face of a photo that a group of the model has; ``filled`` tells ovals from boxes.

    ``whole`` gets, for each face that is its drawing also where an oval is, what tells its cells.
    """
    model = FaceModel.load()
    shown: list[Shown] = []
    astray: list[Shown] = []
    for face in faces:
        if face.group is None:
            continue
        try:
            found = read_shown(model, face, codes.get(face.group, ()))
        except Malformed as error:
            yield f"{error}"
            continue
        shown.append(found)
        if wrong := _misplaced(found, photo.shape):
            yield wrong
            astray.append(found)
    hidden = [face for face in faces if face.hidden is not None]
    for one in shown:
        if any(one is other for other in astray):
            continue
        grid = Grid.over(one.box)
        drawn = draw(model, one.code, one.steps, one.posed, grid)
        if wrong := _too_open(one, drawn, grid):
            yield wrong
        apart = compare(photo, one, drawn, grid, shown, (), filled)
        if hidden and not _lies_over_fills(apart, one, visible(grid, drawn, one, ())):
            apart = compare(photo, one, drawn, grid, shown, hidden, filled)
        elif whole is not None:
            whole.append(partial(_covered, one))
        if apart is not None:
            yield from _judge(apart, one)


def _lies_over_fills(apart: Apart | None, shown: Shown, alone: Bools) -> bool:
    """Whether a face is its drawing everywhere, with nothing of the photo kept in front of it.

    So is one of which nearer faces leave a sliver, too thin to be compared or to show anybody;
    ``alone`` are the cells that would be seen without them.
    """
    kept = shown.front is not None and bool(shown.front.kept.any())
    judged = bool(alone.any()) if apart is None else not any(_judge(apart, shown))
    return judged and not kept


def _covered(shown: Shown, grid: Grid) -> Bools:
    """The cells of a grid that a face reaches."""
    reach = FEATHER * shown.posed.half + SPARE
    x0, y0, x1, y1 = shown.box
    more = math.ceil(reach + grid.cell) + 2  # its drawing may end beside its box by a pixel
    if not _meet((x0 - more, y0 - more, x1 + more, y1 + more), grid.box):
        return np.zeros((grid.rows, grid.columns), bool)
    return _grown(_extent(shown.posed, grid), reach / grid.cell)


def read_shown(model: FaceModel, face: Face, code: Sequence[float]) -> Shown:
    """One face of the ledger, posed.

    Raises
    ------
    Malformed
        Its numbers or its group's code are not what they may be.
    """
    told = face.numbers or {}
    steps = read_steps(told, face.fine)
    if len(steps.expression) != model.expression_size:
        raise Malformed(f"a face has not {model.expression_size} expression weights")
    box = items(entry(told, "box", "a face's numbers"), "box", count)
    if len(box) != 4:
        raise Malformed("a face's box has not four sides")
    identity = np.array(code, np.float32)
    if identity.shape != (model.identity_size,):
        raise Malformed("a face is of a group whose code is not of the model's size")
    front = read_front(told.get("front"))
    return Shown(face, identity, steps, front, box, pose(model, identity, steps))


def _misplaced(shown: Shown, shape: tuple[int, ...]) -> str | None:
    """Why a face is not where it should be, or None."""
    limit = np.array([shape[1], shape[0]])
    posed, (x0, y0, x1, y1) = shown.posed, shown.box
    points = np.concatenate([posed.region, posed.points[:LANDMARKS]])
    low, high = np.clip(points.min(axis=0), 0, limit), np.clip(points.max(axis=0), 0, limit)
    more = MARGIN * posed.half + 8
    if not (x0 < x1 <= limit[0] and y0 < y1 <= limit[1]):
        return "a face's box is not inside of the photo"
    inside = x0 <= low[0] + 1 and y0 <= low[1] + 1 and x1 >= high[0] - 1 and y1 >= high[1] - 1
    tight = low[0] - x0 <= more and low[1] - y0 <= more
    tight = tight and x1 - high[0] <= more and y1 - high[1] <= more
    if not (inside and tight):
        return "a face's box is not the one around its drawing"
    a, b = np.clip(shown.face.box[:2], 0, limit)
    c, d = np.clip(shown.face.box[2:], 0, limit)
    detected = (math.floor(a), math.floor(b), math.ceil(c), math.ceil(d))
    if detected[0] >= detected[2] or detected[1] >= detected[3]:
        return "a face lies outside of the photo"
    if _extent(posed, Grid.over(detected)).mean() < LEAST_COVERED:
        return "a model face does not lie where the face was"
    return None


def _too_open(shown: Shown, drawn: Drawn, grid: Grid) -> str | None:
    """Why too much of the photo passes through what lies in front, or None."""
    if shown.front is None:
        return None
    rows, columns = shown.front.kept.shape
    cells = Grid(shown.box, columns, rows)
    for part in (BROWS_AND_EYES, NOSE_AND_MOUTH):
        core = _shrunk(cells.polygon(shown.posed.hull(part)), CORE_SPARE)
        if (shown.front.kept & core).any():
            return "the photo passes where brows, eyes, nose or mouth are"
    share = float(shown.front.open(grid.size)[drawn.solid].mean()) if drawn.solid.any() else 0.0
    if share > MOST_OPEN:
        return f"the photo passes through {share:.0%} of a face; {MOST_OPEN:.0%} are allowed"
    return None


def compare(
    photo: Image,
    shown: Shown,
    drawn: Drawn,
    grid: Grid,
    others: Sequence[Shown],
    hidden: Sequence[Face],
    filled: bool,
) -> Apart | None:
    """A drawn face beside the photo; None where nothing of it can be seen."""
    seen = visible(grid, drawn, shown, others)
    for face in hidden:
        seen &= ~covered_by(face, filled, grid, SPARE)
    if not seen.any():
        return None
    x0, y0, x1, y1 = shown.box
    part = photo[y0:y1, x0:x1].astype(np.float32)
    cells = cv2.resize(part, grid.size, interpolation=cv2.INTER_AREA)
    expected = drawn.colours
    if shown.front is not None:
        expected = shown.front.over(expected, drawn.folds)
    apart = np.abs(_smoothed(cells - expected, seen, sigma_of(shown) / grid.cell)[seen])
    return Apart(float(apart.mean()), float(apart.max()), len(apart))


def sigma_of(shown: Shown) -> float:
    """Over how many pixels of the photo a face is compared."""
    return max(SMOOTHING, SMOOTHING_OF_FACE * shown.posed.half)


def allowed(apart: Apart, shown: Shown) -> tuple[float, float]:
    """How far a face may differ in the mean and in the worst place."""
    sigma, half = sigma_of(shown), shown.posed.half
    grains = zip(shown.steps.grain, GRAIN_WIDTHS, strict=False)
    left = [amount * GRAIN * width / math.hypot(width, sigma) for amount, width in grains]
    grain = 0.8 * math.hypot(*left)  # a mean of absolute values, not a standard deviation
    small = MEAN_OF_SMALL / half + (TINY / half) ** 3
    coded = CODED if shown.face.fine > 1 else 0.0
    mean = (MEAN_TOLERANCE + small + grain + coded) * (1 + FEW_CELLS / apart.cells)
    return mean, WORST_TOLERANCE + WORST_OF_SMALL / half + 5 * grain + 5 * coded


def _judge(apart: Apart, shown: Shown) -> Iterator[str]:
    mean, worst = allowed(apart, shown)
    if apart.mean > mean or apart.worst > worst:
        yield (
            f"a face differs from the one that its group's code and its numbers give by "
            f"{apart.mean:.1f} levels in the mean and {apart.worst:.0f} in one place; "
            f"{mean:.1f} and {worst:.0f} are allowed"
        )


def visible(grid: Grid, drawn: Drawn, shown: Shown, others: Sequence[Shown]) -> Bools:
    """The cells that show this face alone: whole, nothing in front, no larger face over them."""
    seen = _shrunk(drawn.solid, SPARE / grid.cell)
    if shown.front is not None:
        seen &= ~_grown(shown.front.open(grid.size) > 0.02, SPARE / grid.cell)
    for other in others:
        later = other is not shown and other.width >= shown.width
        if later and _meet(other.box, shown.box):
            reach = FEATHER * other.posed.half + SPARE
            seen &= ~_grown(_extent(other.posed, grid), reach / grid.cell)
    return seen


def _extent(posed: Posed, grid: Grid) -> Bools:
    """The cells that a face may cover whole."""
    return grid.polygon(posed.region) | grid.polygon(posed.hull(tuple(range(LANDMARKS))))


def _meet(one: Sequence[int], two: Sequence[int]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _grown(cells: Bools, by: float) -> Bools:
    """The cells no further than ``by`` from one of the region."""
    if not cells.any():
        return cells
    return np.asarray(cv2.distanceTransform((~cells).astype(np.uint8), cv2.DIST_L2, 3) <= by)


def _shrunk(cells: Bools, by: float) -> Bools:
    """The cells further than ``by``, and than one cell, from any that is not of the region."""
    framed = np.pad(cells, 1, constant_values=True).astype(np.uint8)
    far = cv2.distanceTransform(framed, cv2.DIST_L2, 3)[1:-1, 1:-1]
    return np.asarray(cells & (far > max(by, 1.0)))


def _smoothed(values: Floats32, seen: Bools, sigma: float) -> Floats32:
    """Means over the cells that are seen, weighted by distance."""

    def smooth(cells: Floats32) -> Floats32:
        found: Floats32 = cv2.GaussianBlur(cells, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
        return found

    weight = smooth(seen.astype(np.float32))
    means = smooth(np.where(seen[..., None], values, np.float32(0)))
    return np.asarray(means / np.maximum(weight, np.float32(1e-6))[..., None], np.float32)
