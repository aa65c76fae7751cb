"""A fill beside a face: the face lies over it, and neither shields an original from being found."""

from dataclasses import replace

import numpy as np
import pytest

from ksame.codecs.face import FaceModel, Looks
from ksame.faces import Face as Found
from ksame.release.hiding import hide
from ksame.release.leftovers import close_open_faces, hide_late
from ksame.release.styles.contract import FaceWritten, Protected
from ksame.render import (
    FaceNumbers,
    Front,
    Laid,
    filled_box,
    lay_over_fills,
    numbers,
    render,
    replace_face,
)
from ksame.verification.documents import Face
from ksame.verification.filled import check_filled
from ksame.verification.rendered import check_model_faces

SIDE = 400
FILLED = (225.0, 140.0, 325.0, 260.0)  # a box that reaches into the right half of the face


def a_face():
    """The numbers of a face that looks ahead in the middle of the picture."""
    size = round(np.log(110) / np.log(numbers.SIZE_STEP))
    middle = round(200 / numbers.SIZE_STEP**size / numbers.PLACE_STEP)
    rest = np.round(FaceModel.load().neutral / numbers.EXPRESSION_STEP).astype(int)
    return FaceNumbers(
        pose=(size, 50, 0, 0, 0, 50, 0, middle, middle),
        expression=tuple(rest.tolist()), light=(0,) * 14, outline=(0,) * 9, black=0, blur=0,
        grain=(0, 0, 0), colour="colour",
    )  # fmt: skip


@pytest.fixture
def scene():
    """A photo with a face laid over a fill, what the ledger says of both, and the face's code."""
    model = FaceModel.load()
    code = model.draw(np.random.default_rng(1), Looks("female", 30.0, 40.0)).round(4)
    told = a_face()
    y, x = np.indices((SIDE, SIDE))
    photo = np.repeat((120 + 50 * np.sin(x / 60) + 30 * np.cos(y / 80))[..., None], 3, axis=2)
    photo = photo.astype(np.uint8)
    rendered = render(model, code, told, (SIDE, SIDE))
    one = Laid(rendered, None).also_beside([filled_box(np.array(FILLED))])
    replace_face(photo, rendered)
    hidden = hide(photo, FILLED, "fill", 3)
    lay_over_fills(photo, [one])
    face = Face(
        "a", (140.0, 130.0, 260.0, 280.0), "p", 0, None, None, None,
        numbers=told.as_json() | {"front": None, "box": list(rendered.box)},
    )  # fmt: skip
    return photo, [face, Face("a", FILLED, None, None, None, None, hidden)], {0: code.tolist()}


def findings(photo, faces, codes):
    over = []
    found = list(check_model_faces(photo, faces, codes, True, over))
    return found + list(check_filled(photo, faces, over))


def test_the_face_is_whole_where_a_fill_reaches_it(scene):
    photo, _, codes = scene
    alone = np.zeros_like(photo)
    rendered = render(FaceModel.load(), np.array(codes[0], np.float32), a_face(), (SIDE, SIDE))
    replace_face(alone, rendered)
    x0, y0, x1, y1 = rendered.box
    solid = rendered.alpha == 255
    assert (photo[y0:y1, x0:x1][solid] == alone[y0:y1, x0:x1][solid]).all()


def test_a_face_over_a_fill_passes(scene):
    assert findings(*scene) == []


def test_a_fill_over_a_face_passes_as_well(scene):
    """What the last look finds is filled at the end."""
    photo, faces, codes = scene
    hide(photo, FILLED, "fill", 3)
    assert findings(photo, faces, codes) == []


def test_a_stranger_in_the_fill_is_found(scene):
    """The drawn face shields its own cells alone."""
    photo, faces, codes = scene
    y, x = np.indices(photo.shape[:2])
    for dx in (-14, 14):
        photo[np.hypot(x - 295 - dx, y - 190) < 7] = 15
    photo[(abs(x - 295) < 16) & (abs(y - 222) < 5)] = 15
    assert any("a filled face shows" in text for text in findings(photo, faces, codes))


