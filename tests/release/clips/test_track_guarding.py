"""Tracks that are known in the finished clip are drawn anew, higher over the forehead."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from filming import FRAMES, plan

from ksame import verify
from ksame.files import sha256_of
from ksame.release import run
from ksame.release.clips import finishing, guarding
from ksame.release.clips.guarding import guarded_more, raised, within
from ksame.release.clips.motion import WIDTHS, Motion
from ksame.release.guarding import GALLERY
from ksame.release.media import CLIP
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.store import Store
from ksame.verification.documents import read_ledger
from ksame.verification.footage import read_track

PEOPLE = 30  # enough: whoever is the first is known


@pytest.fixture
def order(tmp_path):
    """A clip of persons 7 and 3, each seen by a track."""
    store = Store(tmp_path)
    told = {
        "embeddings": np.eye(PEOPLE, 128, dtype=np.float32),
        "owners": np.arange(PEOPLE, dtype=np.int64),
    }
    store.save(GALLERY, "all", told, True)
    faces = tuple(
        FaceOrder(i, (0.0, 0.0, 100.0, 100.0), group=1, surrogate="face", owner=owner)
        for i, owner in enumerate((7, 3))
    )
    return PhotoOrder(
        path=Path("clip"), sha256="", found="", name="1.mp4", store=store, folder=tmp_path,
        faces=faces, style="model", mode="natural", on_failure="fill", max_pixels=10**6,
        gallery="all", medium=CLIP,
    )  # fmt: skip


def described(*likenesses):
    """Tracks, each given by how like it is to persons 7, 3 and 5."""
    rows = np.zeros((len(likenesses), 128))
    rows[:, [7, 3, 5]] = likenesses
    rows[:, 127] = 1.0
    return {"sface": rows / np.linalg.norm(rows, axis=1, keepdims=True)}


def guards(order):
    return [face.guard for face in order.faces]


def test_a_known_track_is_guarded_more_each_time_and_the_others_are_not(order):
    seen = described((0.3, 0, 0), (0, 0.1, 0.3))
    once = guarded_more(order, seen)
    assert guards(once) == [1, 0]
    assert guards(guarded_more(once, seen)) == [2, 0]
    assert guarded_more(guarded_more(once, seen), seen) == guarded_more(once, seen)
    assert guarded_more(order, described((0, 0, 0.3), (0, 0, 0.3))) == order


def test_a_track_is_known_whose_person_is_nearly_the_first(order):
    assert guards(guarded_more(order, described((0.29, 0, 0.3), (0, 0.2, 0.3)))) == [1, 0]


def test_a_segment_does_not_depend_on_guards_of_tracks_that_it_does_not_show(order):
    guarded = replace(order, faces=(replace(order.faces[0], guard=1), order.faces[1]))
    found = {"0/cover": np.array([10, 20]), "1/cover": np.array([0, 40])}
    assert within(guarded, found, 0, 10) == order
    assert within(guarded, found, 20, 40) == order
    assert within(guarded, found, 19, 40) == guarded
    assert within(guarded, found, 0, 11) == guarded


def test_a_guard_raises_the_forehead_of_every_frame_and_nothing_else():
    steps = np.arange(3 * sum(WIDTHS)).reshape(3, -1)
    motion = Motion(5, steps, 0, (0, 0, 0), "colour")
    assert raised(motion, 0) == motion
    outline = slice(sum(WIDTHS[:3]), sum(WIDTHS[:4]))
    jaw = [3, 4, 5, 6]
    for guard in (1, 2):
        moved = raised(motion, guard).steps - steps
        assert (moved[:, outline][:, [0, 1, 8]] > 0).all()
        assert not moved[:, outline][:, jaw].any()
        moved[:, outline] = 0
        assert not moved.any()
    assert raised(motion, 2).steps[:, outline].max() <= 16 * 25  # what the verifier reads


@pytest.mark.slow
def test_guarded_tracks_verify_and_a_kill_changes_no_byte(
    inputs, release, ledger, tmp_path, monkeypatch
):
    """Every track is taken for known: each is drawn three times, and the last drawing holds."""
    monkeypatch.setattr(
        guarding, "known_faces", lambda order, _: tuple(face.number for face in order.faces)
    )
    made = run(plan(inputs, tmp_path / "guarded"))
    assert verify(made.out, made.ledger).findings == ()
    before, after = (read_ledger(path) for path in (release.ledger, made.ledger))
    assert set(before.clips) == set(after.clips)
    for one, two in zip(before.faces, after.faces, strict=True):
        if one.file not in before.clips:
            continue
        plain, high = (read_track(face, FRAMES) for face in (one, two))
        for frame in range(FRAMES):
            shown, guarded = (track.at(frame).numbers for track in (plain, high))
            assert guarded["outline"][0] > shown["outline"][0]
            assert guarded["outline"][4] == shown["outline"][4]
            assert guarded["expression"] == shown["expression"]
            assert guarded["front"] is None
    assert json.loads(made.ledger.read_text())["made"]
    asked = plan(inputs, tmp_path / "again")
    divided, count = finishing._divided, []

    def killed(order):
        count.append(order)
        if any(face.guard == 2 for face in order.faces):
            raise KeyboardInterrupt
        return divided(order)

    monkeypatch.setattr(finishing, "_divided", killed)
    with pytest.raises(KeyboardInterrupt):
        run(asked)
    monkeypatch.setattr(finishing, "_divided", divided)
    again = run(replace(asked, jobs=2))
    digests = [{p.name: sha256_of(p) for p in sorted(r.out.iterdir())} for r in (made, again)]
    assert digests[0] == digests[1]
