"""The parts of a release that need no picture: groups, people, names, secrets, documents."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.errors import GuaranteeError, InputError
from ksame.release.certificate import claims, commit, digest
from ksame.release.classes import class_of_people
from ksame.release.find import NO_FACE, SeenFace, SeenPhoto
from ksame.release.groups import Codes, SharedFace, group_people
from ksame.release.orders import order_photos
from ksame.release.people import NOT_LISTED, Who, merge_all, name_people
from ksame.release.plan import K_ANONYMOUS, MOST_JOBS, Plan, method_names
from ksame.release.scratch import Scratch
from ksame.release.secret import Secret, job_of
from ksame.release.surrogates import order_surrogates
from ksame.release.write import head_box

HERE = Path("in")


def _plan(**options):
    return Plan(**{"inputs": (HERE,), "out": Path("out"), "k": 3, "select": (), **options})


def _codes(people, seed=0, dimensions=6):
    rng = np.random.default_rng(seed)
    return {f"p{i:03d}": rng.normal(size=dimensions) for i in range(people)}


def _seen(*persons, failure=None, state="neutral"):
    """Photos with as many faces as persons are named for each."""
    face = SeenFace((10.0, 10.0, 50.0, 60.0), ((0.0, 0.0),) * 5, failure, {}, state)
    return [
        SeenPhoto(HERE / name, f"{i:064x}", None, (face,) * count, "jpeg")
        for i, (name, count) in enumerate(persons)
    ]


@settings(max_examples=40)
@given(
    people=st.integers(4, 40),
    k=st.integers(2, 5),
    method=st.sampled_from(["m", "mdav", "furthest"]),
    seed=st.integers(0, 2**32),
)
def test_every_person_is_in_one_group_of_at_least_k(people, k, method, seed):
    plan = _plan(k=k, method=method)
    codes = Codes(_codes(people, seed), {})
    if people < plan.needed:
        with pytest.raises(GuaranteeError, match="needs at least"):
            group_people(plan, codes, seed)
        return
    shared = group_people(plan, codes, seed)
    everybody = [person for group in shared for person in group.people]
    assert sorted(everybody) == sorted(codes.codes)
    assert min(len(group.people) for group in shared) >= k
    for group in shared:
        assert len(group.donors) >= k
        if method == "furthest":
            assert not set(group.donors) & set(group.people)
        else:
            assert group.donors == group.people


def test_groups_stay_inside_their_classes():
    codes = _codes(20)
    classes = {person: (str(i % 2),) for i, person in enumerate(sorted(codes))}
    plan = _plan(method="m", select=("side",))
    for group in group_people(plan, Codes(codes, classes), 1):
        assert len({classes[person] for person in group.people}) == 1


def test_a_class_that_is_too_small_is_named_and_nobody_in_it():
    codes = _codes(8)
    classes = {person: ("b" if i < 2 else "a",) for i, person in enumerate(sorted(codes))}
    with pytest.raises(GuaranteeError, match="class side=b has 2") as caught:
        group_people(_plan(method="m", select=("side",)), Codes(codes, classes), 1)
    assert not any(person in str(caught.value) for person in codes)


def test_reference_people_widen_groups_and_are_not_groups_of_their_own():
    codes = _codes(10)
    reference = frozenset(sorted(codes)[2:])
    shared = group_people(_plan(method="m"), Codes(codes, {}, reference), 1)
    shown = {person for group in shared for person in group.people} - reference
    assert shown == set(codes) - reference
    assert all(set(group.people) - reference for group in shared)
    assert min(len(group.people) for group in shared) >= 3


def test_donors_can_be_reference_people_alone():
    codes = _codes(14)
    reference = frozenset(sorted(codes)[8:])
    plan = _plan(reference="demo", donors="reference", method="furthest")
    for group in group_people(plan, Codes(codes, {}, reference), 1):
        assert set(group.donors) <= reference
        assert len(group.donors) == 3
    few = frozenset(sorted(codes)[12:])
    with pytest.raises(GuaranteeError, match="reference people of every class"):
        group_people(plan, Codes(codes, {}, few), 1)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3), max_size=8))
def test_merging_joins_whoever_shares_a_face_and_nobody_else(sets):
    find = merge_all(sets)
    together = {name: {name} for name in "abcdefgh"}
    for names in sets:
        joined = set().union(*(together[name] for name in names))
        for name in joined:
            together[name] = joined
    for one in "abcdefgh":
        for other in "abcdefgh":
            assert (find(one) == find(other)) == (other in together[one])


def test_folders_name_people_and_folders_below_are_sessions(tmp_path):
    (tmp_path / "in").mkdir()
    root = tmp_path / "in"
    names = ["anna/1.jpg", "anna/second visit/2.jpg", "bert/3.jpg", "4.jpg"]
    photos = [
        SeenPhoto(root / name, f"{i:064x}", None, _seen(("x", 1))[0].faces)
        for i, name in enumerate(names)
    ]
    who = name_people(photos, len(photos), "folder", (root,), Scratch(tmp_path))
    assert [who.persons[n, 0] for n in range(4)] == ["anna", "anna", "bert", "in"]


def test_the_largest_face_is_the_named_persons_and_others_are_strangers(tmp_path):
    photos = _seen(("a/1.jpg", 3))
    who = name_people(photos, 1, "folder", (HERE,), Scratch(tmp_path))
    assert set(who.persons) == {(0, 0)}
    assert set(who.strangers) == {(0, 1), (0, 2)}


def test_a_persons_class_is_what_most_faces_say(tmp_path):
    photos = _seen(("a", 1), ("b", 1), ("c", 1))
    labels = {0: {"side": "left"}, 1: {"side": "right"}, 2: {"side": "right"}}
    who = Who({(n, 0): "p" for n in range(3)}, labels=labels)
    plan = _plan(method="m", select=("side",))
    faces = {"p": [(0, 0), (1, 0), (2, 0)]}
    assert class_of_people(plan, photos, who, faces, Scratch(tmp_path)) == {"p": ("right",)}


def test_names_are_a_permutation_that_only_the_secret_tells():
    photos = _seen(*((f"{i:02d}.jpg", 1) for i in range(30)))
    who = Who({(n, 0): f"p{n}" for n in range(30)})
    group_of = {f"p{n}": 0 for n in range(30)}
    orders = [
        order_photos(_plan(), photos, who, group_of, Secret(1, nonce), Scratch(Path("w")))
        for nonce in ("a", "a", "b")
    ]
    names = [[order.name for order in found.write.values()] for found in orders]
    assert sorted(names[0]) == [f"{i:06d}.jpg" for i in range(1, 31)]
    assert names[0] == names[1]
    assert names[0] != names[2]
    assert names[0] != sorted(names[0])


def test_kept_names_never_collide_with_each_other_or_with_ours():
    paths = ["a/x.jpg", "b/x.jpg", "certificate.json", "A/X.JPG"]
    photos = _seen(*((name, 1) for name in paths))
    who = Who({(n, 0): f"p{n}" for n in range(4)})
    orders = order_photos(
        _plan(keep_names=True), photos, who, {}, Secret(1, "n"), Scratch(Path("w"))
    )
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
        _plan(**options), _seen(("a.jpg", 0)), Who({}), {}, Secret(1, "n"), Scratch(Path("w"))
    )
    assert orders.withheld.get(0) == reason


def test_photos_that_a_people_file_leaves_out_are_withheld():
    who = Who({}, unlisted=frozenset({0}))
    orders = order_photos(_plan(), _seen(("a.jpg", 1)), who, {}, Secret(1, "n"), Scratch(Path("w")))
    assert orders.withheld == {0: NOT_LISTED}


def test_the_head_box_is_generous_and_inside_the_photo():
    x0, y0, x1, y1 = head_box((40, 40, 80, 90), (120, 100, 3))
    assert x0 <= 20
    assert y0 <= 12
    assert (x1, y1) == (100, 108)


def test_the_commitment_hides_and_binds_the_seed():
    assert commit(1, "a") != commit(1, "b") != commit(2, "b")
    assert "17" not in repr(Secret(17, "nonce"))
    assert Secret(1, "n").number("x") == Secret(1, "n").number("x") != Secret(1, "n").number("y")


def test_job_depends_on_options_and_photos():
    photos = [(Path("a"), "1"), (Path("b"), "2")]
    same = job_of(_plan(), photos)
    assert same == job_of(_plan(), photos[::-1])
    assert same == job_of(_plan(jobs=1), photos)
    assert same != job_of(_plan(k=4), photos)
    assert same != job_of(_plan(), photos[:1])


def test_digest_covers_everything_but_itself():
    body = {"a": 1, "b": [1, 2]}
    assert digest(body) == digest({"b": [1, 2], "a": 1, "digest": "x"})
    assert digest(body) != digest({**body, "a": 2})


@pytest.mark.parametrize("method", sorted(K_ANONYMOUS))
@pytest.mark.parametrize("composite", ["strict", "natural"])
def test_claims_state_k_and_the_mode(method, composite):
    select = ("side",) if method == "select" else ()
    told = claims(_plan(method=method, composite=composite, select=select, k=7))
    assert "k=7" in told[0]
    assert ("region" in told[0]) == (composite == "strict")


@pytest.mark.parametrize("method", ["furthest", "m", "select"])
@pytest.mark.parametrize("composite", ["strict", "natural"])
def test_only_far_faces_move_away_from_their_people(method, composite):
    plan = _plan(method=method, composite=composite, select=("side",), k=2)
    names = sorted(_codes(6))
    photos = _seen(*((name, 1) for name in names))
    faces = {name: [(n, 0)] for n, name in enumerate(names)}
    people = Codes(_codes(6), {})
    shared = [SharedFace(tuple(names[:2]), tuple(names[2:4]))]
    (order,) = order_surrogates(plan, shared, faces, photos, people, Scratch(HERE))
    moves = method == "furthest"
    assert order.members == (((f"{0:064x}", 0), (f"{1:064x}", 0)) if moves else ())


def test_every_method_of_the_command_line_has_a_recipe():
    from ksame.methods.adhoc import AD_HOC

    assert set(method_names()) == set(K_ANONYMOUS) | set(AD_HOC)
    assert not Plan((HERE,), Path("o"), method="blur").recipe.guarantees


def test_no_repr_tells_who_or_which_seed():
    plan = _plan(seed=123456)
    assert "123456" not in repr(plan)
    who = Who({(0, 0): "Ada"}, reference=frozenset({"Ada"}))
    assert "Ada" not in repr(who)
    assert "Ada" not in repr(
        group_people(
            _plan(method="m"), Codes({"Ada": np.ones(2), "b": np.zeros(2), "c": np.ones(2)}, {}), 1
        )
    )


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
    assert 1 <= _plan().jobs <= MOST_JOBS
    assert _plan(jobs=3).jobs == 3
