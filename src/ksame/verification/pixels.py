"""The written pixels: faces are their groups' surrogates, hidden ones are filled or black."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Image
from ksame.verification.cells import CELL, Look, decode
from ksame.verification.documents import Certificate, Face, Ledger
from ksame.verification.filled import check_filled
from ksame.verification.grid import Grid
from ksame.verification.photos import Listed
from ksame.verification.placed import Box, Placed, is_similarity, lies_on_its_face, shown, visible
from ksame.verification.places import Laid, steps_of
from ksame.verification.reading import Malformed
from ksame.verification.verdict import Finding

# How far a face may differ from its surrogate, in levels of 255, in the mean and in the worst cell.
# Over 1,250 faces of photographs, resampling and JPEG moved those of 12 px between the eyes or more
# by 0.9 in the mean and 7 in a cell at most, smaller ones by 2.7 and 8; a tenth of the original
# mixed in moves them by 2 to 13 in the mean. Smaller faces have fewer pixels to average over: the
# second figure, divided by the pixels between the eyes, is added.
MEAN_TOLERANCE, MEAN_OF_SMALL = 1.5, 16.0
CELL_TOLERANCE, CELL_OF_SMALL = 10.0, 60.0
FEW_CELLS = 4.0  # a mean of so few cells may differ by twice as much
SMOOTHING = 3.5  # pixels of the photo (sigma): JPEG moves single pixels by more
LEAST_COVERED = 0.5  # of a face's box by its head; 0.68 was the least that was seen
# levels of 255: JPEG rings where black meets a bright wall, inside its blocks of 16 pixels alone
BLACK, NEARLY_BLACK = 4.0, 16.0
MCU = 16
CHROMA = 2  # pixels that one sample of colour spans: decoders smooth it across blocks

Looks = Mapping[tuple[int, str], Look]


def check_looks(certificate: Certificate, ledger: Ledger) -> Iterator[Finding]:
    """Every look that a group has can be read, and covers a face."""
    for group in ledger.groups:
        for told in group.looks.values():
            try:
                look = decode(told)
            except Malformed as error:
                yield Finding(group.short, f"{error}")
                continue
            if certificate.strict and not look.covers_a_face:
                yield Finding(group.short, "leaves eyes and mouth as they were")


def read_picture(data: bytes) -> Image | None:
    """A picture's pixels as they are stored, or None."""
    try:
        return cv2.imdecode(
            np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
        )
    except cv2.error:  # empty, or too large to be a photo
        return None


def check_pixels(photo: Image, listed: Listed) -> Iterator[str]:
    """Every face of a photo that is not what the ledger says it is."""
    faces, codes = listed.faces, {group.group: group.code for group in listed.groups if group.code}
    over: list[Callable[[Grid], Bools]] = []
    rendered = [face for face in faces if face.group in codes or face.numbers is not None]
    if rendered:
        # the model is needed for its own faces alone
        from ksame.verification.rendered import check_model_faces

        hidden = [face for face in faces if face.group is None]
        yield from check_model_faces(photo, [*rendered, *hidden], codes, listed.filled, over)
    elif listed.strict:
        yield from _check_heads(photo, faces, _looks(listed))
    if listed.filled:
        yield from check_filled(photo, faces, over)
    else:
        for face in faces:
            if face.hidden is not None:
                yield from _check_black(photo, face, face.hidden)


def _looks(listed: Listed) -> Looks:
    looks: dict[tuple[int, str], Look] = {}
    for group in listed.groups:
        for state, told in group.looks.items():
            with suppress(Malformed):  # told by check_looks
                looks[group.group, state] = decode(told)
    return looks


def _check_heads(photo: Image, faces: Sequence[Face], looks: Looks) -> Iterator[str]:
    """The heads of a photo."""
    boxes = [face.hidden for face in faces if face.hidden is not None]
    heads: list[Placed] = []
    for face in faces:
        if face.group is None or face.placement is None or face.state is None:
            continue
        look = looks.get((face.group, face.state))
        if look is None:
            yield "a face shows a look that the ledger does not describe"
        elif not is_similarity(face.placement):
            yield "a head is distorted; position, scale and rotation alone are claimed"
        else:
            if steps_of(face.placement, (photo.shape[1], photo.shape[0])) is None:
                yield "a head lies between the steps of its place, size or roll"
            heads.append(Placed(np.array(face.placement), look))
            if lies_on_its_face(heads[-1], face) < LEAST_COVERED:
                yield "a head does not lie where the face was"
    for i, head in enumerate(heads):
        seen = visible(head, heads[:i] + heads[i + 1 :], boxes, photo.shape)
        yield from _check_head(head, shown(photo, head), seen)


def heads_laid(photo: Image, listed: Listed) -> tuple[Laid, ...]:
    """Where the heads of a photo lie, for those who can be told."""
    size, found = (photo.shape[1], photo.shape[0]), []
    for face in listed.faces:
        if face.group is None or face.person is None or face.placement is None:
            continue
        steps = steps_of(face.placement, size) if is_similarity(face.placement) else None
        if steps is not None:
            found.append((face.group, face.state or "", face.person, steps))
    return tuple(found)


def _check_black(photo: Image, face: Face, box: Box) -> Iterator[str]:
    """A face without a surrogate lies under a black box that covers it."""
    height, width = photo.shape[:2]
    x0, y0, x1, y1 = box
    a, b, c, d = face.box
    covered = x0 <= max(a, 0) + 1 and y0 <= max(b, 0) + 1
    covered = covered and x1 >= min(c, width) - 1 and y1 >= min(d, height) - 1
    part = photo[y0:y1, x0:x1]
    if not covered or c <= a or d <= b or not part.size:
        yield "a black box does not cover its face"
        return
    # blocks that lie wholly inside know nothing but black, except by the smoothing of colour
    inner = photo[_whole_blocks(y0, y1), _whole_blocks(x0, x1)]
    brightest = part.max(axis=2)
    if (inner.size and inner.max() > BLACK) or brightest.mean() > NEARLY_BLACK:
        yield "a face that was to be blacked out is not black"


def _whole_blocks(start: int, end: int) -> slice:
    """The pixels of the blocks inside a range that decoding does not mix with others."""
    return slice(-(-start // MCU) * MCU + CHROMA, max(end // MCU * MCU - CHROMA, 0))


def _check_head(head: Placed, cells: Floats, seen: Bools) -> Iterator[str]:
    """What is visible of a head against the look that was certified."""
    if not seen.any():
        return
    apart = np.abs(_smoothed(cells - head.look.colours, seen, head.scale)[seen]).max(axis=1)
    mean, worst = float(apart.mean()), float(apart.max())
    allowed = (MEAN_TOLERANCE + MEAN_OF_SMALL / head.eyes) * (1 + FEW_CELLS / len(apart))
    in_a_cell = CELL_TOLERANCE + CELL_OF_SMALL / head.eyes
    if mean > allowed or worst > in_a_cell:
        yield (
            f"a face differs from the one its group shares by {mean:.1f} levels in the mean and "
            f"{worst:.0f} in one place; {allowed:.1f} and {in_a_cell:.0f} are allowed"
        )


def _smoothed(values: Floats, seen: Bools, scale: float) -> Floats:
    """Weighted means over the visible cells that lie within some pixels of the photo."""

    def smooth(cells: Floats) -> Floats:
        sigma = SMOOTHING * scale / CELL
        found: Floats = cv2.GaussianBlur(cells, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
        return found

    weight = smooth(seen.astype(np.float64))
    means: Floats = smooth(np.where(seen[..., None], values, 0.0))
    return means / np.maximum(weight, np.finfo(float).tiny)[..., None]
