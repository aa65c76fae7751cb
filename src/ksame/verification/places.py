"""Where heads lie: on coarse steps, and as many of them at a common place as the certificate says.

The steps are part of the ledger's format. A place between them could carry more of a person than
the certificate says.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from ksame.verification.cells import EYES, WIDTH
from ksame.verification.documents import CERTIFICATE, Certificate, Matrix
from ksame.verification.verdict import Finding

SIZE = 1.08  # ratio of neighbouring sizes, over the side of a square of the photo's area
ROLL = 4.0  # degrees
PLACE = 0.15  # eye distances from the middle of the photo
EYES_ROW = 232.0  # of the head frame
WHOLE = 1e-3  # of a step: what rounding may leave

Steps = tuple[int, int, int, int]
# group, look, person and steps of one head
Laid = tuple[int, str, str, Steps]


def steps_of(placement: Matrix, photo: tuple[int, int]) -> Steps | None:
    """Size, roll and place of a head in whole steps; None where one lies between two.

    ``photo`` is its width and height; ``placement`` a similarity.
    """
    (a, b, x), (c, d, y) = placement
    scale = math.hypot(a, b)
    eyes = EYES / scale
    right, down = WIDTH / 2 - x, EYES_ROW - y
    middle = ((a * right + c * down) / scale**2, (b * right + d * down) / scale**2)
    size = math.log(eyes / math.sqrt(photo[0] * photo[1])) / math.log(SIZE)
    roll = math.degrees(math.atan2(b, a)) / ROLL
    across, along = (
        (at - side / 2) / (PLACE * eyes) for at, side in zip(middle, photo, strict=True)
    )
    found = (round(size), round(roll), round(across), round(along))
    apart = [
        abs(value - step) for value, step in zip((size, roll, across, along), found, strict=True)
    ]
    return found if max(apart) <= WHOLE else None


def check_places(certificate: Certificate, laid: Iterable[Laid]) -> Iterator[Finding]:
    """As many heads as are said to lie at a place that k people share do so."""
    people: dict[tuple[int, str, Steps], set[str]] = defaultdict(set)
    places = []
    for group, look, person, steps in laid:
        places.append((group, look, steps))
        people[places[-1]].add(person)
    shared = sum(len(people[place]) >= certificate.k for place in places)
    counted = {"shared": shared, "own": len(places) - shared}
    measured: Any = certificate.raw.get("measured")
    told = measured.get("placement") if isinstance(measured, dict) else None
    if told != counted:
        yield Finding(CERTIFICATE, "counts heads at common places otherwise than the photos show")
