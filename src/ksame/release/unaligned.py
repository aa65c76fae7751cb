"""What a release gives away inside its groups to whoever does not align faces first.

The attacker knows the people of a group and holds photos of all of them. Where whole heads are laid
their places are compared, where model faces are drawn the numbers that they took over.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ksame.arrays import Floats, Indices
from ksame.release.find import Album
from ksame.release.job import Job
from ksame.release.ledger import FaceEntry, Ledger
from ksame.release.write import WrittenPhotos


def unaligned_rates(
    job: Job, album: Album, written: WrittenPhotos, ledger: Ledger
) -> dict[str, Any]:
    """Rank-1 inside groups by places (``geometry``) or by numbers (``parameters``)."""
    numbers = {photo.name: n for n, photo in written.released().items()}
    sizes = {name: album.pictures[n].size for name, n in numbers.items()}
    laid = [f for f in ledger.faces if f.group is not None and f.placement is not None]
    drawn = [f for f in ledger.faces if f.group is not None and f.numbers is not None]
    if drawn:
        from ksame.attacks.sightings import numbers_row

        rows = [numbers_row(_numbers(f), (sizes[f.file][1], sizes[f.file][0])) for f in drawn]
        both = np.stack(rows)
        return _rates("parameters", both, both, drawn)
    if laid and job.plan.composite == "strict":
        from ksame.composite.placing import measured

        faces = _numbers_of_faces(written)
        before = [
            measured(
                album.kept(job.store, (numbers[f.file], faces[f.file, f.box]), "matrix"),
                sizes[f.file],
            )
            for f in laid
        ]
        after = [measured(np.array(f.placement), sizes[f.file]) for f in laid]
        return _rates("geometry", np.stack(before), np.stack(after), laid)
    return {}


def _numbers(face: FaceEntry) -> Any:
    """The numbers of a face; of a track their mean over its frames."""
    told = face.numbers or {}
    if "track" not in told:
        return told
    from ksame.release.clips.packing import mean_numbers

    return mean_numbers(told["track"])


def _numbers_of_faces(written: WrittenPhotos) -> dict[tuple[str, tuple[float, ...]], int]:
    return {
        (photo.name, order.box): order.number
        for n, photo in written.released().items()
        for order in written.orders.write[n].faces
    }


def _rates(
    name: str, originals: Floats, released: Floats, faces: Sequence[FaceEntry]
) -> dict[str, Any]:
    """The rates of one attack, group by group: never are all faces compared at once."""
    from ksame.attacks.inside import inside_each
    from ksame.attacks.many import trials_of_groups
    from ksame.attacks.unaligned import apart, comparable, spread_within

    persons = np.array([str(face.person) for face in faces])
    probes, gallery = comparable(released, originals, spread_within(originals, persons))

    def compare(rows: Indices, columns: Indices) -> Floats:
        return apart(probes[rows], gallery[columns])

    own, groups = np.arange(len(faces), dtype=np.intp), [face.group for face in faces]
    found = inside_each(trials_of_groups(compare, persons, persons, own, groups))
    if found is None:
        return {}
    rates = found.as_dict()
    if originals is released:  # what was released is compared with itself: other photos alone tell
        rates.pop("very")
    return {name: rates}
