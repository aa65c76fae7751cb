"""Expression as 52 continuous coefficients, from the landmarks alone."""

import numpy as np

from ksame.arrays import Floats
from ksame.errors import InputError
from ksame.weights.session import session

_TABLE = """
    _neutral
    browDownLeft browDownRight browInnerUp browOuterUpLeft browOuterUpRight
    cheekPuff cheekSquintLeft cheekSquintRight
    eyeBlinkLeft eyeBlinkRight eyeLookDownLeft eyeLookDownRight eyeLookInLeft eyeLookInRight
    eyeLookOutLeft eyeLookOutRight eyeLookUpLeft eyeLookUpRight eyeSquintLeft eyeSquintRight
    eyeWideLeft eyeWideRight
    jawForward jawLeft jawOpen jawRight
    mouthClose mouthDimpleLeft mouthDimpleRight mouthFrownLeft mouthFrownRight mouthFunnel
    mouthLeft mouthLowerDownLeft mouthLowerDownRight mouthPressLeft mouthPressRight mouthPucker
    mouthRight mouthRollLower mouthRollUpper mouthShrugLower mouthShrugUpper
    mouthSmileLeft mouthSmileRight mouthStretchLeft mouthStretchRight
    mouthUpperUpLeft mouthUpperUpRight
    noseSneerLeft noseSneerRight
"""
BLENDSHAPE_NAMES: tuple[str, ...] = tuple(_TABLE.split())

# the landmarks that the model reads, in its order: brows, lids, irises, lips, nose and outline
_READ_TABLE = """
    0 1 4 5 6 7 8 10 13 14 17 21 33 37 39 40 46 52 53 54 55 58 61 63 65 66 67 70 78 80 81 82 84 87
    88 91 93 95 103 105 107 109 127 132 133 136 144 145 146 148 149 150 152 153 154 155 157 158 159
    160 161 162 163 168 172 173 176 178 181 185 191 195 197 234 246 249 251 263 267 269 270 276 282
    283 284 285 288 291 293 295 296 297 300 308 310 311 312 314 317 318 321 323 324 332 334 336 338
    356 361 362 365 373 374 375 377 378 379 380 381 382 384 385 386 387 388 389 390 397 398 400 402
    405 409 415 454 466 468 469 470 471 472 473 474 475 476 477
"""
_READ = np.array(_READ_TABLE.split(), dtype=np.intp)

# of 0.15 to 0.4 the limit that tells most of 204 smiling and neutral photos apart (87%)
_SMILES = 0.2
_MOUTH_OPEN, _EYE_CLOSED = 0.35, 0.5  # where people looking at photos would say so


def blendshapes(points: Floats) -> Floats:
    """The 52 expression coefficients (0 to 1, in the order of ``BLENDSHAPE_NAMES``) of a face.

    They do not depend on where in the photo and how large the face is.
    """
    if np.shape(points) != (478, 2):
        raise InputError(
            f"points have shape {np.shape(points)}; blendshapes need the (478, 2) of find_landmarks"
        )
    read = np.asarray(points, np.float32)[_READ][None]
    found = session("blendshapes").run(read, ("StatefulPartitionedCall:0",))[0]
    return found.astype(np.float64).ravel()


def smile(coefficients: Floats) -> float:
    """How much a face smiles, 0 to 1: the mean of both corners of the mouth."""
    left, right = (BLENDSHAPE_NAMES.index(name) for name in ("mouthSmileLeft", "mouthSmileRight"))
    return float((coefficients[left] + coefficients[right]) / 2)


def expression_class(coefficients: Floats) -> str:
    """The expression as one of four classes, for grouping inside an expression (G alg. 4.2).

    ``smile``, ``open`` (open mouth without a smile), ``closed-eyes`` or ``neutral``.
    """
    value = dict(zip(BLENDSHAPE_NAMES, coefficients.tolist(), strict=True))
    if smile(coefficients) > _SMILES:
        return "smile"
    if value["jawOpen"] > _MOUTH_OPEN:
        return "open"
    if min(value["eyeBlinkLeft"], value["eyeBlinkRight"]) > _EYE_CLOSED:
        return "closed-eyes"
    return "neutral"
