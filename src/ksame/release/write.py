"""The fourth stage: photos with their faces replaced, checked, and only then written."""

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ksame.arrays import Arrays, Floats, Image
from ksame.errors import MediaError
from ksame.faces import Face
from ksame.files import sha256_of, write_bytes
from ksame.release.contents import content_of
from ksame.release.differing import share_differing
from ksame.release.find import CHANGED, FAULTS, UNWORKABLE, Album
from ksame.release.finished_files import Described, described
from ksame.release.guarding import known_faces, with_gallery
from ksame.release.job import Job
from ksame.release.leftovers import Judge, LateFace, hide_what_is_left
from ksame.release.media import write_by_medium
from ksame.release.mildest import ROUNDS, Shown, guarded_more
from ksame.release.name import People, faces_of_people
from ksame.release.orders import Orders, PhotoOrder, order_photos
from ksame.release.share import Shared
from ksame.release.styles import style_named
from ksame.release.styles.contract import FaceWritten, Protected

log = logging.getLogger(__name__)

WRITTEN: Final = "written"  # the kind under which the store keeps what is known of a written photo
_CROWD: Final = 16  # faces
UNPROTECTED: Final = "a face was found in the result that was not replaced"


@dataclass(frozen=True, slots=True)
class Written:
    """A photo after the fourth stage; ``failure`` says why it was withheld at the last moment.

    ``faces`` is parallel to the order's; ``late`` are those that the last look found, ``ignored``
    boxes (xyxy) that a detector takes for faces and other models do not. ``found``
    counts the replaced faces that are still seen as faces, ``changed`` is the share of pixels that
    differ from the original. ``clip`` tells of a clip what a photo does not have: its stream's
    facts, and the frames in which something was filled. ``content`` is the digest of everything
    that it was made from, ``guard`` how much its faces were guarded at most.
    """

    name: str
    sha256: str = ""
    failure: str | None = None
    faces: tuple[FaceWritten, ...] = ()
    late: tuple[LateFace, ...] = ()
    ignored: tuple[tuple[float, ...], ...] = ()
    found: int = 0
    changed: float = 0.0
    clip: Mapping[str, Any] | None = field(default=None, repr=False)
    content: str = ""
    guard: int = 0

    def as_made(self) -> dict[str, Any]:
        """What the ledger tells of the file, so that it need not be made again."""
        told = ("sha256", "content", "found", "changed", "guard")
        return {name: getattr(self, name) for name in told}


@dataclass(frozen=True, slots=True)
class WrittenPhotos:
    """What became of every photo of the album, by its number."""

    orders: Orders
    results: Mapping[int, Written] = field(repr=False)

    def released(self) -> dict[int, Written]:
        """The photos that passed the last check."""
        return {n: written for n, written in self.results.items() if written.failure is None}

    def withheld(self) -> dict[int, str]:
        """The photos that are not released, with why."""
        late = {n: w.failure for n, w in self.results.items() if w.failure is not None}
        return dict(sorted({**self.orders.withheld, **late}.items()))

    def without(self, names: Mapping[str, str]) -> "WrittenPhotos":
        """The same with some photos withheld after all, by their released name, with why."""
        results = {
            n: replace(written, failure=names[written.name]) if written.name in names else written
            for n, written in self.results.items()
        }
        return WrittenPhotos(self.orders, results)


def write(job: Job, album: Album, people: People, shared: Shared) -> WrittenPhotos:
    """Write every photo that may be released into the folder that becomes OUT.

    What would come out as it was in the release that is made again is taken over from it.
    """
    from ksame.release.taking_over import take_over

    orders = order_photos(job, album, people, shared)
    faces = faces_of_people(album, people)
    orders = replace(orders, write=with_gallery(job, album, faces, orders.write))
    taken = take_over(job, orders.write)
    numbers = sorted(orders.write.keys() - taken.keys(), key=lambda n: _turn(orders.write[n]))
    results = write_by_medium(job, [orders.write[n] for n in numbers])
    made = dict(zip(numbers, results, strict=True))
    return WrittenPhotos(orders, dict(sorted({**taken, **made}.items())))


