"""How well each track of a release is recognised: for the private report alone.

Whoever knows of a single track that its nearest original is the right one knows the person: the
certificate states rates over all tracks, never ranks of one.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ksame.arrays import Floats
from ksame.release.find import Album
from ksame.release.job import Job
from ksame.release.ledger import FaceEntry, Ledger
from ksame.release.measure import embedded
from ksame.release.write import WrittenPhotos


def track_ranks(
    job: Job, album: Album, written: WrittenPhotos, ledger: Ledger
) -> list[dict[str, Any]]:
    """For each replaced track the place of its person among all people, by SFace's means."""
    shown = [face for face in ledger.faces if face.group is not None]
    if not (job.plan.guarantees and job.plan.attacks and shown and ledger.clips):
        return []
    before, after = embedded(job, album, written, shown)
    ranks = ranks_of(before, after, [str(face.person) for face in shown])
    return _rows(shown, ranks, ledger)


def ranks_of(before: Floats, after: Floats, persons: Sequence[str]) -> list[int | None]:
    """The place of each face's person, 1 for the best match; None where a side was not seen.

    A person is as near as the nearest original; people who are equally near share the worst place.
    """
    seen = np.isfinite(before).all(axis=1)
    people, owner = np.unique(np.asarray(persons)[seen], return_inverse=True)
    ranks: list[int | None] = []
    for row, person in zip(after, persons, strict=True):
        if not np.isfinite(row).all() or person not in people:
            ranks.append(None)
            continue
        nearest = np.full(len(people), -np.inf)
        np.maximum.at(nearest, owner, before[seen] @ row)
        ranks.append(int((nearest >= nearest[people == person][0]).sum()))
    return ranks


def _rows(
    shown: Sequence[FaceEntry], ranks: Sequence[int | None], ledger: Ledger
) -> list[dict[str, Any]]:
    people = len({face.person for face in shown})
    number: Counter[str] = Counter()
    rows = []
    for face, rank in zip(shown, ranks, strict=True):
        if face.file in ledger.clips:
            number[face.file] += 1
            frames = (face.numbers or {})["track"]["frames"]
            rows.append(
                {"clip": face.file, "track": number[face.file], "frames": frames,
                 "rank": rank, "people": people}
            )  # fmt: skip
    return sorted(rows, key=lambda row: (row["clip"], row["track"]))
