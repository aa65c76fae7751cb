"""A head that is turned far is posed by its silhouette: skin before hair, clothes and background.

Landmarks of profiles are turned too little and lie beside the face, and a detector's five points
do not tell fifty degrees from ninety. What tells it is the line from forehead to chin. So the face
is turned, moved and brought to a size until it covers the skin that a network of parts sees, and
no more than it, while eyes, nose and mouth stay near the detector's points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Ints32
from ksame.faces import Face
from ksame.render.anatomy import OUTLINE, FaceModel
from ksame.render.own_skin import OWN, cost_of_covering, skin_of_face
from ksame.render.posing import fit_matrix, rotation, size_of
from ksame.render.rough import FIVE, average_shape
from ksame.vision.landmarks import Landmarks
from ksame.vision.parts import Parts

GRID = 64  # cells of the square around a face in which silhouettes are compared
_down, _across = np.ogrid[:GRID, :GRID]
_REACH = 0.95  # half side of that square, of the detected face's size
# turned less than this landmarks are right, and five points tell a pose as well as anything
LEAST_TURN, LEAST_TURN_SURE = np.radians(37.0), np.radians(45.0)
SURE = 0.5  # landmarks' score: below it they tell where the face is and nothing of its expression
_FURTHEST = np.radians(85.0)
_SIZES = -0.2, 0.2  # logarithms of the size that five points tell
# yaw that is to be expected: who has no landmarks is in profile, others fall a little short
_PROFILE, _SHORT, _SPREAD = np.radians(75.0), 1.1, np.radians(30.0)
_BEYOND_BOX = 0.12  # of the face's size: skin further out is the neck's or somebody else's
# skin that is left uncovered: before the face a second nose, behind it cheek and ear
_LEAST_BARE, _BARE_SLOPE, _BARE_MIDDLE = 0.15, 2.5, 0.8
_HUBER = 0.08  # of the face's height: detected points are as exact as this
_FAR_SIDE = 0.7  # by which eye and mouth corner that are turned away count less
_FACE_AREA = 0.6  # of the squared height, which a cost is measured by
_POINTS, _POINTS_LOST = 1.0, 0.2  # weight of the detected points, and where they must be wrong
_LEAST_OF_BOX, _SMALL = 0.34, 2.0  # of the detected box: a face that covers less is astray
# radians, logarithm of size, heights; how often they are halved, and taken before that
_STEPS, _HALVED, _TIMES = (0.2, 0.15, 0.15, 0.1, 0.08, 0.08), 5, 4
# the share of a face that is amiss from which other poses are tried, of it, and heights: what
# another pose must have
_LOST, _BETTER, _NEAR = 0.25, 0.7, 0.45
# what a pose is believed with: skin over the face's area, share amiss before and after
_LEAST_SKIN, _MOST_SKIN, _ASTRAY, _WORST = 0.5, 2.8, 0.85, 0.36
# the line of the profile, the nose's wings, cheeks, mouth and brows: few, for each is laid often
_PROFILE_POINTS = (
    9, 168, 6, 195, 4, 94, 2, 0, 17, 18, 200, 129, 358, 50, 280, 61, 291, 70, 105, 300, 334,
)  # fmt: skip
_CHOSEN = (*OUTLINE[::2], *_PROFILE_POINTS)


def turn_of(model: FaceModel, marks: Landmarks) -> tuple[float, float]:
    """The yaw and roll of landmarks in radians."""
    shape = average_shape(model).astype(np.float32)
    yaw, _, roll = _angles(rotation(fit_matrix(shape, marks.points)))
    return yaw, roll


def turned_far(yaw: float, score: float) -> bool:
    """Whether landmarks of this yaw and score are better posed by the silhouette."""
    return bool(abs(yaw) > (LEAST_TURN_SURE if score >= SURE else LEAST_TURN))


def posed_by_silhouette(model: FaceModel, marks: Landmarks, face: Face, parts: Parts) -> Landmarks:
    """The landmarks, turned and moved as one thing until they cover the skin that is seen.

    Where their model is not sure they become the average face's, with score 0. What does not fit
    better, or not well enough, stays as it was.
    """
    fit = _Fit.of(model, marks, face, parts)
    if not _LEAST_SKIN < fit.seen < _MOST_SKIN or fit.amiss(fit.start) > _ASTRAY:
        return marks
    found = _searched(fit)
    if fit.amiss(found) > min(_WORST, fit.amiss(fit.start)):
        return marks
    if marks.score >= SURE and abs(found[0]) < abs(fit.start[0]):
        return marks  # landmarks never turn a face too far: something else bears the blame
    return fit.laid(marks, found)


@dataclass(frozen=True)
class _Fit:
    """A face as a thing in space, and where in the square around it skin is seen.

    A pose is six numbers: yaw, pitch and roll, the logarithm of the size over that of the
    landmarks, and the place in cells.
    """

    solid: Floats  # (478, 3): the average face, looking ahead, in cells
    triangles: Ints32  # of the chosen points
    points: Floats  # (5, 2): the detector's, in cells
    corner: Floats  # of the square, in photo pixels
    cell: float  # photo pixels of a cell
    covered: Floats32  # what it costs to cover a cell
    bare: Floats32  # how surely a cell is the face's skin
    start: Floats
    expected: float  # absolute yaw
    box_area: float  # of the detected face, in cells
    seen: float  # skin over the area of the face at its start

    @classmethod
    def of(cls, model: FaceModel, marks: Landmarks, face: Face, parts: Parts) -> "_Fit":
        shape = average_shape(model)
        matrix = fit_matrix(shape.astype(np.float32), marks.points)
        angles = _angles(rotation(matrix))
        middle, half = (face.box[:2] + face.box[2:]) / 2, _REACH * face.size
        corner, cell = middle - half, 2 * half / GRID
        solid = (shape - shape.mean(axis=0)) * (size_of(matrix) / cell)
        start = np.array([*angles, 0.0, *((marks.points.mean(axis=0) - corner) / cell - 0.5)])
        triangles = _triangles(shape[list(_CHOSEN), :2].tobytes())
        region = _filled(_laid(solid[list(_CHOSEN)], start), triangles)
        scores = parts.over((*corner, *(middle + half)), (GRID, GRID))
        skin, neck = skin_of_face(scores, region)
        box = (face.box.reshape(2, 2) - corner) / cell - 0.5
        near = _around(box, _BEYOND_BOX * face.size / cell)
        return cls(
            solid, triangles, (face.points - corner) / cell - 0.5, corner, cell,
            cost_of_covering(scores, skin, neck), skin * near,
            start, abs(angles[0]) * _SHORT if marks.score >= SURE else _PROFILE,
            float(np.prod(box[1] - box[0])),
            float((skin > OWN).sum() / max(region.sum(), 1)),
        )  # fmt: skip

    # poses are judged a thousand times: what is the same each time is worked out once
    @cached_property
    def height(self) -> float:
        """Of the face, in cells."""
        return float(np.ptp(self.solid[:, 1]))

    @cached_property
    def _chosen(self) -> Floats:
        return self.solid[list(_CHOSEN)]

    @cached_property
    def _five(self) -> Floats:
        return self.solid[list(FIVE)]

    def cost(self, pose: Floats, trust: float = _POINTS) -> float:
        """What is wrong with a pose; ``trust`` is the weight of the detector's points."""
        yaw, pitch, roll, size = pose[:4]
        unusual = 0.02 * ((abs(yaw) - self.expected) / _SPREAD) ** 2
        unusual += 0.02 * (pitch / 0.35) ** 2 + 0.01 * ((roll - self.start[2]) / 0.5) ** 2
        unusual += 0.5 * size**2
        region = self.region(pose)
        small = max(_LEAST_OF_BOX - region.sum() / self.box_area, 0.0)
        wrong = self._amiss(pose, region) + trust * self._apart(pose)
        return float(wrong + unusual + _SMALL * small)

    def amiss(self, pose: Floats) -> float:
        """What the face covers wrongly and what it leaves bare, as a share of a face's area."""
        return self._amiss(pose, self.region(pose))

    def _amiss(self, pose: Floats, region: Bools) -> float:
        ahead = -_turn(*pose[:3])[:2, 2]
        before = ((_across - pose[4]) * ahead[0] + (_down - pose[5]) * ahead[1]) / self.height
        weight = np.clip(_BARE_MIDDLE + _BARE_SLOPE * before, _LEAST_BARE, 1)
        wrong = self.covered[region].sum() + (self.bare * weight)[~region].sum()
        return float(wrong) / (_FACE_AREA * self.height**2)

    def region(self, pose: Floats) -> Bools:
        """The cells that the face covers."""
        return _filled(_laid(self._chosen, pose), self.triangles)

    def _apart(self, pose: Floats) -> float:
        """How far eyes, nose and mouth lie from the detector's, the far side's counting less."""
        off = _laid(self._five, pose) - self.points
        away = np.hypot(*off.T) / self.height
        part = np.where(away < _HUBER, away**2 / (2 * _HUBER), away - _HUBER / 2)
        trust = np.ones(5)
        far = [0, 3] if pose[0] > 0 else [1, 4]
        trust[far] -= _FAR_SIDE * min(abs(float(np.sin(pose[0]))) / 0.8, 1)
        return float(part @ trust / trust.sum())

    def laid(self, marks: Landmarks, pose: Floats) -> Landmarks:
        """The landmarks in a pose."""
        mesh, score = self.solid * self.cell, 0.0
        if marks.score >= SURE:
            mesh = (marks.xyz - marks.xyz.mean(axis=0)) @ _turn(*self.start[:3])
            score = marks.score
        placed = mesh @ _turn(*pose[:3]).T * np.exp(pose[3])
        place = (pose[4:] + 0.5) * self.cell + self.corner
        return Landmarks(placed[:, :2] + place, placed[:, 2], score)


