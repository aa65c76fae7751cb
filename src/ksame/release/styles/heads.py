"""Heads made from people's own: means of donors, laid over the photo (M, F; both modes)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Arrays, Floats, Image
from ksame.errors import InputError
from ksame.faces import Faces
from ksame.release.attributes import measure
from ksame.release.find import Album, Picture, Spot
from ksame.release.hiding import hide
from ksame.release.job import Job
from ksame.release.laying import HEAD_ALONE, SCENE_ALONE, laid_faces, load_place, load_portrait
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.release.share import Group, SharedFace
from ksame.release.styles.adhoc import faces_found
from ksame.release.styles.contract import FaceWritten, Protected
from ksame.release.surrogates import HeadOrder, load_surrogate, make_head
from ksame.states import State
from ksame.store import Store

if TYPE_CHECKING:
    from ksame.composite import Portrait
    from ksame.vision import Face

_THUMBNAIL = (56, 64)  # pixel and eigen codes: the head frame, shrunk to this width and height
_COMPONENTS = 60  # of the eigen code
_NEAR = 0.12  # of the photo's height that a portrait's face has at least
_MOST_SCENES = 0.2  # of the photos that may be no portraits
_CANDIDATES = 10  # people whose hair is looked at


def keep(rgb: Image, found: "Sequence[Face]", attributes: Sequence[str]) -> tuple[Faces, Arrays]:
    """The portrait of each face, or why it has none."""
    from ksame.composite import NoPortrait, portray

    failures: list[str | None] = []
    states, yaws, classes = [], [], []
    arrays: Arrays = {}
    faces = list(found)  # each of them one object, which can be told from the others
    for number, face in enumerate(faces):
        portrait = portray(rgb, face, faces)
        if isinstance(portrait, NoPortrait):
            failures.append(portrait.reason)
            states.append("")
            yaws.append(0.0)
            classes.append(dict.fromkeys(attributes, ""))
            continue
        arrays |= {f"{number}/{name}": array for name, array in portrait.to_arrays().items()}
        failures.append(None)
        states.append(portrait.state)
        yaws.append(round(float(portrait.yaw), 2))
        classes.append(_attributes(rgb, face, portrait, attributes))
    columns = {name: [told[name] for told in classes] for name in attributes}
    return faces_found(found, failures, state=states, yaw=yaws, **columns), arrays


def _attributes(
    rgb: Image, face: "Face", portrait: "Portrait", names: Sequence[str]
) -> dict[str, str]:
    from ksame.vision import Landmarks

    points = geometry.apply(geometry.inverse(portrait.matrix), portrait.points)
    landmarks = Landmarks(points, np.zeros(len(points)), 1.0)
    return measure(names, rgb, face, landmarks, portrait.blendshapes)


def check_scenes(job: Job, album: Album) -> None:
    """Refuse whole heads where most photos are no portraits: they would look cut out and pasted.

    Raises
    ------
    InputError
        More photos than a few show several people, or a face that is small in its photo.
    """
    if job.plan.composite != "strict" or job.plan.force:
        return
    shown = [picture for picture in album.pictures[: album.shown] if len(picture.faces)]
    scenes = sum(not _is_portrait(picture) for picture in shown)
    if scenes > _MOST_SCENES * len(shown):
        raise InputError(
            f"composite='strict' lays whole heads over portraits; {scenes} of {len(shown)} photos "
            "show several people, or faces that are small in their photo. Use "
            "composite='natural', or force=True to do it all the same"
        )


def _is_portrait(picture: Picture) -> bool:
    """Whether a photo shows one person, from near."""
    return len(picture.faces) == 1 and picture.faces.size[0] >= _NEAR * picture.size[1]


def codes(job: Job, album: Album, faces: Mapping[str, Sequence[Spot]]) -> dict[str, Floats]:
    """The mean over a person's faces of what the recipe compares people by."""
    recipe = job.plan.recipe
    assert recipe is not None
    found = {person: _mean_code(job, album, spots) for person, spots in faces.items()}
    if recipe.codec == "eigenfaces":
        from ksame.codecs import Eigen

        rows = np.stack(list(found.values()))
        eigen = Eigen(min(_COMPONENTS, len(rows) - 1)).fit(rows)
        return dict(zip(found, eigen.encode(rows), strict=True))
    if recipe.codec == "model" and recipe.grouping.swaps:
        from ksame.composite.code import without_tone

        # else the furthest face is always the one of another skin colour
        return {person: without_tone(code) for person, code in found.items()}
    return found


