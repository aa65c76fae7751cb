"""Names that stand for several people: folders of occasions, say, instead of people.

k counts names then, and somebody who was on five occasions counts as five people. Nobody can tell
from names alone; the faces can, where they are described.
"""

import warnings
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import numpy as np

from ksame.errors import MixedPeopleWarning
from ksame.release.find import Album, Spot
from ksame.store import Store

# Cosine of SFace, the median over the pairs of a name's faces. Faces of one person have 0.79 and
# more in IMM, with heads that are turned, 0.89 in London and 0.39 in small grey ones; in everyday
# photographs two faces drawn by chance have 0.34 in one case of a hundred, five have 0.17
_ALIKE: Final = 0.25
_MOST: Final = 0.5  # of the names with several faces: fewer are slips, childhood photos and masks
_FACES: Final = 8  # of a name that are compared


def warn_of_mixed_names(album: Album, store: Store, persons: Mapping[Spot, str]) -> None:
    """Say so where most names that have several faces have the faces of several people."""
    spots: dict[str, list[Spot]] = defaultdict(list)
    for spot, person in sorted(persons.items()):
        if album.failure(spot) is None and len(spots[person]) < _FACES:
            spots[person].append(spot)
    several = {person: found for person, found in spots.items() if len(found) > 1}
    mixed = sum(_likeness(album, store, found) < _ALIKE for found in several.values())
    if mixed > max(_MOST * len(several), 1):
        warnings.warn(
            f"{mixed} of {len(several)} people with several photos look like several people each; "
            "k counts names, so that whoever is under five of them counts five times. If these are "
            "folders of occasions, use persons='auto', which tells people apart by their faces",
            MixedPeopleWarning,
            stacklevel=2,
        )


def _likeness(album: Album, store: Store, spots: list[Spot]) -> float:
    """The median likeness of a name's faces, pair by pair."""
    rows = np.stack([np.asarray(album.kept(store, spot, "sface"), np.float64) for spot in spots])
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return float(np.median((rows @ rows.T)[np.triu_indices(len(rows), 1)]))