def _searched(fit: _Fit) -> Floats:
    """The best pose near the landmarks', or elsewhere if there is a far better one."""
    near = []
    for yaw in np.radians([-30, -15, 0, 15, 30]):
        for pitch in np.radians([0, 20]):
            pose = fit.start.copy()
            pose[0], pose[1] = np.clip(pose[0] + yaw, -_FURTHEST, _FURTHEST), pose[1] + pitch
            if yaw or pitch:
                pose[4:] += (fit.points - _laid(fit._five, pose)).mean(axis=0)
            near.append(pose)
    best = _best(fit, near, _POINTS, 3)
    amiss = fit.amiss(best)
    if amiss < _LOST:
        return best
    own = np.argwhere(fit.bare > OWN)
    if not len(own):
        return best
    elsewhere = []
    for yaw in np.radians([35, 60, 85]) * np.sign(fit.start[0]):
        for pitch in np.radians([0, 25]):
            for roll in np.radians([-50, -25, 0, 25, 50]):
                turn = yaw, pitch, fit.start[2] + roll
                pose = np.array([*turn, best[3], *fit.start[4:]])
                cells = np.argwhere(fit.region(pose))
                if len(cells):
                    pose[4:] += (own.mean(axis=0) - cells.mean(axis=0))[::-1]
                    elsewhere.append(pose)
    other = _best(fit, elsewhere, _POINTS_LOST, 5)
    moved = np.hypot(*(other[4:] - fit.points.mean(axis=0)))
    same_side = other[0] * fit.start[0] >= 0
    far_better = fit.amiss(other) < _BETTER * amiss and moved < _NEAR * fit.height
    return other if far_better and same_side else best


