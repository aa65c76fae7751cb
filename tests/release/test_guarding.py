"""Faces that are known in the finished picture are drawn again with less around them."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ksame import render, vision
from ksame.codecs.face import FaceModel, Looks
from ksame.datasets.demo_people import demo_people
from ksame.release import deidentify, mildest
from ksame.release import write as writing
from ksame.release.find import FOUND
from ksame.release.finished_files import Described, described
from ksame.release.guarding import GALLERY, guarded, known_faces
from ksame.release.model_faces import keep_face
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.release.styles import drawing, model
from ksame.render import LADDER, Front, with_another
from ksame.store import Store
from ksame.verification import verify
from ksame.vision import find_faces

PEOPLE = 60  # many: whoever is the first is known
STRANGER = np.eye(128, dtype=np.float32)[127]  # like nobody of the gallery


@pytest.fixture
def gallery():
    return np.eye(PEOPLE, 128, dtype=np.float32)


@pytest.fixture
def order(tmp_path, gallery):
    """A photo of person 7, whose face is 100 px wide."""
    store = Store(tmp_path)
    owners = np.arange(PEOPLE, dtype=np.int64)
    store.save(GALLERY, "all", {"embeddings": gallery, "owners": owners}, True)
    face = FaceOrder(0, (0.0, 0.0, 100.0, 100.0), group=1, surrogate="face", owner=7)
    return PhotoOrder(
        path=Path("photo"), sha256="", found="", name="1.jpg", store=store, folder=tmp_path,
        faces=(face,), style="model", mode="natural", on_failure="fill", max_pixels=10**6,
        gallery="all",
    )  # fmt: skip


def row(vector):
    return {"sface": np.asarray(vector, np.float64)[None]}


def test_a_face_is_known_whose_person_is_the_first(order, gallery):
    assert known_faces(order, row(gallery[7])) == (0,)
    faint = 0.2 * gallery[7] + 0.1 * gallery[3] + STRANGER
    assert known_faces(order, row(faint)) == (0,)


def test_a_face_is_not_known_that_is_more_like_another(order, gallery):
    assert known_faces(order, row(gallery[7] + 1.1 * gallery[3])) == ()


def test_a_face_is_known_whose_person_is_nearly_the_first(order, gallery):
    """Other recognisers rank the nearest in another order."""
    nearly = row(gallery[7] + 1.02 * gallery[3])
    alike = gallery @ nearly["sface"][0]
    assert alike.argmax() == 3
    assert known_faces(order, nearly) == (0,)


def test_among_few_people_the_first_is_known_only_if_accepted(order, gallery):
    few = {"embeddings": gallery[:10], "owners": np.arange(10, dtype=np.int64)}
    order.store.save(GALLERY, "few", few, True)
    among_few = replace(order, gallery="few")
    assert known_faces(among_few, row(0.4 * gallery[7] + STRANGER)) == (0,)
    assert known_faces(among_few, row(0.3 * gallery[7] + STRANGER)) == ()


@pytest.mark.parametrize(
    "changed",
    [{"owner": None}, {"surrogate": None, "group": None}],
)
def test_what_is_not_replaced_is_not_compared(order, gallery, changed):
    other = replace(order, faces=(replace(order.faces[0], **changed),))
    assert known_faces(other, row(gallery[7])) == ()


def test_a_face_that_is_found_no_more_is_not_compared(order):
    assert known_faces(order, row(np.full(128, np.nan))) == ()
    assert known_faces(order, {}) == ()


def test_only_the_known_faces_are_guarded(order):
    two = replace(order, faces=(order.faces[0], replace(order.faces[0], number=1)))
    assert [face.guard for face in guarded(two, (1,), 2).faces] == [0, 2]


def test_a_photo_that_is_finished_again_draws_its_guarded_faces_alone(two_faces, monkeypatch):
    photo, rgb = two_faces
    drawing._last.drawing = None
    measured, real = [], render.measure

    def measure(*given):
        measured.append(given)
        return real(*given)

    monkeypatch.setattr(render, "measure", measure)
    model.protect(photo, rgb)
    assert len(measured) == 2
    again = model.protect(guarded(photo, (1,), 4), rgb)
    assert len(measured) == 2, "its numbers are at hand"
    drawing._last.drawing = None
    afresh = model.protect(guarded(photo, (1,), 4), rgb)
    assert len(measured) == 4
    np.testing.assert_array_equal(again.rgb, afresh.rgb)
    assert again.faces == afresh.faces


def test_guards_that_reach_as_high_share_a_drawing(two_faces):
    photo, rgb = two_faces
    tried = [guarded(photo, (0,), n).faces[0] for n in (1, 2, 3)]
    drawn = [drawing.drawing_of(photo, rgb).face(photo, rgb, face).rendered for face in tried]
    assert [one is drawn[0] for one in drawn] == [True, True, False]


class _Interrupted(str):
    """A digest that lets something happen when it is compared."""

    __slots__ = ("happens",)

    def __eq__(self, other):
        self.happens()
        return str(self) == other

    __hash__ = str.__hash__


def test_photos_of_two_threads_do_not_mix(order):
    """A second run in another thread protects its photo while the first looks at what it keeps."""
    demo = demo_people()
    nobody = keep_face(order.store, FaceModel.load().draw(np.random.default_rng(1), Looks()))

    def photo(name, *rows):
        rgb = np.hstack([demo.image(row) for row in rows])
        faces, arrays = model.keep(rgb, list(find_faces(rgb)), ())
        order.store.save(FOUND, name, arrays)
        told = tuple(
            FaceOrder(i, tuple(face.box.tolist()), group=1, surrogate=nobody.digest)
            for i, face in enumerate(faces)
        )
        return replace(order, sha256=name, found=name, faces=told), rgb

    two, one = photo("two", 0, 3), photo("one", 6)
    alone = model.protect(*two)
    digest = _Interrupted("two")

    def happens():
        other = threading.Thread(target=model.protect, args=one)
        other.start()
        other.join()

    digest.happens = happens
    beside = model.protect(replace(two[0], sha256=digest), two[1])
    np.testing.assert_array_equal(beside.rgb, alone.rgb)
    assert beside.faces == alone.faces


@pytest.fixture
def two_faces(order):
    """A photo of two people, and the order for it; the second one is person 7."""
    demo = demo_people()
    rgb = np.hstack([demo.image(0), demo.image(3)])
    faces, arrays = model.keep(rgb, list(find_faces(rgb)), ())
    order.store.save(FOUND, "two", arrays)
    nobody = keep_face(order.store, FaceModel.load().draw(np.random.default_rng(1), Looks()))
    two = tuple(
        FaceOrder(i, tuple(face.box.tolist()), group=1, surrogate=nobody.digest, owner=i + 6)
        for i, face in enumerate(faces)
    )
    return replace(order, sha256="two", found="two", faces=two, embed=True), rgb


def shown_of(order, rgb):
    protected = model.protect(order, rgb)
    return mildest.Shown(rgb, protected, list(find_faces(protected.rgb)))


def known_below(guard, tried=None):
    """A recogniser that knows every face with a milder guard."""

    def known(order, described, spare):
        (face,) = order.faces
        assert spare < 0
        if tried is not None:
            tried.append(face.guard)
        return (face.number,) if face.guard < guard else ()

    return known


@pytest.mark.parametrize("guard", [3, 5])
def test_the_mildest_guard_that_hides_a_face_is_taken(two_faces, monkeypatch, guard):
    order, rgb = two_faces
    shown = shown_of(order, rgb)
    before = shown.protected.rgb.copy()
    monkeypatch.setattr(mildest, "known_faces", known_below(guard))
    more = mildest.guarded_more(order, (1,), shown, 0)
    assert [face.guard for face in more.faces] == [0, guard]
    again = mildest.guarded_more(more, (1,), shown_of(more, rgb), 1)
    assert again.faces[1].guard > guard, "known in the file all the same: one more"
    np.testing.assert_array_equal(shown.protected.rgb, before)


def test_guards_that_change_nothing_are_not_tried(two_faces, monkeypatch):
    """These two wear neither masks nor glasses: the first guard draws what is drawn already."""
    order, rgb = two_faces
    tried = []
    monkeypatch.setattr(mildest, "known_faces", known_below(9, tried))
    more = mildest.guarded_more(order, (0,), shown_of(order, rgb), 0)
    assert more.faces[0].guard == len(LADDER) - 1
    assert 1 not in tried
    assert {3, 4} <= set(tried)


def test_a_face_that_no_guard_hides_gets_the_last_one_and_then_no_other(two_faces, monkeypatch):
    order, rgb = two_faces
    shown = shown_of(order, rgb)
    last = mildest.guarded_more(order, (0, 1), shown, mildest.ROUNDS - 1)
    assert {face.guard for face in last.faces} == {len(LADDER) - 1}
    assert mildest.guarded_more(last, (0, 1), shown, mildest.ROUNDS - 1) == last
    assert mildest.guarded_more(order, (), shown, 0) == order


def test_what_is_tried_in_memory_is_what_the_photo_will_show(two_faces):
    order, rgb = two_faces
    shown = model.protect(order, rgb)
    for guard in (4, len(LADDER) - 1):
        more = guarded(order, (1,), guard)
        after = model.protect(more, rgb)
        one = next(one for one in after.laid if one.place == 1)
        x0, y0, x1, y1 = one.rendered.box
        tried = with_another(rgb, shown.laid, one)
        np.testing.assert_array_equal(tried, after.rgb[y0:y1, x0:x1])
        assert (tried != shown.rgb[y0:y1, x0:x1]).any()


def test_faces_that_look_as_before_are_not_described_again(two_faces, monkeypatch):
    order, rgb = two_faces
    found = list(find_faces(rgb))
    seen, real = [], vision.embed_sface

    def embed(picture, face):
        seen.append(face)
        return real(picture, face)

    monkeypatch.setattr(vision, "embed_sface", embed)
    first = described(order, rgb, found)
    assert len(seen) == 2
    other = rgb.copy()
    x, y = np.round(found[1].box[:2]).astype(int)
    other[y : y + 9, x : x + 9] = 0
    again = described(order, other, found, Described(rgb, found, first))
    afresh = described(order, other, found)
    assert len(seen) == 2 + 1 + 2
    np.testing.assert_array_equal(again["sface"], afresh["sface"])


@pytest.mark.slow
def test_faces_that_no_guard_hides_show_no_shape_of_the_head_and_verify(
    album, tmp_path, monkeypatch
):
    """Every face is taken for known, whatever guard is tried: the last drawing holds."""
    monkeypatch.setattr(writing, "known_faces", lambda order, _: ())
    plain = deidentify(str(album), tmp_path / "plain", k=3, persons="folder", seed=7, jobs=1)
    monkeypatch.setattr(
        writing, "known_faces", lambda order, _: tuple(face.number for face in order.faces)
    )
    monkeypatch.setattr(mildest, "known_faces", lambda *_: ("known",))
    guarded_one = deidentify(
        str(album), tmp_path / "guarded", k=3, persons="folder", seed=7, jobs=1
    )
    before, after = (
        json.loads(release.ledger.read_text(encoding="utf-8"))["faces"]
        for release in (plain, guarded_one)
    )
    for one, two in zip(before, after, strict=True):
        if told := two["numbers"]["front"]:  # the background beside the head, everybody's hair
            front = Front.from_json(told)
            assert not front.veil.any()
            assert not front.frame[len(front.frame) // 2 :].any()
            assert np.abs(front.frame_paint[3:]).max() <= 3, "its colour alone"
            y, x = (np.linspace(-1, 1, side) for side in front.cells.shape)
            assert not front.cells[np.hypot(*np.meshgrid(x, y)) < 0.55].any()
        assert two["numbers"]["outline"][0] == one["numbers"]["outline"][0] + 8
        assert two["numbers"]["outline"][4] == one["numbers"]["outline"][4]
        assert two["numbers"]["expression"] == one["numbers"]["expression"]
    assert verify(guarded_one.out, guarded_one.ledger).findings == ()