def _turn(order: PhotoOrder) -> tuple[int, int, str]:
    """When a photo's turn is.

    Crowds come first: they take longest, and whoever begins with one last is waited for. Then group
    by group, so that a worker finds the shared face in memory; names are in random order.
    """
    return -(len(order.faces) // _CROWD), order.first_group, order.name


def write_one(order: PhotoOrder) -> Written:
    """Replace, check and write the faces of one photo, unless that was done before.

    Guarantee: a file appears in the release's folder only after every face that the detector sees
    in the finished picture was found to lie on a replaced, filled or black region.
    """
    target = order.folder / order.name
    if (record := order.store.note(WRITTEN, order.key)) is not None:
        done = restored(record)
        if done.failure or (target.is_file() and sha256_of(target) == done.sha256):
            return done
    # an old file of that name is replaced, never removed first: the same order may be done by a
    # second worker at this moment, whose file it is
    make_folder(target.parent, order.folder)
    try:
        written, arrays = _make(order, target)
    except FAULTS as fault:
        log.warning("a photo %s: %s", UNWORKABLE, type(fault).__name__)
        written, arrays = Written(order.name, failure=f"{UNWORKABLE}: {type(fault).__name__}"), {}
    if written.failure:
        target.unlink(missing_ok=True)
    if written.failure != CHANGED:  # a photo that comes back is written by the next run
        save_written(order, written, arrays)
    return written


def save_written(order: PhotoOrder, written: Written, arrays: Arrays) -> None:
    """Keep what is known of a written picture."""
    order.store.save(WRITTEN, order.key, arrays, asdict(written))


def make_folder(folder: Path, root: Path) -> None:
    """Make a folder below the release's, which must be there: it is gone once OUT is in place."""
    if folder != root:
        make_folder(folder.parent, root)
        folder.mkdir(exist_ok=True)


def _make(order: PhotoOrder, target: Path) -> tuple[Written, dict[str, Floats]]:
    from ksame.media import encode_photo, read_photo

    try:
        photo = read_photo(order.path, max_pixels=order.max_pixels, writeable=False)
        if sha256_of(order.path) != order.sha256:
            return Written(order.name, failure=CHANGED), {}
    except (MediaError, OSError):
        return Written(order.name, failure=CHANGED), {}

    def encode(rgb: Image) -> bytes:
        # one setting for a whole release: the originals' would tell cameras apart
        return encode_photo(rgb, photo.release_format)

    judge = Judge.of(order, photo.rgb)
    made = _finish(order, photo.rgb, encode, judge)
    for round_ in range(ROUNDS):
        known = known_faces(order, made.described)
        more = guarded_more(order, known, Shown(photo.rgb, made.protected, made.found), round_)
        if more == order:
            break
        order, made = more, _finish(more, photo.rgb, encode, judge, made)
    if made.late is None:
        return Written(order.name, failure=UNPROTECTED), {}
    write_bytes(target, made.data, 0o644)
    written = Written(
        order.name,
        hashlib.sha256(made.data).hexdigest(),
        faces=made.protected.faces,
        late=made.late,
        ignored=made.protected.ignored,
        found=len(made.found),
        changed=share_differing(made.protected.rgb, photo.rgb),
        content=content_of(order),
        guard=max((face.guard for face in order.faces), default=0),
    )
    return written, made.described


@dataclass(frozen=True, slots=True)
class _Finished:
    """A photo with its faces replaced, looked at again; ``late`` is None if it must be withheld."""

    protected: Protected = field(repr=False)
    found: Sequence[Face] = field(repr=False)
    late: tuple[LateFace, ...] | None
    data: bytes = field(repr=False)
    described: dict[str, Floats] = field(repr=False)
    picture: Image | None = field(default=None, repr=False)


def _finish(
    order: PhotoOrder,
    rgb: Image,
    encode: Callable[[Image], bytes],
    judge: Judge,
    before: _Finished | None = None,
) -> _Finished:
    """Replace the faces of a photo, hide what is left, and describe what is seen.

    ``before`` is the same photo as it was finished before: what shows the same is described so.
    """
    protected = style_named(order.style).protect(order, rgb)
    looked = hide_what_is_left(order, rgb, protected, encode, judge)
    if looked is None:
        return _Finished(protected, [], None, b"", {})
    once = None
    if before is not None and before.picture is not None:
        once = Described(before.picture, before.found, before.described)
    seen = described(order, looked.picture, looked.found, once)
    return _Finished(looked.protected, looked.found, looked.late, looked.data, seen, looked.picture)


def restored(record: dict[str, Any]) -> Written:
    """A photo as an earlier run wrote it."""
    faces = tuple(map(FaceWritten.of, record["faces"]))
    late = tuple(map(LateFace.of, record["late"]))
    ignored = tuple(tuple(box) for box in record["ignored"])
    return Written(**{**record, "faces": faces, "late": late, "ignored": ignored})
