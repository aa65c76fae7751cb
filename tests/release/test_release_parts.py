"""The parts of a release that need no picture: groups, people, names, secrets, documents."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from Crypto.Protocol.KDF import scrypt
from hypothesis import given
from hypothesis import strategies as st
from release_plans import HERE, job_of, plan_of_nothing

from ksame.errors import InputError
from ksame.faces import Faces
from ksame.methods.recipes import RECIPES
from ksame.people import merge_names
from ksame.release.certificate import commit, digest
from ksame.release.claims import claims, not_claimed
from ksame.release.classes import classes_of
from ksame.release.find import Album, Picture
from ksame.release.hiding import head_box
from ksame.release.name import NOT_LISTED, People, name
from ksame.release.options import MOST_JOBS, method_names
from ksame.release.orders import NO_FACE, order_photos
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch
from ksame.release.secret import Secret, draw_secret, job_digest
from ksame.release.share import Shared, SharedFace, group


def _album(*photos, failure="", state="neutral"):
    """Pictures with as many faces as are named for each."""
    pictures = []
    for i, (path, count) in enumerate(photos):
        faces = Faces(
            xyxy=np.tile([10.0, 10, 50, 60], (count, 1)),
            points=np.zeros((count, 5, 2)),
            score=np.ones(count),
            failure=np.array([failure] * count, np.str_),
            data={"state": np.array([state] * count, np.str_)},
        )
        key = f"{i:064x}"
        pictures.append(Picture(HERE / path, key, key, None, faces, "jpeg"))
    return Album(tuple(pictures), len(pictures))


def _shared(*people):
    return Shared(tuple(SharedFace((person,), (), "key", "digest") for person in people))


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3), max_size=8))
def test_merging_joins_whoever_shares_a_face_and_nobody_else(sets):
    same = merge_names(sets)
    together = {letter: {letter} for letter in "abcdefgh"}
    for names in sets:
        joined = set().union(*(together[letter] for letter in names))
        for letter in joined:
            together[letter] = joined
    for one in same:
        for other in same:
            assert (same[one] == same[other]) == (other in together[one])


def test_folders_name_people_and_folders_below_are_sessions(tmp_path):
    root = tmp_path / "in"
    root.mkdir()
    names = ["anna/1.jpg", "anna/second visit/2.jpg", "bert/3.jpg", "4.jpg"]
    album = _album(*((root / path, 1) for path in names))
    people = name(job_of(plan_of_nothing(inputs=root, persons="folder"), tmp_path), album)
    assert [people.persons[n, 0] for n in range(4)] == ["anna", "anna", "bert", "in"]


def test_the_largest_face_is_the_named_persons_and_others_are_strangers(tmp_path):
    people = name(job_of(plan_of_nothing(persons="folder"), tmp_path), _album(("a/1.jpg", 3)))
    assert set(people.persons) == {(0, 0)}
    assert set(people.strangers) == {(0, 1), (0, 2)}


def test_a_persons_class_is_what_most_faces_say(tmp_path):
    album = _album(("a", 1), ("b", 1), ("c", 1))
    labels = {0: {"side": "left"}, 1: {"side": "right"}, 2: {"side": "right"}}
    people = People({(n, 0): "p" for n in range(3)}, labels=labels)
    job = job_of(plan_of_nothing(method="m", select=("side",)), tmp_path)
    faces = {"p": [(0, 0), (1, 0), (2, 0)]}
    assert classes_of(job, album, people, faces) == {"p": ("right",)}


def test_names_are_a_permutation_that_only_the_secret_tells():
    album = _album(*((f"{i:02d}.jpg", 1) for i in range(30)))
    people = People({(n, 0): f"p{n}" for n in range(30)})
    shared = _shared(*(f"p{n}" for n in range(30)))
    orders = [
        order_photos(job_of(secret=Secret(1, nonce)), album, people, shared)
        for nonce in ("a", "a", "b")
    ]
    names = [[order.name for order in found.write.values()] for found in orders]
    assert sorted(names[0]) == [f"{i:06d}.jpg" for i in range(1, 31)]
    assert names[0] == names[1]
    assert names[0] != names[2]
    assert names[0] != sorted(names[0])


def test_kept_names_never_collide_with_each_other_or_with_ours():
    album = _album(*((path, 1) for path in ["a/x.jpg", "b/x.jpg", "certificate.json", "A/X.JPG"]))
    people = People({(n, 0): f"p{n}" for n in range(4)})
    orders = order_photos(job_of(plan_of_nothing(keep_names=True)), album, people, Shared())
    names = [order.name.casefold() for order in orders.write.values()]
    assert len(set(names)) == 4
    assert "certificate.json" not in names


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, NO_FACE),
        ({"allow_faceless": True}, None),
    ],
)
def test_photos_without_a_face(options, reason):
    orders = order_photos(
        job_of(plan_of_nothing(**options)), _album(("a.jpg", 0)), People({}), Shared()
    )
    assert orders.withheld.get(0) == reason


def test_photos_that_a_people_file_leaves_out_are_withheld():
    people = People({}, unlisted=frozenset({0}))
    orders = order_photos(job_of(), _album(("a.jpg", 1)), people, Shared())
    assert orders.withheld == {0: NOT_LISTED}


def test_what_is_written_depends_on_the_shared_face_and_not_on_its_number():
    """A cache by numbers gave people the faces of an earlier run."""
    album, people = _album(("a.jpg", 1)), People({(0, 0): "p"})
    keys = {
        order_photos(job_of(), album, people, Shared((SharedFace(("p",), (), key, "d"),)))
        .write[0]
        .key
        for key in ("one", "two")
    }
    assert len(keys) == 2


def test_a_photo_is_written_anew_once_a_person_decided_otherwise():
    """A place that was left as it is in an earlier run may be a face now."""
    order = order_photos(job_of(), _album(("a.jpg", 1)), People({}), Shared()).write[0]
    assert replace(order, untouched=((1.0, 2.0, 3.0, 4.0),)).key != order.key


def test_the_head_box_is_generous_and_inside_the_photo():
    x0, y0, x1, y1 = head_box((40, 40, 80, 90), (120, 100, 3))
    assert x0 <= 20
    assert y0 <= 12
    assert (x1, y1) == (100, 108)


def test_the_commitment_hides_and_binds_the_seed():
    assert commit(1, "a") != commit(1, "b") != commit(2, "b")
    assert "17" not in repr(Secret(17, "nonce"))
    assert Secret(1, "n").number("x") == Secret(1, "n").number("x") != Secret(1, "n").number("y")


def test_a_guess_at_the_seed_is_slow(tmp_path):
    """Whoever has the originals needs 16 MB and a twentieth of a second to try one seed."""
    secret = draw_secret(17, ["b", "a"], Scratch(tmp_path))
    photos = hashlib.sha256(b'["a", "b"]').digest()
    assert secret.nonce == scrypt(b"17", photos, 32, N=2**14, r=8, p=1).hex()


def test_nothing_is_drawn_before_there_is_a_secret():
    with pytest.raises(RuntimeError, match="once its photos are known"):
        Secret.none().number("x")


def test_job_depends_on_options_and_photos():
    photos = [(Path("a"), "1"), (Path("b"), "2")]
    same = job_digest(plan_of_nothing(), photos)
    assert same == job_digest(plan_of_nothing(), photos[::-1])
    assert same == job_digest(plan_of_nothing(jobs=1), photos)
    assert same != job_digest(plan_of_nothing(k=4), photos)
    assert same != job_digest(plan_of_nothing(), photos[:1])


def test_digest_covers_everything_but_itself():
    body = {"a": 1, "b": [1, 2]}
    assert digest(body) == digest({"b": [1, 2], "a": 1, "digest": "x"})
    assert digest(body) != digest({**body, "a": 2})


@pytest.mark.parametrize("method", sorted(RECIPES))
@pytest.mark.parametrize("composite", ["strict", "natural"])
def test_claims_state_k_and_the_mode(method, composite):
    if composite == "strict" and RECIPES[method].making != "mean":
        return  # faces of the model alone: there are no heads
    select = ("side",) if method == "select" else ()
    told = claims(plan_of_nothing(method=method, composite=composite, select=select, k=7))
    assert "k=7" in told[0]
    assert ("region" in told[0]) == (composite == "strict")


def test_natural_releases_say_what_their_numbers_tell():
    natural, strict, blurred = (
        " ".join(not_claimed(plan_of_nothing(**options)))
        for options in ({"composite": "natural"}, {"method": "m"}, {"method": "blur"})
    )
    assert "holds a photo of the same sitting" in natural
    assert "measured.inside_groups" in natural
    assert "sitting" not in strict + blurred


def test_reference_people_are_named_in_the_claims():
    told = claims(plan_of_nothing(method="m", reference="demo"))
    assert any("reference people who are not in the release" in claim for claim in told)


def test_every_method_of_the_command_line_has_a_recipe():
    from ksame.methods.adhoc import AD_HOC

    assert set(method_names()) == set(RECIPES) | set(AD_HOC)
    assert not Plan(HERE, "o", method="blur").guarantees


@pytest.mark.parametrize(
    ("options", "style"),
    [
        ({}, "model"),
        ({"composite": "strict"}, "heads"),
        ({"method": "furthest"}, "model"),
        ({"method": "furthest", "donors": "people"}, "heads"),
        ({"method": "pixel"}, "heads"),
        ({"method": "blur"}, "adhoc"),
    ],
)
def test_options_that_are_left_out_follow_from_the_others(options, style):
    assert Plan("in", "out", **options).style == style


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "nobody", "composite": "strict"}, "draws faces from the model"),
        ({"method": "m", "composite": "strict", "donors": "model"}, "the face model has none"),
        ({"method": "pixel", "donors": "model"}, "as they lie"),
        ({"method": "select"}, "needs classes"),
        ({"donors": "reference", "method": "m"}, "needs a set of photos"),
        ({"inputs": ()}, "no input given"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        Plan(**{"inputs": HERE, "out": "out", **options})


def test_no_repr_tells_who_where_or_which_seed():
    plan = Plan("people/Ada", "out", persons="Ada.csv", reference="Ada", seed=123456)
    assert "123456" not in repr(plan)
    assert "Ada" not in repr(plan)
    people = People({(0, 0): "Ada"}, {(0, 1): "Ada"}, reference=frozenset({"Ada"}))
    assert "Ada" not in repr(people)
    codes = {"Ada": np.ones(2), "b": np.zeros(2), "c": np.ones(2)}
    assert "Ada" not in repr(group(job_of(plan_of_nothing(method="m")), codes, {}))
    assert "Ada" not in repr(_album(("Ada", 1)))


def test_a_ledger_that_is_none_is_refused(tmp_path):
    from ksame.release.ledger import read_ledger

    path = tmp_path / "x.json"
    path.write_text(json.dumps({"format": "other"}))
    with pytest.raises(InputError, match="is no ledger"):
        read_ledger(path)
    path.write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        read_ledger(path)


def test_as_many_jobs_as_processors_unless_told():
    assert 1 <= plan_of_nothing().jobs <= MOST_JOBS
    assert plan_of_nothing(jobs=3).jobs == 3