def _mean_code(job: Job, album: Album, spots: Sequence[Spot]) -> Floats:
    """One face at a time, so that memory stays flat."""
    assert job.plan.recipe is not None
    total: Floats | None = None
    for spot in spots:
        if job.plan.recipe.codec == "model":
            code = album.kept(job.store, spot, "code").astype(np.float64)
        else:
            code = _thumbnail(job.store, album.pictures[spot[0]].key, spot[1])
        total = code if total is None else total + code
    assert total is not None
    return total / len(spots)


def told(job: Job, album: Album, spots: Sequence[Spot]) -> dict[str, str]:
    """Every photo is asked alone."""
    return {}


def tones(job: Job, album: Album, faces: Mapping[str, Sequence[Spot]]) -> dict[str, float]:
    """How light everybody's skin is in their photos."""
    return {
        person: float(np.mean([np.log(album.kept(job.store, s, "tone")).mean() for s in spots]))
        for person, spots in faces.items()
    }


def _thumbnail(store: Store, key: str, face: int) -> Floats:
    """The head of a face in grey, small, for grouping by pixels (N 4.1)."""
    layer = load_portrait(store, (key, face), HEAD_ALONE).layer
    grey = cv2.cvtColor(np.ascontiguousarray(layer[..., :3]), cv2.COLOR_RGB2GRAY)
    small: Floats = cv2.resize(grey, _THUMBNAIL, interpolation=cv2.INTER_AREA).astype(np.float64)
    return small.ravel()


def make(
    job: Job, album: Album, faces: Mapping[str, Sequence[Spot]], groups: Sequence[Group]
) -> list[SharedFace]:
    """The head of each group."""
    files = {person: _chosen_faces(album, spots) for person, spots in faces.items()}
    # a photo without colour needs a surrogate without colour, whoever is on it
    grey = any(state.grey for spot in album.spots() if (state := album.state(spot)))
    candidates = _hair_candidates(job, album, faces, groups)
    orders = [
        _order(job, album, faces, files, group, names, grey)
        for group, names in zip(groups, candidates, strict=True)
    ]
    made = job.runner.run("surrogates", make_head, orders)
    shared = []
    for group, names, order, head in zip(groups, candidates, orders, made, strict=True):
        lender = None if head.head is None else names[head.head]
        donors = group.donors if lender is None else (*group.donors, lender)
        told = {"pixels": head.pixels, "looks": dict(head.looks)}
        shared.append(SharedFace(group.people, donors, order.key, head.digest, lender, told))
    return shared


def _order(
    job: Job,
    album: Album,
    faces: Mapping[str, Sequence[Spot]],
    files: Mapping[str, tuple[tuple[str, int], ...]],
    group: Group,
    candidates: Sequence[str],
    grey: bool,
) -> HeadOrder:
    plan = job.plan
    assert plan.recipe is not None
    shown = [person for person in group.people if person in faces]
    # a face unlike theirs is what is asked for
    moves = plan.recipe.grouping.swaps
    return HeadOrder(
        store=job.store,
        donors=tuple(files[person] for person in group.donors),
        heads=tuple(files[person] for person in candidates),
        aligned=plan.recipe.aligned,
        k=plan.k,
        states=tuple(_states(album, faces[person]) for person in shown),
        grey=grey,
        members=tuple(files[person][0] for person in shown) if moves else (),
        natural=plan.composite == "natural",
        laid=laid_faces(album, faces, shown) if plan.composite == "strict" else (),
        seed=job.secret.number("places of " + " ".join(group.people)),
    )


