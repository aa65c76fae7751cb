"""The points that the landmarks do not give: beyond the outline, the eyeballs, inside the mouth.

Units are those of the model: the distance between the outer corners of the eyes is about 1, x
points to the right of the picture, y down, z away from the camera.
"""

import numpy as np

from ksame.arrays import AnyFloats, Floats, Floats32, Indices

SKIN = 468  # landmarks on the skin; the ten after them lie on the irises
LANDMARKS = 478
OUTLINE: Indices = np.array((
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
), np.intp)  # fmt: skip
# subject's right eye, then the left one: outer corner, inner corner, upper lid, lower lid
EYES = ((33, 133, 159, 145), (263, 362, 386, 374))
# points of the upper and the lower lid's edge that meet when the eye closes
LID_PAIRS = (
    ((246, 7), (161, 163), (160, 144), (159, 145), (158, 153), (157, 154), (173, 155)),
    ((466, 249), (388, 390), (387, 373), (386, 374), (385, 380), (384, 381), (398, 382)),
)
# points of the upper and the lower lip's inner edge that meet when the mouth closes
LIP_PAIRS = (
    (191, 95), (80, 88), (81, 178), (82, 87), (13, 14), (312, 317), (311, 402), (310, 318),
    (415, 324),
)  # fmt: skip
LID_MEETS = 0.8  # of the way from the upper lid down to the lower one
IRIS_RADIUS = 0.064  # an iris is 11.7 mm wide, the eyes' outer corners are 92 mm apart
EYEBALL_RADIUS = 0.135
IRIS_ABOVE_CORNERS = 0.012
BEHIND_LIDS = 0.012  # keeps the eyeball behind the lids' edges in a depth buffer
# ring of the eyeball's patch: reaches behind the lids also where the eye looks aside
EYE_WIDTH, EYE_HEIGHT, EYE_RING = 0.26, 0.17, 12
GAZE_REACH = (0.055, 0.032)  # how far the iris moves at a gaze of 1, to the side and up or down
MOUTH_COLUMNS: Floats32 = np.array([-1.3, -0.9, -0.45, 0, 0.45, 0.9, 1.3], np.float32)
TEETH_HALF_WIDTH = 0.25
UPPER_TEETH, LOWER_TEETH = 0.10, 0.20  # heights of the upper teeth, and of what is below the lower
CHEEKS = 1.3  # the patch ends this much further out than the last tooth, behind the cheeks
LOWER_ARCH = 0.9  # width of the lower row of teeth over the upper one
BEHIND_LIPS = 0.06
INCISORS_BELOW_LIP = 0.03  # how far the upper incisors reach below a resting upper lip
CHIN = (152, 175, 199, 200)  # moves with the jaw, and less than the lip with the lower lip
# a smile shows teeth down to the lower lip: how far they follow it, and the jaw that ends that
TEETH_FOLLOW, JAW_APART, OVER_LIP = 0.07, 0.12, 0.012
EXTRA = 2 * len(OUTLINE) + 2 * EYE_RING + 4 * len(MOUTH_COLUMNS)


def complete(rest: Floats32, skin: Floats32, gaze: Floats32, rings: Floats32) -> Floats32:
    """All points of the mesh, (n, 3), from the 468 on the skin.

    ``rest`` are those of the same face without expression (teeth and eyeballs belong to the
    skull), ``gaze`` is (sideways, down) in -1 to 1, ``rings`` (72, 3) leads outwards from the
    outline.
    """
    outline = skin[OUTLINE]
    outer = np.concatenate([outline, outline]) + rings
    eyes = [eyeball(rest, corners, gaze) for corners in EYES]
    return np.concatenate(
        [skin, eyes[0][:5], eyes[1][:5], outer, eyes[0][5:], eyes[1][5:], _mouth(rest, skin)]
    ).astype(np.float32)


def close_lids(skin: Floats32, closed: Floats32, modes: Floats32) -> Floats32:
    """The points with each eye closed by 0 to 1, the subject's left one first.

    ``modes`` (2, 468, 3) close an eye that is open by 1 at its middle. At 1 the lids' edges meet;
    they never cross.
    """
    out = skin.copy()
    for eye, amount in ((1, float(closed[0])), (0, float(closed[1]))):
        upper, lower = (np.array(rows, np.intp) for rows in zip(*LID_PAIRS[eye], strict=True))
        gap = max(float(skin[lower[3], 1] - skin[upper[3], 1]), 0.0)
        out += amount * gap * modes[1 - eye]
        meet = LID_MEETS * out[lower, 1] + (1 - LID_MEETS) * np.minimum(
            out[upper, 1], out[lower, 1]
        )
        open_by = np.maximum(out[lower, 1] - out[upper, 1], 0)
        # the last bit is closed exactly: eyes differ, and a slit shows
        open_by = np.minimum(
            open_by, (1 - amount) * (skin[lower, 1] - skin[upper, 1]).clip(0) * 1.15
        )
        out[upper, 1] = meet - LID_MEETS * open_by
        out[lower, 1] = meet + (1 - LID_MEETS) * open_by
    return out


