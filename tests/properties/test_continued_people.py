"""Releases that continue each other, of random people: nobody changes the face, none is left alone.

Faces are made-up embeddings, so that who is who is known; everything between finding faces and
writing photos is the real thing.
"""

import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.errors import GuaranteeError
from ksame.faces import Face
from ksame.release.continuing import recognise, share_on, told_of_people
from ksame.release.earlier import Earlier, KnownGroup, unpacked
from ksame.release.find import FOUND, Album, Picture
from ksame.release.job import Job
from ksame.release.name import name
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch
from ksame.release.secret import Secret
from ksame.release.styles.adhoc import faces_found
from ksame.store import Store, key_of

UNIVERSE = 30
MARKS = np.array([[10.0, 10], [30, 10], [20, 20], [12, 30], [28, 30]])


def take_photos(store: Store, photos: list[list[int]], centres, rng) -> Album:
    """An album of photos that show the people of these numbers."""
    pictures = []
    for people in photos:
        key = key_of(len(pictures), people, rng.integers(2**60).item())
        arrays = {}
        for i, person in enumerate(people):
            row = centres[person] + 0.5 / np.sqrt(128) * rng.normal(size=128)
            arrays[f"{i}/sface"] = (row / np.linalg.norm(row)).astype(np.float32)
            looks = [float(person % 2), 20.0 + person, 10.0 * (person % 5), 1.0]
            arrays[f"{i}/looks"] = np.array(looks)
        store.save(FOUND, key, arrays)
        found = [Face(np.array([40.0 * i, 0, 40 * i + 40, 40]), 1.0, MARKS) for i in people]
        faces = faces_found(
            found,
            [None] * len(found),
            gender=["female" if person % 2 else "male" for person in people],
            age_band=["adult"] * len(people),
        )
        pictures.append(Picture(Path("photo.jpg"), key, key, None, faces))
    return Album(tuple(pictures), len(pictures))


def release(root: Path, album: Album, k: int, seed: int, earlier: Earlier | None):
    """Groups by true people would be nice; these are the names that the release gives."""
    plan = Plan((root,), root / "out", k)
    job = Job(plan, Scratch(root), None, Secret(seed, "n"), earlier)
    people = recognise(job, album, name(job, album))
    shared = share_on(job, album, people)
    told = told_of_people(job, album, people)
    known = {g.people: g for g in earlier.groups} if earlier else {}
    for face in shared.faces:
        group = KnownGroup(face.digest, tuple(face.told["code"]), frozenset(face.people))
        known.setdefault(group.people, group)
    templates = {person: unpacked(text) for person, text in told["templates"].items()}
    return people, shared, Earlier("", True, tuple(known.values()), templates)


@st.composite
def three_releases(draw):
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    sizes = [draw(st.integers(1, 25)) for _ in range(3)]
    photos = [
        [rng.permutation(UNIVERSE)[: rng.integers(1, 4)].tolist() for _ in range(size)]
        for size in sizes
    ]
    return draw(st.integers(2, 5)), seed, photos


@settings(max_examples=12)
@given(case=three_releases())
def test_surrogates_never_change_and_no_two_releases_single_anybody_out(case):
    k, seed, releases = case
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(UNIVERSE, 128))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    face_of: dict[int, set[str]] = defaultdict(set)  # by the true person
    seen: list[dict[str, frozenset[int]]] = []  # candidates for each surrogate, a release each
    earlier, everybody = None, set()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "store").mkdir()
        for number, photos in enumerate(releases):
            album = take_photos(Scratch(root).store, photos, centres, rng)
            try:
                people, shared, earlier = release(root, album, k, seed + number, earlier)
            except GuaranteeError:
                continue  # nothing is released, and nothing follows from it
            everybody |= {person for photo in photos for person in photo}
            group_of = shared.group_of()
            for (n, i), called in people.persons.items():
                if called in shared.waiting:
                    assert called not in group_of
                    continue
                face_of[photos[n][i]].add(shared.faces[group_of[called]].digest)
            candidates = {}
            for face in shared.faces:
                assert len(set(face.people)) >= k
                candidates[face.digest] = candidates.get(face.digest, frozenset()) | frozenset(
                    face.people
                )
            seen.append(candidates)
    assert all(len(faces) == 1 for faces in face_of.values())
    for one in seen:
        for other in seen:
            for surrogate in one.keys() & other.keys():
                both = one[surrogate] & other[surrogate]
                assert both == one[surrogate] or len(both) >= k
