"""Who is revealed, and who is not: pixel by pixel."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from small_release import PHOTOS, SIZE, build, seal, small_release

from ksame.errors import InputError, VaultError
from ksame.vault import find_locks, open_vault, reveal, write_pair
from ksame.vault.index import FaceRegion
from ksame.vault.regions import owned


def _pixels(path):
    with Image.open(path) as image:
        return np.array(image.convert("RGB"))


def _inside(boxes):
    mask = np.zeros(SIZE, bool)
    for x0, y0, x1, y1 in boxes:
        mask[y0:y1, x0:x1] = True
    return mask


def test_one_person_comes_back_exactly_and_nobody_else(small):
    found = reveal(small.open(), small.out, small.root / "dir", ["ada"])
    assert (found.files, found.whole, found.left) == (2, 0, 0)
    assert sorted(p.name for p in (small.root / "dir").iterdir()) == ["000001.png", "000002.png"]
    for name, people in list(PHOTOS.items())[:2]:
        shown = _pixels(small.root / "dir" / name.replace("jpg", "png"))
        before, after = small.original(name)[0], small.released(name)
        mine = _inside(box for person, box in people if person == "ada")
        others = _inside(box for person, box in people if person != "ada")
        assert (shown[mine & ~others] == before[mine & ~others]).all()
        assert (shown[others & ~mine] == after[others & ~mine]).all()
        # every pixel is the original's or the release's
        assert ((shown == before).all(axis=2) | (shown == after).all(axis=2)).all()


def test_both_of_a_pair_come_back_whole_though_their_boxes_overlap(small):
    reveal(small.open(), small.out, small.root / "dir", ["ada", "bob"])
    shown, (before, _) = _pixels(small.root / "dir" / "000002.png"), small.original("000002.jpg")
    both = _inside(box for _, box in PHOTOS["000002.jpg"])
    assert (shown[both] == before[both]).all()


def test_all_gives_back_the_original_files_byte_by_byte(small):
    found = reveal(small.open(), small.out, small.root / "dir")
    assert (found.files, found.whole) == (len(PHOTOS), len(PHOTOS))
    for name in PHOTOS:
        assert (small.root / "dir" / name).read_bytes() == small.original(name)[1]
        assert (small.root / "dir" / name).stat().st_mode & 0o777 == 0o600
    assert (small.root / "dir").stat().st_mode & 0o777 == 0o700


def test_a_face_that_nobody_named_has_a_name_of_its_own(small):
    reveal(small.open(), small.out, small.root / "dir", ["000003.jpg#2"])
    shown = _pixels(small.root / "dir" / "000003.png")
    mine = _inside([(30, 2, 40, 12)])
    assert (shown[mine] == small.original("000003.jpg")[0][mine]).all()
    bob = _inside([(5, 5, 25, 25)])
    assert (shown[bob] == small.released("000003.jpg")[bob]).all()


def test_every_reveal_is_in_the_log_before_anything_is_read(small):
    head = reveal(small.open(), small.out, small.root / "a", ["ada"], reason="a court").head
    log = small.open().index.log
    assert [entry.act for entry in log] == ["made", "revealed"]
    assert (log[-1].photos, log[-1].reason, log[-1].digest) == (2, "a court", head)
    data = bytearray(small.path.read_bytes())
    part = next(p for p in small.open().index.parts if p.photo == "000001.png")
    data[part.offset] ^= 1
    small.path.write_bytes(data)
    with pytest.raises(VaultError, match="altered"):
        reveal(small.open(), small.out, small.root / "b", ["ada"])
    assert not list(small.root.glob("b*"))
    assert [entry.act for entry in small.open().index.log] == ["made", "revealed", "revealed"]


@pytest.mark.parametrize("kind", ["inside", "taken", "nobody", "other release", "changed photo"])
def test_what_cannot_be_is_refused_and_leaves_neither_files_nor_log(small, kind, tmp_path):
    out, target, who = small.out, tmp_path / "dir", ["ada"]
    error = InputError
    if kind == "inside":
        target = small.out / "dir"
    elif kind == "taken":
        target.mkdir()
        (target / "mine").touch()
    elif kind == "nobody":
        who, error = ["nobody-of-that-name"], VaultError
    elif kind == "other release":
        out, error = small_release(tmp_path / "other", seed=1).out, VaultError
    else:
        out = tmp_path / "out"
        out.mkdir()
        for path in small.out.iterdir():
            (out / path.name).write_bytes(path.read_bytes())
        Image.new("RGB", SIZE[::-1]).save(out / "000001.png")
    with pytest.raises(error) as raised:
        reveal(small.open(), out, target, who)
    assert not [name for name in ("ada", "bob", "nobody-of") if name in str(raised.value)]
    assert not target.exists() or [p.name for p in target.iterdir()] == ["mine"]
    assert not target.with_name("dir.part").exists()


def test_what_a_killed_run_left_is_removed(small):
    left = small.root / "dir.part"
    left.mkdir()
    (left / "face.png").touch()
    reveal(small.open(), small.out, small.root / "dir", ["eve"])
    assert [p.name for p in (small.root / "dir").iterdir()] == ["000005.png"]
    assert not left.exists()


def test_names_that_differ_in_their_ending_alone_keep_apart(tmp_path):
    photos = {"a.jpg": [("ada", (2, 2, 20, 20))], "a.png": [("ada", (5, 5, 20, 20))]}
    small = small_release(tmp_path, photos)
    assert reveal(small.open(), small.out, tmp_path / "dir", ["ada"]).files == 2
    assert sorted(p.name for p in (tmp_path / "dir").iterdir()) == ["a.png", "a.png.png"]


BOXES = st.tuples(*[st.integers(0, 30)] * 2, *[st.integers(1, 18)] * 2)


@given(st.lists(BOXES, min_size=1, max_size=5))
def test_no_pixel_belongs_to_two_and_a_box_alone_is_its_face_s(places):
    """Whatever the boxes are."""
    boxes = [(x, y, x + w, y + h) for x, y, w, h in places]
    faces = [FaceRegion(n, box, (0, 0, SIZE[1], SIZE[0])) for n, box in enumerate(boxes)]
    masks = np.stack([owned(n, faces) for n in range(len(boxes))])
    assert (masks.sum(axis=0) == 1).all()
    for n, box in enumerate(boxes):
        alone = _inside([box]) & ~_inside(boxes[:n] + boxes[n + 1 :])
        assert masks[n][alone].all()


def test_a_file_of_another_medium_comes_back_whole_if_one_person_is_seen(tmp_path):
    """Clips: pixels of single people are not told apart in them."""
    out, book = build(tmp_path, {"000001.png": [("ada", (4, 6, 20, 26))]})
    for name, people in (("000002.mp4", ["bob"]), ("000003.mp4", ["bob", "eve"])):
        clip = tmp_path / name
        clip.write_bytes(b"a clip of " + name.encode())
        (out / name).write_bytes(b"changed")
        book["files"][name] = str(clip)
        book["originals"][name] = hashlib.sha256(clip.read_bytes()).hexdigest()
        book["faces"] += [
            {"file": name, "box": [0.0, 0.0, 9.0, 9.0], "person": who, "hidden": None}
            for who in people
        ]
    write_pair(tmp_path / "key")
    locks = find_locks(tmp_path / "key")
    path = seal(tmp_path, out, book, locks)
    found = reveal(open_vault(path, locks), out, tmp_path / "bob", ["bob"])
    assert (found.files, found.whole, found.left) == (1, 1, 1)
    assert (tmp_path / "bob" / "000002.mp4").read_bytes() == b"a clip of 000002.mp4"
    assert reveal(open_vault(path, locks), out, tmp_path / "all").whole == 3