def test_a_stranger_where_face_and_fill_meet_is_found(scene):
    photo, faces, codes = scene
    y, x = np.indices(photo.shape[:2])
    photo[np.hypot(x - 240, y - 190) < 10] = 15
    photo[np.hypot(x - 240, y - 215) < 8] = 240
    assert findings(photo, faces, codes)


def test_nothing_of_the_photo_is_kept_in_front_beside_a_fill(scene):
    """Else a hole in the face would be compared with neither the drawing nor the fill."""
    photo, faces, codes = scene
    cells = np.zeros((40, 40), bool)
    cells[18:22, 30:36] = True
    none = np.zeros_like(cells)
    front = Front(cells, none, (0,) * 18, none, (0,) * 18)
    told = dict(faces[0].numbers) | {"front": front.as_json()}
    open_face = replace(faces[0], numbers=told)
    assert any("a filled face shows" in t for t in findings(photo, [open_face, faces[1]], codes))


def test_a_face_lies_whole_over_what_the_last_look_hides(scene):
    """The fill comes late; the ledger's front then keeps nothing of the photo any more."""
    photo, (face, _), codes = scene
    rendered = render(FaceModel.load(), np.array(codes[0], np.float32), a_face(), (SIDE, SIDE))
    kept = np.zeros((96, 96), bool)
    kept[:, 70:] = True  # the photo is kept where the fill will be, as behind a fringe
    bare = np.zeros_like(kept)
    front = Front(kept, bare, (0,) * 18, bare, (0,) * 18)
    replace_face(photo, rendered, front)
    told = FaceWritten(numbers={**face.numbers, "front": front.as_json()})
    before = Protected(photo, (told,), [], laid=(Laid(rendered, front),))
    found = Found(np.array(FILLED), 0.9, np.full((5, 2), 200.0))
    after, late = hide_late(before, [found], "fill", 3)
    alone = np.zeros_like(photo)
    replace_face(alone, rendered)
    x0, y0, x1, y1 = rendered.box
    solid = rendered.alpha == 255
    assert (after.rgb[y0:y1, x0:x1][solid] == alone[y0:y1, x0:x1][solid]).all()
    assert not Front.from_json(after.faces[0].numbers["front"]).cells.any()
    hidden = Face("a", late[0].box, None, None, None, None, late[0].hidden)
    assert findings(after.rgb, [replace(face, numbers=after.faces[0].numbers), hidden], codes) == []


def test_a_face_apart_from_a_late_fill_keeps_what_is_in_front(scene):
    photo, (face, _), codes = scene
    rendered = render(FaceModel.load(), np.array(codes[0], np.float32), a_face(), (SIDE, SIDE))
    kept = np.eye(96, dtype=bool)
    bare = np.zeros_like(kept)
    front = Front(kept, bare, (0,) * 18, bare, (0,) * 18)
    told = FaceWritten(numbers={**face.numbers, "front": front.as_json()})
    before = Protected(photo, (told,), [], laid=(Laid(rendered, front),))
    corner = Found(np.array([5.0, 5.0, 25.0, 30.0]), 0.9, np.full((5, 2), 15.0))
    after, _ = hide_late(before, [corner], "fill", 3)
    assert after.faces == before.faces
    assert after.laid == before.laid


