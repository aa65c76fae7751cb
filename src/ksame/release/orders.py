"""What becomes of each photo: released under a neutral name, or withheld and why."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from ksame._version import __version__
from ksame.people.ledgers import SET_ASIDE
from ksame.release.counts import SURPLUS
from ksame.release.find import Album, Picture
from ksame.release.job import Job
from ksame.release.media import PHOTO, moves
from ksame.release.name import NOT_LISTED, People
from ksame.release.plan import Plan
from ksame.release.share import Shared
from ksame.store import Store, key_of

NO_FACE: Final = "no face was found (allow_faceless releases such photos)"
OTHER_FACES: Final = (
    32  # faces of the collection that the ad hoc methods 'average' and 'potato' mix
)
WAITING: Final = (
    "it shows somebody who is new, and new people are too few for a group of their own (add "
    "photos of more new people)"
)
# every other format is written as PNG, without loss
_SUFFIX: Final = {"jpeg": ".jpg", "mp4": ".mp4"}


@dataclass(frozen=True, slots=True)
class FaceOrder:
    """What is to become of one face: the shared face of a group, or none to be shown at all.

    ``surrogate`` is where the store keeps the shared face, ``shared`` the digest of what it shows.
    ``owner`` is the person's number in the gallery of the photo's order, ``guard`` how little of
    what lies around the face may pass.
    """

    number: int
    box: tuple[float, ...]
    group: int | None = None
    surrogate: str | None = None
    shared: str | None = None
    owner: int | None = None
    guard: int = 0


@dataclass(frozen=True, slots=True)
class PhotoOrder:
    """What is to become of one photo; all that a worker needs to know.

    With ``embed`` the finished faces are described too, as a recogniser sees them. ``untouched``
    are boxes (xyxy) that a person decided to leave as they are: no faces, or consented ones.
    ``gallery`` is where the store keeps whom the finished faces must not be taken for.
    """

    path: Path = field(repr=False)
    sha256: str
    found: str  # what the first stage found lies in the store under this
    name: str
    store: Store
    folder: Path = field(repr=False)
    faces: tuple[FaceOrder, ...]
    style: str
    mode: str
    on_failure: str
    max_pixels: int
    detector: str = "yunet"
    embed: bool = False
    method: str = ""
    seed: int = field(default=0, repr=False)
    others: tuple[tuple[str, int], ...] = ()
    medium: str = PHOTO
    video_codec: str = "h264"
    audio: str = "drop"
    untouched: tuple[tuple[float, ...], ...] = ()
    gallery: str = ""

    @property
    def moves(self) -> bool:
        """Whether its faces are tracks, seen from frame to frame."""
        return moves(self.medium)

    @property
    def key(self) -> str:
        """What the written photo depends on: everything but where things lie."""
        told = [asdict(face) for face in self.faces]
        asked = [self.style, self.mode, self.on_failure, self.max_pixels, self.method, self.seed]
        asked += [self.detector, self.embed, self.gallery]
        if self.medium != PHOTO:
            asked += [self.medium, self.video_codec, self.audio]
        asked += [self.others, self.untouched]
        return key_of("write", __version__, self.found, self.name, told, asked)

    @property
    def first_group(self) -> int:
        """The group of its first replaced face; -1 without any."""
        return next((face.group for face in self.faces if face.group is not None), -1)


@dataclass(frozen=True, slots=True)
class Orders:
    """The photos to write, by their number in the album, and the photos withheld, with why."""

    write: Mapping[int, PhotoOrder] = field(repr=False)
    withheld: Mapping[int, str] = field(repr=False)


def order_photos(job: Job, album: Album, people: People, shared: Shared) -> Orders:
    """Decide about every photo. A face gets its person's shared face, or it is not shown."""
    plan, group_of = job.plan, shared.group_of()
    pictures = album.pictures[: album.shown]
    withheld: dict[int, str] = {}
    faces: dict[int, tuple[FaceOrder, ...]] = {}
    for n in range(len(pictures)):
        faces[n] = _face_orders(n, album, people, shared, group_of)
        if why := _why_withheld(plan, n, album, people, faces[n]):
            withheld[n] = why
        elif any(people.persons.get((n, face.number)) in shared.waiting for face in faces[n]):
            withheld[n] = WAITING
    kept = [n for n in range(len(pictures)) if n not in withheld]
    names = _names(job, [pictures[n] for n in kept])
    others = () if plan.guarantees else _other_faces(job, album)
    return Orders(
        {
            n: PhotoOrder(
                path=pictures[n].path,
                sha256=pictures[n].sha256,
                found=pictures[n].key,
                name=name,
                store=job.store,
                folder=job.folder,
                faces=faces[n],
                style=plan.style,
                mode=plan.composite,
                on_failure=plan.on_failure,
                max_pixels=plan.max_pixels,
                detector=plan.detector,
                embed=plan.guarantees and plan.attacks,
                method=plan.method,
                seed=job.secret.number(f"photo {pictures[n].sha256}"),
                others=others,
                medium=pictures[n].medium,
                video_codec=plan.video_codec,
                audio=plan.audio,
                untouched=_untouched(n, album, people),
            )
            for n, name in zip(kept, names, strict=True)
        },
        withheld,
    )


