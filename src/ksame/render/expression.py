"""A person's expression as the model's weights.

MediaPipe's coefficients are read off the person's landmarks, and off the posed model as well: the
weights are moved until both read the same. So a narrow-eyed person does not close the eyes of a
model face with wide ones, and a smile is as wide as it was, whatever face shows it.
"""

import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.codecs.face.weights import EXPRESSION_NAMES, UNITS
from ksame.render.anatomy import POINTS, FaceModel
from ksame.render.resting import rested_expression
from ksame.render.winking import with_wink
from ksame.vision.blendshapes import BLENDSHAPE_NAMES, blendshapes
from ksame.vision.landmarks import Landmarks

_ROUNDS = 2  # of reading the model and moving the weights; a third changes less than a step
_MOVED = 0.8  # of the difference in a round: weights act on each other


def _mixing() -> Floats32:
    """How the model's weights are made of the 52 coefficients: means of one or two of them."""
    mixing = np.zeros((len(BLENDSHAPE_NAMES), len(UNITS)), np.float32)
    for column, name in enumerate(EXPRESSION_NAMES[:-2]):
        for unit in UNITS[name]:
            mixing[BLENDSHAPE_NAMES.index(unit), column] = 1 / len(UNITS[name])
    return mixing


_MIXING = _mixing()


# A photo is read by its limits: a smile or none, eyes shut or open. A face that lies at a limit is
# shown clearly on its side of it: from, limit, to, and by how much it is moved below and above the
# limit. A faint smile of a render is read fainter than its mesh has it, by 0.2 to 0.3 (IMM).
_SMILES = tuple(EXPRESSION_NAMES.index(name) for name in ("smileLeft", "smileRight"))
_LIDS = tuple(EXPRESSION_NAMES.index(name) for name in ("blinkLeft", "blinkRight"))
_JAW = EXPRESSION_NAMES.index("jawOpen")
_FROWN = EXPRESSION_NAMES.index("frown")
_ACTED = (*_SMILES, _JAW)
# what a face hardly moves by, or a reading hardly follows: a mouth is not crushed to be read as the
# person's is, when its own build is what is read otherwise
_SHAPED = tuple(
    EXPRESSION_NAMES.index(name)
    for name in ("pucker", "frown", "press", "roll", "shrug", "mouthLeft", "mouthRight", "sneer")
)
_BEYOND = 0.1  # how much stronger such a weight may be than it is read of the person
# inner edges of the lips and outer corners of the eyes, among the landmarks
_LIPS, _EYES = (13, 14), (33, 263)
_LIP_WEIGHTS = ("jawOpen", "upperUp", "lowerDown", "funnel", "press", "shrug")
_HALF_OPEN = 0.4  # of the jaw: there the lips move evenly with the weights
_LIP_ROUNDS = 2
_SAME_OPENING = 0.02  # units: so far apart lips of two people may be at rest
_kept_steps: dict[int, Floats32] = {}  # of the model that is in use
_SMILE = 0.2
# coefficients of closed eyes in a smile, as they are read and as they are shown
_NARROW = (0.0, 0.4, 0.6, 0.75, 1.0), (0.0, 0.38, 0.42, 0.75, 1.0)
_CLEARER = (
    (_SMILES, 0.0, _SMILE, 0.8, 0.12, 0.25),
    (_LIDS, 0.35, 0.5, 0.8, 0.14, 0.14),
    ((_JAW,), 0.25, 0.35, 0.6, 0.08, 0.08),
)


def _clear(wanted: Floats32) -> Floats32:
    """The weights, moved away from the limits at which they are read as something else."""
    moved = wanted.copy()
    smiles = float(wanted[list(_SMILES)].mean()) > _SMILE
    for places, low, limit, high, less, more in _CLEARER:
        rows = list(places)
        if smiles and places is _LIDS:
            moved[rows] = _slits(wanted[rows])
            continue
        # a smile is read off both corners together, lids off the one that is more open
        read = float(wanted[rows].mean() if places is _SMILES else wanted[rows].min())
        if read > limit:
            shift = more * float(np.clip((high - read) / (high - limit), 0, 1))
        else:
            shift = -less * float(np.clip((read - low) / (limit - low), 0, 1))
        moved[rows] = np.clip(moved[rows] + shift, 0, 1)
    return moved


def _slits(closed: Floats32) -> Floats32:
    """Lids of a smiling face: cheeks make slits of narrow eyes, and slits are no closed eyes.

    It is read as a smile whatever the eyes do, so that nothing keeps them off a limit.
    """
    slits: Floats32 = np.interp(closed, _NARROW[0], _NARROW[1]).astype(np.float32)
    return slits


