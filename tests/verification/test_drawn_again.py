"""The verifier's renderer and the writer's speak of the same format, and see the same face."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from ksame.codecs.face import FaceModel, Looks
from ksame.render import FaceNumbers, front_mask, numbers, raster, render, replace_face, worn
from ksame.render import draw as writer
from ksame.render.front import GRID_SIDE, PAINT_STEP, Front
from ksame.verification import drawn, lit, masks, mesh, rendered, steps, veils
from ksame.verification.documents import Face
from ksame.verification.grid import Grid

SIZE = (400, 400)


def test_both_mean_the_same_steps():
    assert (
        steps.SIZE, steps.TURN, steps.PLACE, steps.EXPRESSION, steps.LIGHT, steps.OUTLINE,
        steps.BLACK, steps.BLUR, steps.FINEST_BLUR, steps.SHARPEN, steps.GRAIN, steps.LIGHTS,
        steps.COLOURS,
    ) == (
        numbers.SIZE_STEP, numbers.TURN_STEP, numbers.PLACE_STEP, numbers.EXPRESSION_STEP,
        numbers.LIGHT_STEP, numbers.OUTLINE_STEP, numbers.BLACK_STEP, numbers.SHARPNESS_STEP,
        numbers.FINEST_BLUR, numbers.SHARPEN_STEP, numbers.GRAIN_STEP, numbers.LIGHT_SIZES,
        numbers.COLOURS,
    )  # fmt: skip
    assert (veils.MOST_CELLS, veils.PAINT) == (GRID_SIDE, PAINT_STEP)
    assert (mesh.FOREHEAD, mesh.SIDES, mesh.JAW) == (raster.FOREHEAD, raster.SIDES, raster.JAW)
    assert lit.TEXELS == writer.GRID
    np.testing.assert_allclose(masks.folds(384), worn.folds(384), atol=1e-5)


def a_face(**changed):
    """The numbers of a face that looks ahead in the middle of the picture."""
    size = round(np.log(110) / np.log(numbers.SIZE_STEP))
    middle = round(200 / numbers.SIZE_STEP**size / numbers.PLACE_STEP)
    model = FaceModel.load()
    rest = np.round(model.neutral / numbers.EXPRESSION_STEP).astype(int)
    told = FaceNumbers(
        pose=(size, 50, 0, 0, 0, 50, 0, middle, middle),
        expression=tuple(rest.tolist()),
        light=(0,) * 14,
        outline=(0,) * 9,
        black=0,
        blur=0,
        grain=(0, 0, 0),
        colour="colour",
    )
    return replace(told, **changed)


def turned(degrees):
    """A pose that looks aside."""
    straight, angle = a_face().pose, np.radians(degrees)
    turn = np.array([np.cos(angle), 0, np.sin(angle), 0, 1, 0]) / numbers.TURN_STEP
    return (straight[0], *np.round(turn).astype(int).tolist(), *straight[7:])


def opened():
    weights = list(a_face().expression)
    weights[0], weights[1] = 8, 7  # the jaw, a smile
    return tuple(weights)


FACES = {
    "plain": a_face(),
    "turned": a_face(pose=turned(30)),
    "profile": a_face(pose=turned(65)),
    "open mouth": a_face(expression=opened()),
    "side light": a_face(light=(-20, 32, 8, 8, -8, 8, 8, 0, 10, 8, 0, -8, 8, 0)),
    "glare": a_face(light=(40, *[0] * 13)),
    "outline": a_face(outline=(8, 8, -4, -4, 6, 6, -4, -4, 8)),
    "haze": a_face(black=9),
    "blurred": a_face(blur=9),
    "sharpened": a_face(blur=-3),
    "grey": a_face(colour="grey", light=(0, *[0] * 7, 10, 0, 0, -10, 0, 0)),
    "toned": a_face(colour="toned", light=(0, *[0] * 7, 10, 0, 0, -10, 0, 0)),
    "small": a_face(pose=(160, *a_face().pose[1:])),
}


@pytest.mark.parametrize("name", FACES)
def test_both_draw_the_same_face(name):
    """Means over 2 px differ by half a level at most in the mean and by few in one place."""
    told, model = FACES[name], FaceModel.load()
    code = model.draw(np.random.default_rng(4), Looks())
    written = render(model, code, told, SIZE)
    grid = Grid.over(written.box)
    read = steps.read_steps(told.as_json())
    found = drawn.draw(model, code, read, mesh.pose(model, code, read), grid)
    solid = cv2.resize(
        (written.alpha == 255).astype(np.float32), grid.size, None, 0, 0, cv2.INTER_AREA
    )
    inside = cv2.erode((solid > 0.999).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    assert inside.sum() > 100
    cells = cv2.resize(written.colour.astype(np.float32), grid.size, None, 0, 0, cv2.INTER_AREA)
    apart = np.abs(cv2.GaussianBlur(cells - found.colours, (0, 0), 2.0))[inside]
    assert apart.mean() < 0.6
    assert apart.max() < 8
    # what one calls wholly replaced, the other does as well, but for the rim
    ring = cv2.morphologyEx(solid, cv2.MORPH_GRADIENT, np.ones((7, 7), np.uint8)) > 0
    assert ((solid > 0.999) == found.solid)[~ring].all()


@pytest.mark.parametrize("away", [0, 60, 90, 110, 130, 180, 400])
@pytest.mark.parametrize("name", ["plain", "profile", "small"])
def test_a_face_that_is_too_far_off_to_reach_a_grid_is_not_painted_on_it(name, away):
    """The short cut by boxes tells the same cells as painting would."""
    told, model = FACES[name], FaceModel.load()
    code = model.draw(np.random.default_rng(4), Looks())
    read = steps.read_steps(told.as_json())
    written = render(model, code, told, SIZE)
    shown = rendered.Shown(None, code, read, None, written.box, mesh.pose(model, code, read))
    x0, y0, x1, y1 = written.box
    for dx, dy in ((away, 0), (0, away), (-away, away)):
        grid = Grid((x0 + dx, y0 + dy, x1 + dx, y1 + dy), 48, 40)
        reach = rendered.FEATHER * shown.posed.half + rendered.SPARE
        painted = rendered._grown(rendered._extent(shown.posed, grid), reach / grid.cell)
        np.testing.assert_array_equal(rendered._covered(shown, grid), painted)


@pytest.mark.parametrize("colour", [(20, 60, 200), (30, 180, 60)])
def test_a_board_over_an_eye_is_no_window(colour):
    """What hides an eye stays in front elsewhere, but the eye under it is replaced."""
    told, model = FACES["plain"], FaceModel.load()
    code = model.draw(np.random.default_rng(4), Looks())
    written = render(model, code, told, SIZE)
    photo = np.full((400, 400, 3), 180, np.uint8)
    replace_face(photo, written)
    read = steps.read_steps(told.as_json())
    posed = mesh.pose(model, code, read)
    photo[:, : int(posed.points[468, 0])] = colour  # up to a pupil
    front = front_mask(photo, written)
    assert front is not None
    assert front.cells.any(), "the board is kept where it hides temple and cheek"
    kept = front.cells
    cells = Grid(written.box, kept.shape[1], kept.shape[0])
    core = cells.polygon(posed.hull(mesh.BROWS_AND_EYES))
    core |= cells.polygon(posed.hull(mesh.NOSE_AND_MOUTH))
    assert not (kept & (cv2.erode(core.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)).any()


@pytest.mark.parametrize("degrees", [-40, 40])
def test_a_shout_seen_from_the_side_is_drawn_alike(degrees):
    """Beyond the far corner of the lips skin goes on, never the inside of the mouth."""
    model = FaceModel.load()
    code = model.draw(np.random.default_rng(2), Looks("female", 30.0, 40.0)).round(4)
    told = a_face(pose=turned(degrees))
    told = replace(told, expression=(10, *told.expression[1:]))  # jawOpen
    photo = np.full((*SIZE, 3), 120, np.uint8)
    face = render(model, code, told, SIZE)
    replace_face(photo, face)
    listed = Face(
        "a", (150.0, 130.0, 250.0, 280.0), "p", 0, None, None, None,
        numbers=told.as_json() | {"front": None, "box": list(face.box)},
    )  # fmt: skip
    assert not list(rendered.check_model_faces(photo, [listed], {0: code.tolist()}, True))


def test_a_veil_that_is_brighter_than_white_is_white():
    """A poster before a mouth: its smooth colour ends at white in both drawings."""
    bare, veil = np.zeros((96, 96), bool), np.zeros((96, 96), bool)
    veil[60:90, 20:76] = True
    bright = (round(264 / PAINT_STEP),) * 3 + (0,) * 15
    front = Front(bare, veil, bright, bare, (0,) * 18)
    written, model = np.full((192, 192, 3), 90, np.float32), FaceModel.load()
    code = model.draw(np.random.default_rng(4), Looks())
    front.drawn_over(written, render(model, code, FACES["plain"], SIZE))
    told = veils.read_front(front.as_json()).over(np.full((192, 192, 3), 90, np.float32), None)
    assert written.max() > 255  # what is put into the photo is clipped there
    np.testing.assert_allclose(np.clip(written, 0, 255), told, atol=0.01)


@pytest.mark.parametrize("name", ["plain", "small", "grey"])
@pytest.mark.parametrize("level", [30, 120, 235])
def test_painted_hair_has_strands_and_is_the_colour_that_the_ledger_tells(name, level):
    model, told = FaceModel.load(), FACES[name]
    code = model.draw(np.random.default_rng(4), Looks()).round(4)
    photo = np.full((*SIZE, 3), level, np.uint8)
    face = render(model, code, told, SIZE)
    none = np.zeros((96, 96), bool)
    hair = none.copy()
    hair[10:40, 20:76] = True
    front = Front(none, none, (0,) * 18, hair, (round(level / PAINT_STEP),) * 3 + (0,) * 15)
    replace_face(photo, face, front)
    x0, y0, x1, y1 = face.box
    part = photo[y0:y1, x0:x1]
    height, width = part.shape[:2]
    fringe = part[height // 5 : height // 3, width // 3 : 2 * width // 3].astype(float)
    assert fringe.std() > 1.5
    assert abs(fringe.mean() - level) < 4
    listed = Face(
        "a", tuple(map(float, face.box)), "p", 0, None, None, None,
        numbers=told.as_json() | {"front": front.as_json(), "box": list(face.box)},
    )  # fmt: skip
    assert not list(rendered.check_model_faces(photo, [listed], {0: code.tolist()}, True))


def masked(name, level, **changed):
    """A face in a mask of one grey, as it is written, and as the ledger lists it."""
    model, told = FaceModel.load(), FACES[name]
    code = model.draw(np.random.default_rng(4), Looks()).round(4)
    face = render(model, code, told, SIZE)
    none = np.zeros((96, 96), bool)
    size = none.shape
    shape = cv2.resize(face.worn & worn.MASK, size, interpolation=cv2.INTER_NEAREST) > 0
    paint = (round(level / PAINT_STEP),) * 3 + (0,) * 15
    front = Front(none, shape, paint, none, (0,) * 18, True)
    photo = np.full((*SIZE, 3), 120, np.uint8)
    replace_face(photo, face, replace(front, **changed))
    listed = Face(
        "a", tuple(map(float, face.box)), "p", 0, None, None, None,
        numbers=told.as_json() | {"front": front.as_json(), "box": list(face.box)},
    )  # fmt: skip
    return photo, listed, code.tolist()


@pytest.mark.parametrize("name", ["plain", "turned", "small", "grey", "blurred"])
@pytest.mark.parametrize("level", [60, 200])
def test_both_draw_the_same_mask(name, level):
    photo, listed, code = masked(name, level)
    assert not list(rendered.check_model_faces(photo, [listed], {0: code}, True))


@pytest.mark.parametrize("name", ["plain", "turned"])
def test_a_mask_that_is_not_the_one_that_is_told_is_refused(name):
    """Flat where folds are told, or of another colour."""
    for changed in ({"masked": False}, {"paint": (40,) * 3 + (0,) * 15}):
        photo, listed, code = masked(name, 200, **changed)
        assert list(rendered.check_model_faces(photo, [listed], {0: code}, True))


def test_a_release_of_before_there_were_folds_still_verifies():
    photo, listed, code = masked("plain", 200, masked=False)
    del listed.numbers["front"]["mask"]
    assert not list(rendered.check_model_faces(photo, [listed], {0: code}, True))