def eyeball_pattern() -> Floats:
    """The iris' centre and its four rim points in MediaPipe's order, then the patch's ring."""
    angles = np.linspace(0, 2 * np.pi, EYE_RING, endpoint=False)
    rim = np.array([[0, 0], [1, 0], [0, -1], [-1, 0], [0, 1]]) * IRIS_RADIUS
    ring = np.column_stack([np.cos(angles) * EYE_WIDTH, np.sin(angles) * EYE_HEIGHT])
    return np.concatenate([rim, ring])


def eyeball(rest: Floats32, corners: tuple[int, int, int, int], gaze: Floats32) -> Floats32:
    """The patch of one eye, turned to where the eye looks."""
    socket = _socket(rest, corners)
    socket[2] += BEHIND_LIDS
    moved = eyeball_pattern() + np.asarray(gaze) * GAZE_REACH
    # the ring bends back like the ball, but no further than the temple behind it
    depth = np.minimum((moved**2).sum(axis=1) / (2 * EYEBALL_RADIUS), 0.13)
    patch: Floats32 = (socket + np.column_stack([moved, depth])).astype(np.float32)
    return patch


def gaze_of(points: AnyFloats) -> Floats:
    """Where each eye of (478, 3) frontal points looks: (2, 2), sideways and down."""
    irises = points[[SKIN, SKIN + 5], :2]
    sockets = np.array([_socket(points, corners)[:2] for corners in EYES])
    looks: Floats = (irises - sockets) / GAZE_REACH
    return looks


def _socket(rest: AnyFloats, corners: tuple[int, int, int, int]) -> Floats32:
    """The middle of an eye: between its corners, a little above them."""
    middle = (rest[corners[0]] + rest[corners[1]]) / 2
    return np.array(
        [middle[0], middle[1] - IRIS_ABOVE_CORNERS, rest[list(corners)].mean(axis=0)[2]], np.float32
    )


def part_lips(skin: Floats32) -> Floats32:
    """The points with lips that touch where a movement would push one through the other."""
    out = skin.copy()
    upper, lower = (np.array(rows, np.intp) for rows in zip(*LIP_PAIRS, strict=True))
    middle = (out[upper, 1] + out[lower, 1]) / 2
    crossed = out[upper, 1] > out[lower, 1]
    out[upper, 1] = np.where(crossed, middle, out[upper, 1])
    out[lower, 1] = np.where(crossed, middle, out[lower, 1])
    return out


def _mouth(rest: Floats32, skin: Floats32) -> Floats32:
    """Four rows behind the lips: the upper teeth's gum and edge, the lower teeth's edge and gum."""
    centre = (rest[78] + rest[308]) / 2
    lips = (rest[13] + rest[14]) / 2
    jaw = max(float((skin[list(CHIN), 1] - rest[list(CHIN), 1]).mean()), 0.0)
    edge = lips[1] + INCISORS_BELOW_LIP
    below = float(skin[[14, 87, 317], 1].mean() + OVER_LIP - edge)
    edge += np.clip(below, 0, TEETH_FOLLOW) * max(1 - jaw / JAW_APART, 0)
    low = edge + jaw * 0.95
    # the jaw swings back as it opens; what lies inside must stay behind the chin
    chin = float(np.max(skin[[14, 17, 18, 200, 199, 175], 2])) - float(lips[2])
    rows = []
    for y, wide, back in (
        (edge - UPPER_TEETH, 1.0, 0.0),
        (edge, 1.0, 0.0),
        (low, LOWER_ARCH, 0.05 + max(float(skin[14, 2] - lips[2]), 0.0)),
        (low + LOWER_TEETH, LOWER_ARCH, 0.12 + max(chin, 0.0)),
    ):
        across = MOUTH_COLUMNS * wide
        across[[0, -1]] *= CHEEKS
        x = centre[0] + across * TEETH_HALF_WIDTH
        # the arch of the teeth bends back as a parabola
        depth = lips[2] + BEHIND_LIPS + back + 0.16 * across**2
        rows.append(np.column_stack([x, np.full_like(x, y), depth]))
    patch: Floats32 = np.concatenate(rows).astype(np.float32)
    return patch