def _best(fit: _Fit, poses: Sequence[Floats], trust: float, tries: int) -> Floats:
    """The best pose that is reached from the best ``tries`` of some."""
    ranked = sorted(((fit.cost(pose, trust), n) for n, pose in enumerate(poses)))[:tries]
    found = [_descended(fit, poses[n], cost, trust) for cost, n in ranked]
    return min(found, key=lambda one: one[0])[1]


def _descended(fit: _Fit, pose: Floats, cost: float, trust: float) -> tuple[float, Floats]:
    """Step by step downhill, one number after the other, with ever smaller steps."""
    steps = np.array(_STEPS) * [1, 1, 1, 1, fit.height, fit.height]
    for _ in range(_HALVED):
        for _ in range(_TIMES):
            before = cost
            for place, way in product(range(len(steps)), (1, -1)):
                moved = pose.copy()
                moved[place] += way * steps[place]
                moved[0] = np.clip(moved[0], -_FURTHEST, _FURTHEST)
                moved[3] = np.clip(moved[3], *_SIZES)
                there = fit.cost(moved, trust)
                if there < cost - 1e-5:
                    pose, cost = moved, there
            if cost == before:
                break
        steps = steps / 2
    return cost, pose


def _around(box: Floats, spare: float) -> Bools:
    """The cells in a box (2, 2) with something to spare."""
    across = (_across >= box[0, 0] - spare) & (_across <= box[1, 0] + spare)
    down = (_down >= box[0, 1] - spare) & (_down <= box[1, 1] + spare)
    return np.asarray(across & down, bool)


def _laid(solid: Floats, pose: Floats) -> Floats:
    laid: Floats = (solid @ _turn(*pose[:3])[:2].T) * np.exp(pose[3]) + pose[4:]
    return laid


def _filled(points: Floats, triangles: Ints32) -> Bools:
    """The cells under triangles, whichever way they look."""
    cells = np.zeros((GRID, GRID), np.uint8)
    for corners in np.round(points * 16).astype(np.int32)[triangles]:
        cv2.fillConvexPoly(cells, corners, 1, shift=4)
    return cells > 0


@lru_cache(maxsize=2)
def _triangles(flat: bytes) -> Ints32:
    """Triangles between points (m, 2) of a face that looks ahead."""
    points = np.frombuffer(flat).reshape(-1, 2)
    net = cv2.Subdiv2D((-10, -10, 20, 20))
    for x, y in points.tolist():
        net.insert((x, y))
    corners = np.asarray(net.getTriangleList()).reshape(-1, 3, 2)
    apart = np.abs(corners[:, :, None] - points).sum(axis=3)
    of_points = (apart.min(axis=2) < 1e-4).all(axis=1)
    numbers: Ints32 = apart.argmin(axis=2)[of_points].astype(np.int32)
    return numbers


@lru_cache(maxsize=4)  # of one pose: it is asked for three times
def _turn(yaw: float, pitch: float, roll: float) -> Floats:
    (cy, cp, cr), (sy, sp, sr) = np.cos([yaw, pitch, roll]), np.sin([yaw, pitch, roll])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    turn: Floats = about_z @ about_x @ about_y
    return turn


def _angles(turn: Floats) -> tuple[float, float, float]:
    """Yaw, pitch and roll of a rotation, as ``_turn`` takes them."""
    yaw = np.arctan2(-turn[2, 0], turn[2, 2])
    pitch = np.arcsin(np.clip(turn[2, 1], -1, 1))
    return float(yaw), float(pitch), float(np.arctan2(-turn[0, 1], turn[1, 1]))
