"""What becomes of each photo: released under a neutral name, or withheld and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ksame.release.adhoc import OTHERS
from ksame.release.find import NO_FACE, SeenPhoto
from ksame.release.people import NOT_LISTED, Who
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch
from ksame.release.secret import Secret
from ksame.release.write import FaceOrder, PhotoOrder

_SUFFIX = {"jpeg": ".jpg"}  # every other format is written as PNG, without loss


@dataclass(frozen=True, slots=True)
class Orders:
    """The photos to write, by their number in the input, and the photos withheld, with why."""

    write: Mapping[int, PhotoOrder] = field(repr=False)
    withheld: Mapping[int, str] = field(repr=False)


def order_photos(
    plan: Plan,
    photos: Sequence[SeenPhoto],
    who: Who,
    group_of: Mapping[str, int],
    secret: Secret,
    scratch: Scratch,
) -> Orders:
    """Decide about every photo. A face gets its person's surrogate, or it is blacked out."""
    withheld: dict[int, str] = {}
    faces: dict[int, tuple[FaceOrder, ...]] = {}
    for n, photo in enumerate(photos):
        faces[n] = _face_orders(n, photo, who, group_of)
        if why := _why_withheld(plan, n, photo, who, faces[n]):
            withheld[n] = why
    kept = [n for n in range(len(photos)) if n not in withheld]
    names = _names(plan, [photos[n] for n in kept], secret)
    others = () if plan.recipe.guarantees else _other_faces(photos, secret)
    return Orders(
        {
            n: PhotoOrder(
                photos[n].path,
                photos[n].sha256,
                name,
                scratch.root,
                faces[n],
                plan.composite,
                plan.max_pixels,
                "" if plan.recipe.guarantees else plan.method,
                secret.number("ad hoc"),
                others,
            )
            for n, name in zip(kept, names, strict=True)
        },
        withheld,
    )


def _other_faces(photos: Sequence[SeenPhoto], secret: Secret) -> tuple[tuple[str, int], ...]:
    """Some faces of the collection, for the ad hoc methods that mix faces."""
    faces = [(photo.sha256, i) for photo in photos for i in range(len(photo.faces))]
    chosen = secret.permutation(len(faces), "others")[:OTHERS]
    return tuple(faces[i] for i in sorted(chosen))


def _face_orders(
    n: int, photo: SeenPhoto, who: Who, group_of: Mapping[str, int]
) -> tuple[FaceOrder, ...]:
    orders = []
    for i, face in enumerate(photo.faces):
        person = who.persons.get((n, i)) if face.failure is None else None
        orders.append(FaceOrder(i, face.box, group_of.get(person) if person else None))
    return tuple(orders)


def _why_withheld(
    plan: Plan, n: int, photo: SeenPhoto, who: Who, faces: Sequence[FaceOrder]
) -> str | None:
    """Why a photo is not released, or None."""
    if photo.failure is not None:
        return photo.failure
    if n in who.unlisted:
        return NOT_LISTED
    if not photo.faces:
        return None if plan.allow_faceless else NO_FACE
    if plan.recipe.guarantees and plan.on_failure == "withhold":
        for order, face in zip(faces, photo.faces, strict=True):
            if order.group is None:
                why = face.failure or who.strangers.get((n, order.number), "it has no person")
                return f"a face cannot be replaced: {why}"
    return None


def _names(plan: Plan, photos: Sequence[SeenPhoto], secret: Secret) -> list[str]:
    """Neutral names in a random order, or the originals' own names."""
    suffixes = [_SUFFIX.get(photo.format, ".png") for photo in photos]
    if not plan.keep_names:
        width = max(6, len(str(len(photos))))
        order = secret.permutation(len(photos), "names")
        return [f"{place + 1:0{width}d}{s}" for place, s in zip(order, suffixes, strict=True)]
    names: list[str] = []
    taken: set[str] = {"certificate.json", "report.html"}
    for photo, suffix in zip(photos, suffixes, strict=True):
        base = _below(photo.path, plan.inputs)
        keeps = photo.path.suffix.lower() in (suffix, ".jpeg" if suffix == ".jpg" else suffix)
        wanted = base if keeps else base.with_suffix(suffix)
        name, copy = wanted.as_posix(), 2
        while name.casefold() in taken:
            name, copy = wanted.with_stem(f"{wanted.stem}-{copy}").as_posix(), copy + 1
        taken.add(name.casefold())
        names.append(name)
    return names


def _below(path: Path, roots: Sequence[Path]) -> Path:
    """A photo's path below the input that it was found in."""
    for root in roots:
        if root.is_dir() and root in path.parents:
            return path.relative_to(root)
    return Path(path.name)