def _other_faces(job: Job, album: Album) -> tuple[tuple[str, int], ...]:
    """Some faces of the collection, for the ad hoc methods that mix faces."""
    faces = [(album.pictures[n].key, i) for n, i in album.spots(shown=True)]
    chosen = job.secret.permutation(len(faces), "others")[:OTHER_FACES]
    return tuple(faces[i] for i in sorted(chosen))


def _untouched(n: int, album: Album, people: People) -> tuple[tuple[float, ...], ...]:
    """What a person decided to leave as it is in one photo."""
    return (*people.dismissed.get(n, ()), *kept_faces(n, album, people).values())


def kept_faces(n: int, album: Album, people: People) -> dict[int, tuple[float, ...]]:
    """The boxes of a photo's faces whose people are shown as they are, by the face's number."""
    boxes = album.pictures[n].faces.xyxy.tolist()
    return {
        i: tuple(box) for i, box in enumerate(boxes) if people.persons.get((n, i)) in people.kept
    }


def _face_orders(
    n: int, album: Album, people: People, shared: Shared, group_of: Mapping[str, int]
) -> tuple[FaceOrder, ...]:
    """One order a face; who is shown as is needs none."""
    orders = []
    kept = kept_faces(n, album, people)
    for i, xyxy in enumerate(album.pictures[n].faces.xyxy.tolist()):
        if i in kept:
            continue
        box = tuple(round(value, 2) for value in xyxy)
        person = people.persons.get((n, i)) if album.failure((n, i)) is None else None
        group = group_of.get(person) if person else None
        face = None if group is None else shared.faces[group]
        told = (None, None) if face is None else (face.key, face.digest)
        orders.append(FaceOrder(i, box, group, *told))
    return tuple(orders)


def _why_withheld(
    plan: Plan, n: int, album: Album, people: People, faces: Sequence[FaceOrder]
) -> str | None:
    """Why a photo is not released, or None."""
    picture = album.pictures[n]
    if picture.failure is not None:
        return picture.failure
    if n in people.set_aside:
        return SET_ASIDE
    if n in people.unlisted:
        return NOT_LISTED
    if n in people.surplus:
        return SURPLUS
    if not len(picture.faces):
        return None if plan.allow_faceless else NO_FACE
    if plan.guarantees and plan.on_failure == "withhold":
        for order in faces:
            if order.group is None:
                spot = (n, order.number)
                why = album.failure(spot) or people.strangers.get(spot, "it has no person")
                return f"a face cannot be replaced: {why}"
    return None


def _names(job: Job, pictures: Sequence[Picture]) -> list[str]:
    """Neutral names in a random order, or the originals' own names."""
    suffixes = [_SUFFIX.get(picture.format, ".png") for picture in pictures]
    if not job.plan.keep_names:
        width = max(6, len(str(len(pictures))))
        order = job.secret.permutation(len(pictures), "names")
        return [f"{place + 1:0{width}d}{s}" for place, s in zip(order, suffixes, strict=True)]
    names: list[str] = []
    taken: set[str] = {"certificate.json", "report.html"}
    for picture, suffix in zip(pictures, suffixes, strict=True):
        base = _below(picture.path, job.plan.inputs)
        keeps = picture.path.suffix.lower() in (suffix, ".jpeg" if suffix == ".jpg" else suffix)
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