def test_a_face_through_which_the_photo_is_seen_is_closed_before_anything_is_filled(scene):
    photo, (face, _), codes = scene
    model, code = FaceModel.load(), np.array(codes[0], np.float32)
    rendered = render(model, code, a_face(), (SIDE, SIDE))
    kept = np.zeros((96, 96), bool)
    kept[:, 50:] = True
    bare = np.zeros_like(kept)
    front = Front(kept, bare, (0,) * 18, bare, (0,) * 18)
    replace_face(photo, rendered, front)
    told = FaceWritten(numbers={**face.numbers, "front": front.as_json()})
    before = Protected(photo, (told,), [], laid=(Laid(rendered, front),))
    on_it, apart = (
        Found(np.array(box), 0.9, np.full((5, 2), 200.0))
        for box in (face.box, (10.0, 10.0, 60.0, 70.0))
    )
    after, closed = close_open_faces(before, [on_it, apart])
    assert closed == [True, False]
    alone = np.zeros_like(photo)
    replace_face(alone, rendered)
    x0, y0, x1, y1 = rendered.box
    solid = rendered.alpha == 255
    assert (after.rgb[y0:y1, x0:x1][solid] == alone[y0:y1, x0:x1][solid]).all()
    assert not Front.from_json(after.faces[0].numbers["front"]).cells.any()
    # whoever is bare on it still is filled now
    assert close_open_faces(after, [on_it])[1] == [False]


def test_a_fill_beside_a_face_that_does_not_reach_it_leaves_what_is_in_front(scene):
    """Boxes meet at their corners where ovals do not: in a crowd every face has such neighbours."""
    _, _, codes = scene
    rendered = render(FaceModel.load(), np.array(codes[0], np.float32), a_face(), (SIDE, SIDE))
    kept, bare = np.eye(96, dtype=bool), np.zeros((96, 96), bool)
    one = Laid(rendered, Front(kept, bare, (0,) * 18, bare, (0,) * 18))
    x0, y0, _, _ = rendered.box
    corner = np.array([x0 - 70.0, y0 - 70.0, x0 + 20.0, y0 + 20.0])
    assert one.also_beside([corner]) is one
    assert one.also_beside([corner + 60]).front.cells.sum() == 0


def test_a_sliver_beside_a_nearer_face_counts_as_drawn(scene):
    """Of a face in a crowd too little sticks out to be compared; it lies over the fill as well."""
    photo, (face, _), codes = scene
    photo[:] = 200
    model, told, box = FaceModel.load(), a_face(), (282.0, 174.0, 318.0, 226.0)
    other = model.draw(np.random.default_rng(2), Looks("male", 30.0, 60.0)).round(4)
    size = round(np.log(20) / np.log(numbers.SIZE_STEP))
    x, y = (round(v / numbers.SIZE_STEP**size / numbers.PLACE_STEP) for v in (300, 200))
    behind = replace(told, pose=(size, *told.pose[1:7], x, y), light=(-100, *told.light[1:]))
    rendered = [
        render(model, np.array(code, np.float32), steps, (SIDE, SIDE))
        for code, steps in ((other, behind), (codes[0], told))
    ]
    hidden = Face("a", box, None, None, None, None, hide(photo, box, "fill", 3))
    lay_over_fills(
        photo, [Laid(one, None).also_beside([filled_box(np.array(box))]) for one in rendered]
    )
    far = replace(
        face, box=(284.0, 184.0, 316.0, 216.0), group=1,
        numbers=behind.as_json() | {"front": None, "box": list(rendered[0].box)},
    )  # fmt: skip
    both = codes | {1: other.tolist()}
    assert findings(photo, [far, face, hidden], both) == []
    # what shields an oval must be seen, or lie behind somebody who is
    over = []
    list(check_model_faces(photo, [far, hidden], both, True, over))
    assert not over


def test_an_oval_under_a_face_but_for_its_rim_is_not_judged(scene):
    """A few cells beside a face that was compared show nobody, whatever they show."""
    photo, (face, _), codes = scene
    rendered = render(FaceModel.load(), np.array(codes[0], np.float32), a_face(), (SIDE, SIDE))
    over = []
    assert not list(check_model_faces(photo, [face], codes, True, over))
    y, x = np.indices(photo.shape[:2])
    judged = []
    for right in (321.0, 330.0):
        box = (right - 60, 180.0, right, 240.0)
        hidden = Face("a", box, None, None, None, None, hide(photo, box, "fill", 3))
        photo[(x > 318) & (y // 6 % 2 == 0)] = 0
        replace_face(photo, rendered)
        judged.append(bool(list(check_filled(photo, [hidden], over))))
    assert judged == [False, True]