def read_expression(
    model: FaceModel, landmarks: Landmarks, identity: Floats32, still: bool = True
) -> Floats32:
    """The weights with which ``identity`` shows what a person's landmarks show.

    The gaze is the model's own reading. A face without landmarks of its own (score 0) rests. Only
    a ``still`` picture is moved away from limits, and brought to rest where it nearly rests: a face
    that moves would leap.
    """
    if landmarks.score <= 0:
        return model.neutral
    wanted = _read(landmarks.points)
    if still:
        wanted = _clear(wanted)
    gaze = model.expression(np.column_stack([landmarks.points, landmarks.depth]))[-2:]
    weights = np.concatenate([wanted, gaze]).astype(np.float32)
    everything = tuple(range(len(wanted)))
    for _ in range(_ROUNDS):
        _move(weights, wanted, _shown(model, identity, weights, landmarks), everything)
    if not still:
        weights = with_wink(
            weights, landmarks.points, lambda w: _laid(model.shape(identity, w), landmarks.points)
        )
        return _with_lips(model, weights, identity, landmarks.points)
    # at rest the face is another one: smile and jaw are moved once more, to read the same on it
    weights = rested_expression(weights).astype(np.float32)
    _move(weights, wanted, _shown(model, identity, weights, landmarks), _ACTED)
    return _with_lips(model, weights, identity, landmarks.points, _SAME_OPENING)


def _shown(
    model: FaceModel, identity: Floats32, weights: Floats32, landmarks: Landmarks
) -> Floats32:
    """What is read off the model's face in a person's pose."""
    return _read(_laid(model.shape(identity, weights), landmarks.points))


def _move(weights: Floats32, wanted: Floats32, shown: Floats32, places: tuple[int, ...]) -> None:
    """Bring some weights nearer to what is wanted, in place."""
    rows = list(places)
    weights[rows] += _MOVED * (wanted - shown)[rows]
    # a face that smiles at rest frowns until it does not
    weights[_FROWN] += max(-float(weights[list(_SMILES)].mean()), 0.0)
    shaped = list(_SHAPED)
    weights[shaped] = np.minimum(weights[shaped], wanted[shaped] + np.float32(_BEYOND))
    weights[:-2] = np.clip(weights[:-2], 0, 1)


def _with_lips(
    model: FaceModel, weights: Floats32, identity: Floats32, points: Floats, slack: float = 0.0
) -> Floats32:
    """The weights with the lips as far apart as the person's: in speech every pixel counts.

    They are moved as little as that takes, and not at all within the slack; coefficients tell a
    narrow opening too coarsely, and a wide smile on other lips gapes.
    """
    steps = _lip_steps(model)
    for _ in range(_LIP_ROUNDS):
        laid = _laid(model.shape(identity, weights), points)
        unit = float(np.hypot(*(laid[_EYES[0]] - laid[_EYES[1]])))
        apart = (_opening(points) - _opening(laid)) / max(unit, 1e-6)
        if abs(apart) < slack:
            break
        weights = np.clip(weights + np.float32(apart) * steps, *_limits(len(weights)))
    return weights


def _limits(count: int) -> tuple[Floats32, Floats32]:
    low = np.zeros(count, np.float32)
    low[-2:] = -1
    return low, np.ones(count, np.float32)


def _opening(points: Floats) -> float:
    """Pixels between the inner edges of the lips."""
    return float(np.hypot(*(points[_LIPS[0], :2] - points[_LIPS[1], :2])))


def _lip_steps(model: FaceModel) -> Floats32:
    """The least change of the weights that opens the lips by a unit; faces differ little in it."""
    key = id(model)
    if key not in _kept_steps:
        _kept_steps.clear()
        _kept_steps[key] = _measured_steps(model)
    return _kept_steps[key]


def _measured_steps(model: FaceModel) -> Floats32:
    opened = model.neutral.copy()
    opened[_JAW] = _HALF_OPEN
    rest = np.zeros(model.identity_size, np.float32)
    slopes = np.zeros(len(opened))
    for name in _LIP_WEIGHTS:
        more, less = opened.copy(), opened.copy()
        place = EXPRESSION_NAMES.index(name)
        more[place], less[place] = min(more[place] + 0.1, 1.0), max(less[place] - 0.1, 0.0)
        wider, narrower = (
            _opening(model.shape(rest, way).astype(np.float64)) for way in (more, less)
        )
        slopes[place] = (wider - narrower) / (more[place] - less[place])
    return (slopes / (slopes @ slopes)).astype(np.float32)


def _read(points: Floats) -> Floats32:
    return blendshapes(points).astype(np.float32) @ _MIXING


def _laid(shape: Floats32, points: Floats) -> Floats:
    """The model's landmarks in a person's pose."""
    flat = np.column_stack([shape[:POINTS].astype(np.float64), np.ones(POINTS)])
    laid: Floats = flat @ np.linalg.lstsq(flat, points, rcond=None)[0]
    return laid
