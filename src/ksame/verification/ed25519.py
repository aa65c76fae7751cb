"""Ed25519 signatures checked in plain arithmetic (RFC 8032), so that a verifier needs no library.

Signatures are made elsewhere, by another implementation; here nothing is secret, so that time may
tell what it likes. Points of the curve -x² + y² = 1 + d x² y² are (X, Y, Z, T) with x = X / Z,
y = Y / Z and x y = T / Z.
"""

import hashlib
from typing import Final

_P: Final = 2**255 - 19
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_ROOT: Final = pow(2, (_P - 1) // 4, _P)  # a square root of -1
_NEUTRAL: Final = (0, 1, 1, 0)

Point = tuple[int, int, int, int]


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature of 64 bytes is that of a public key of 32 bytes on a message.

    Numbers must be in their one shortest form, and the key must be no point of small order, for
    which signatures on everything could be made up.
    """
    if len(public) != 32 or len(signature) != 64:
        return False
    key, scalar = _point(public), int.from_bytes(signature[32:], "little")
    if key is None or scalar >= _ORDER or _same(_times(8, key), _NEUTRAL):
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    x, y, z, t = key
    found = _add(_times(scalar, _BASE), _times(challenge, (-x % _P, y, z, -t % _P)))
    return _bytes(found) == signature[:32]


def _add(one: Point, other: Point) -> Point:
    """The sum of two points; the formula holds for all of them."""
    a = (one[1] - one[0]) * (other[1] - other[0])
    b = (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * _D * one[3] * other[3], 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(number: int, point: Point) -> Point:
    """A point added to itself so many times."""
    total: Point = _NEUTRAL
    while number:
        if number & 1:
            total = _add(total, point)
        point, number = _add(point, point), number >> 1
    return total


def _same(one: Point, other: Point) -> bool:
    return not ((one[0] * other[2] - other[0] * one[2]) % _P) and not (
        (one[1] * other[2] - other[1] * one[2]) % _P
    )


def _bytes(point: Point) -> bytes:
    """The 32 bytes of a point: y, and the lowest bit of x on top."""
    inverse = pow(point[2], -1, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _point(data: bytes) -> Point | None:
    """The point that 32 bytes stand for; None where there is none."""
    number = int.from_bytes(data, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = _P - x
    return x, y, 1, x * y % _P


def _base() -> Point:
    """The point that every key is a multiple of: y = 4/5, x even."""
    point = _point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE: Final = _base()
