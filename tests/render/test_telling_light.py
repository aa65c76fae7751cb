"""Glare is skin as bright as it goes; a glint tells nothing of a face's light."""

import cv2
import numpy as np

from ksame.render import light
from ksame.render.anatomy import GRID, anatomy
from ksame.render.draw import grid_values
from ksame.render.measure import Seen, light_of
from ksame.render.numbers import LIGHT_SIZES, LIGHT_STEP, OUTLINE_SIZE, FaceNumbers
from ksame.render.telling import unclipped

STRONG = 2.2  # of even light: most of a light face is as bright as a picture goes


EVEN = (0,) * sum(LIGHT_SIZES)


def numbers(logs=EVEN):
    frontal = (0, 50, 0, 0, 0, 50, 0, 0, 0)
    return FaceNumbers(frontal, (), tuple(logs), (0,) * OUTLINE_SIZE, 0, 0, (0, 0, 0), "colour")


def test_a_blown_out_face_is_drawn_as_bright_as_it_is(model, identity):
    """Fitted to what is not blown out, stubble and sockets, it would be drawn dark and red."""
    body, shape = anatomy(model), model.shape(identity, model.neutral)
    texture = model.texture(identity, model.neutral)
    skin = cv2.resize(texture, (GRID, GRID), interpolation=cv2.INTER_AREA).astype(np.float64)
    shadow = np.where(np.add.outer(np.arange(GRID) // 2, np.arange(GRID) // 2) % 3, 1.0, 0.45)
    bright = skin * STRONG * (1.2, 1.0, 0.8) * shadow[..., None]
    colours = np.clip(bright, 0, 255).astype(np.uint8)
    seen = Seen(colours, np.ones((GRID, GRID), bool), None)
    logs = light_of(seen, texture, shape, numbers(), body)
    unit = light.normals(shape, body, numbers().matrix)
    values = grid_values(light.functions(unit, shape).astype(np.float32), body)
    gains = light.gains(numbers(logs / LIGHT_STEP), values.reshape(-1, values.shape[2]))
    drawn = np.clip(skin * gains.reshape(GRID, GRID, 3), 0, 255)
    blown = (body.skin > 0.5) & (colours.max(axis=2) >= 250)
    off = np.abs((drawn - colours)[blown].mean(axis=0))
    assert blown.sum() > 0.4 * (body.skin > 0.5).sum()
    assert off.max() < 50  # 103 before


def test_glints_tell_nothing_and_more_of_them_tell_ever_more():
    skin = np.full((20, 20, 3), 180, np.uint8)
    told = []
    for count in (10, 40, 80, 120, 200):
        seen = skin.copy()
        seen.reshape(-1, 3)[:count] = 255
        told.append(float(unclipped(seen, np.ones((20, 20)))[0, 0]))
    assert told[0] == 0
    assert told[-1] == 1
    assert told == sorted(told)
