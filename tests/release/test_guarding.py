"""Faces that are known in the finished picture are drawn again with less around them."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ksame import render
from ksame.codecs.face import FaceModel, Looks
from ksame.datasets.demo_people import demo_people
from ksame.release import deidentify
from ksame.release import write as writing
from ksame.release.find import FOUND
from ksame.release.guarding import GALLERY, guarded, known_faces
from ksame.release.model_faces import keep_face
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.release.styles import model
from ksame.render import Front
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


def described(vector):
    return {"sface": np.asarray(vector, np.float64)[None]}


def test_a_face_is_known_whose_person_is_the_first(order, gallery):
    assert known_faces(order, described(gallery[7])) == (0,)
    faint = 0.2 * gallery[7] + 0.1 * gallery[3] + STRANGER
    assert known_faces(order, described(faint)) == (0,)


def test_a_face_is_not_known_that_is_more_like_another(order, gallery):
    assert known_faces(order, described(gallery[7] + 1.1 * gallery[3])) == ()


def test_a_face_is_known_whose_person_is_nearly_the_first(order, gallery):
    """Other recognisers rank the nearest in another order."""
    nearly = described(gallery[7] + 1.02 * gallery[3])
    alike = gallery @ nearly["sface"][0]
    assert alike.argmax() == 3
    assert known_faces(order, nearly) == (0,)


def test_among_few_people_the_first_is_known_only_if_accepted(order, gallery):
    few = {"embeddings": gallery[:10], "owners": np.arange(10, dtype=np.int64)}
    order.store.save(GALLERY, "few", few, True)
    among_few = replace(order, gallery="few")
    assert known_faces(among_few, described(0.4 * gallery[7] + STRANGER)) == (0,)
    assert known_faces(among_few, described(0.3 * gallery[7] + STRANGER)) == ()


@pytest.mark.parametrize(
    "changed",
    [{"owner": None}, {"surrogate": None, "group": None}],
)
def test_what_is_not_replaced_is_not_compared(order, gallery, changed):
    other = replace(order, faces=(replace(order.faces[0], **changed),))
    assert known_faces(other, described(gallery[7])) == ()


def test_a_face_that_is_found_no_more_is_not_compared(order):
    assert known_faces(order, described(np.full(128, np.nan))) == ()
    assert known_faces(order, {}) == ()


def test_only_the_known_faces_are_guarded(order):
    two = replace(order, faces=(order.faces[0], replace(order.faces[0], number=1)))
    assert [face.guard for face in guarded(two, (1,), 2).faces] == [0, 2]


def test_a_photo_that_is_finished_again_draws_its_guarded_faces_alone(order, monkeypatch):
    demo = demo_people()
    rgb = np.hstack([demo.image(0), demo.image(3)])
    faces, arrays = model.keep(rgb, list(find_faces(rgb)), ())
    order.store.save(FOUND, "two", arrays)
    nobody = keep_face(order.store, FaceModel.load().draw(np.random.default_rng(1), Looks()))
    two = tuple(
        FaceOrder(i, tuple(face.box.tolist()), group=1, surrogate=nobody.digest)
        for i, face in enumerate(faces)
    )
    photo = replace(order, found="two", faces=two)
    measured, real = [], render.measure

    def measure(*given):
        measured.append(given)
        return real(*given)

    monkeypatch.setattr(render, "measure", measure)
    model.protect(photo, rgb)
    assert len(measured) == 2
    again = model.protect(guarded(photo, (1,), 2), rgb)
    assert len(measured) == 3
    model._last.seen = None
    afresh = model.protect(guarded(photo, (1,), 2), rgb)
    assert len(measured) == 5
    np.testing.assert_array_equal(again.rgb, afresh.rgb)
    assert again.faces == afresh.faces


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


@pytest.mark.slow
def test_guarded_faces_show_nothing_of_the_head_are_wider_and_verify(album, tmp_path, monkeypatch):
    """Every face is taken for known: each is drawn three times, and the last drawing holds."""
    monkeypatch.setattr(writing, "known_faces", lambda order, _: ())
    plain = deidentify(str(album), tmp_path / "plain", k=3, persons="folder", seed=7, jobs=1)
    monkeypatch.setattr(
        writing, "known_faces", lambda order, _: tuple(face.number for face in order.faces)
    )
    guarded_one = deidentify(
        str(album), tmp_path / "guarded", k=3, persons="folder", seed=7, jobs=1
    )
    before, after = (
        json.loads(release.ledger.read_text(encoding="utf-8"))["faces"]
        for release in (plain, guarded_one)
    )
    for one, two in zip(before, after, strict=True):
        if told := two["numbers"]["front"]:  # the background beside the head alone
            front = Front.from_json(told)
            assert not front.veil.any()
            assert not front.frame.any()
            y, x = (np.linspace(-1, 1, side) for side in front.cells.shape)
            assert not front.cells[np.hypot(*np.meshgrid(x, y)) < 0.55].any()
        assert two["numbers"]["outline"][0] > one["numbers"]["outline"][0]
        assert two["numbers"]["expression"] == one["numbers"]["expression"]
    assert verify(guarded_one.out, guarded_one.ledger).findings == ()