def _chosen_faces(album: Album, spots: Sequence[Spot]) -> tuple[tuple[str, int], ...]:
    """The most frontal face of a person for each expression, the plain one first."""
    by_state: dict[State, list[Spot]] = {}
    for spot in spots:
        by_state.setdefault(State(album.told(spot, "state")), []).append(spot)

    def turned(spot: Spot) -> tuple[float, str, int]:
        yaw = float(album.told(spot, "yaw") or 0)
        return abs(yaw), album.pictures[spot[0]].sha256, spot[1]

    ordered = sorted(by_state.items(), key=lambda item: (item[0] is not State.NEUTRAL, item[0]))
    best = [min(found, key=turned) for _, found in ordered]
    return tuple((album.pictures[n].key, i) for n, i in best)


def _states(album: Album, spots: Sequence[Spot]) -> tuple[State, ...]:
    """The states that a person's faces have."""
    return tuple(sorted({State(album.told(spot, "state")) for spot in spots}))


def _hair_candidates(
    job: Job, album: Album, faces: Mapping[str, Sequence[Spot]], groups: Sequence[Group]
) -> list[list[str]]:
    """Per group, people whose hair and outline may dress its head: nearest to it by their codes.

    Nobody of the group itself, else that person alone would be recognised in all k; and nobody who
    gave the face, as long as there is anybody else.
    """
    assert job.plan.recipe is not None
    if not job.plan.recipe.aligned:
        return [[] for _ in groups]
    codes_of = codes(job, album, faces)
    chosen: list[list[str]] = []
    for group in groups:
        others = [person for person in group.kin if person not in group.donors] or list(group.kin)
        if not others:
            chosen.append([])
            continue
        mean = np.mean([codes_of[person] for person in group.donors], axis=0)
        far = [float(np.linalg.norm(codes_of[person] - mean)) for person in others]
        order = np.argsort(far, kind="stable")[:_CANDIDATES]
        chosen.append([others[i] for i in order])
    return chosen


def protect(order: PhotoOrder, rgb: Image) -> Protected:
    """The photo with every head replaced, and those that cannot be, hidden."""
    from ksame.composite import composite

    swapped = [face for face in order.faces if face.surrogate is not None]
    without = SCENE_ALONE if order.mode == "strict" else ("colour",)
    found = [load_portrait(order.store, (order.found, f.number), without) for f in swapped]
    surrogates = [load_surrogate(order.store, str(face.surrogate)) for face in swapped]
    states = [s.shown_state(p.state) for s, p in zip(surrogates, found, strict=True)]
    portraits: Sequence[Portrait] = found
    removed: list[Image | None] = []
    if order.mode == "strict":
        portraits, removed = _at_their_places(order, swapped, found, states)
    result = composite(rgb, portraits, surrogates, order.mode, removed, order.seed)
    written: dict[int, FaceWritten] = {}
    regions = [portrait.box.tolist() for portrait in (*found, *portraits)]
    for face, portrait, state in zip(swapped, portraits, states, strict=True):
        matrix = tuple(tuple(float(value) for value in row) for row in portrait.matrix)
        written[face.number] = FaceWritten(matrix, state)
    for face in order.faces:
        if face.surrogate is None:
            box = hide(result, face.box, order.on_failure, order.seed)
            written[face.number] = FaceWritten(hidden=box)
            regions.append(list(map(float, box)))
    return Protected(result, tuple(written[face.number] for face in order.faces), regions)


def _at_their_places(
    order: PhotoOrder,
    faces: Sequence[FaceOrder],
    portraits: "Sequence[Portrait]",
    states: Sequence[State],
) -> "tuple[list[Portrait], list[Image | None]]":
    """The portraits as seen from where heads will be laid, and what each group removes."""
    from ksame.composite.placing import moved_to

    moved, regions = [], []
    for face, portrait, state in zip(faces, portraits, states, strict=True):
        where = (order.found, face.number)
        matrix, region = load_place(order.store, str(face.surrogate), where, state)
        moved.append(moved_to(portrait, matrix))
        # with others in the photo a common region would take parts of them away
        regions.append(region if len(order.faces) == 1 else None)
    return moved, regions
