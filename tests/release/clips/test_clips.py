"""Clips in a release: frames of the same flow, with tracks as faces."""

import json

import numpy as np
import pytest
from filming import FRAMES, RATE, film, frames_of, photos_by_person, plan

from ksame import verify
from ksame.files import sha256_of
from ksame.release import run


def test_clips_are_released_certified_and_verified(release, ledger):
    counted = release.certificate["clips"]
    assert counted["clips"] == 2
    assert counted["frames"] == 2 * FRAMES
    assert counted["tracks"] == 3
    assert counted["seconds"] == pytest.approx(2 * FRAMES / RATE)
    assert verify(release.out, release.ledger).holds
    for name in ledger["clips"]:
        assert len(frames_of(release.out / name)) == FRAMES


def test_a_broken_clip_is_withheld_with_its_reason_and_without_its_name(release):
    (name, why), *others = release.withheld
    assert name.endswith("broken.mp4")
    assert not others
    assert why.startswith("cannot be read as a clip: ")
    assert "broken" not in why


def test_photos_and_clips_of_one_person_show_one_face(ledger):
    clips = [face for face in ledger["faces"] if face["file"] in ledger["clips"]]
    (photo,) = [face for face in ledger["faces"] if face["file"] not in ledger["clips"]]
    same = [face for face in clips if face["person"] == photo["person"]]
    assert same
    assert {face["group"] for face in same} == {photo["group"]}
    pair = [name for name, path in ledger["files"].items() if "pair" in path]
    assert len({face["person"] for face in clips if face["file"] in pair}) == 2


def test_every_frame_is_changed_where_the_faces_are(release, ledger):
    for face in ledger["faces"]:
        if face["file"] not in ledger["clips"]:
            continue
        assert face["numbers"]["track"]["frames"] == FRAMES
        before = frames_of(ledger["files"][face["file"]])
        after = frames_of(release.out / face["file"])
        x0, y0, x1, y1 = (int(v) for v in face["box"])
        inner = np.s_[y0 + 20 : y1 - 20, x0 + 20 : x1 - 20]
        for one, other in zip(before, after, strict=True):
            assert np.abs(one[inner].astype(int) - other[inner]).mean() > 4


def test_another_face_in_some_frames_is_found(release, ledger, tmp_path):
    """The original in place of the released clip, certified anew by a forger."""
    from ksame.verification.documents import read_ledger
    from ksame.verification.footage import check_footage
    from ksame.verification.photos import Listed

    private = read_ledger(release.ledger)
    for name, clip in private.clips.items():
        listed = Listed(
            faces=tuple(face for face in private.faces if face.file == name),
            groups=private.groups, ignored=(), strict=False, filled=True, promises=True, clip=clip,
        )  # fmt: skip
        assert list(check_footage(release.out / name, listed)) == []
        assert any("differs" in what for what in check_footage(private.files[name], listed))


def test_the_same_bytes_again_also_after_a_kill(inputs, release, tmp_path, monkeypatch):
    from ksame.release.clips import finishing

    asked = plan(inputs, tmp_path / "again")
    join = finishing.join_clip

    def killed(clip):
        raise KeyboardInterrupt

    monkeypatch.setattr(finishing, "join_clip", killed)
    with pytest.raises(KeyboardInterrupt):
        run(asked)
    monkeypatch.setattr(finishing, "join_clip", join)
    monkeypatch.setattr(
        "ksame.release.clips.searching.watched", killed
    )  # nothing is searched again
    monkeypatch.setattr("ksame.release.clips.writing.Watch", killed)
    again = run(asked)
    digests = [{p.name: sha256_of(p) for p in sorted(r.out.iterdir())} for r in (release, again)]
    assert digests[0] == digests[1]


def test_a_corrected_ledger_names_the_tracks(inputs, release, ledger, tmp_path):
    people = sorted({face["person"] for face in ledger["faces"]})
    corrected = json.loads(release.ledger.read_text())
    for face in corrected["faces"]:
        face["person"] = f"guest {people.index(face['person'])}"
    path = tmp_path / "corrected.json"
    path.write_text(json.dumps(corrected))
    again = run(plan(inputs, tmp_path / "named", persons=path))
    names = {face["person"] for face in json.loads(again.ledger.read_text())["faces"]}
    assert names == {f"guest {number}" for number in range(len(people))}
    assert verify(again.out, again.ledger).holds


def test_folders_name_the_person_who_is_seen_longest(tmp_path):
    photos = photos_by_person()
    for number, paths in enumerate(photos[:2]):
        (tmp_path / "in" / f"p{number}").mkdir(parents=True)
        film(tmp_path / "in" / f"p{number}" / "clip.mp4", paths[0], frames=6)
    made = run(plan(tmp_path / "in", tmp_path / "out", persons="folder", k=2, reference=None))
    faces = json.loads(made.ledger.read_text())["faces"]
    assert {face["person"] for face in faces} == {"p0", "p1"}


def test_a_track_moves_alike_wherever_the_clip_is_divided(release, inputs, tmp_path):
    """Two workers that share a border agree about the frames around it."""
    from ksame.codecs.face import FaceModel
    from ksame.release.clips.facts import load_facts
    from ksame.release.clips.finding import gather_clip, search_safely, survey_clip
    from ksame.release.clips.footage import open_footage
    from ksame.release.clips.motion import move
    from ksame.release.find import FOUND, Search
    from ksame.store import Store

    (tmp_path / "store").mkdir()
    store = Store(tmp_path / "store")
    survey = survey_clip(Search(inputs / "third.mp4", store, "model", 10**8, True))
    assert [search_safely(task)[1] for task in survey.searches] == [None]
    picture = gather_clip(survey)
    found = store.load(FOUND, picture.key)
    rate = float(load_facts(store, survey.clip).rate)
    footage = open_footage(store, found, 0, survey.keys, rate)
    model = FaceModel.load()
    identity = model.faces.codes[0]
    whole = move(model, footage, identity, 0, FRAMES)
    half = [move(model, footage, identity, *part) for part in ((0, 6), (6, FRAMES))]
    assert np.array_equal(whole.steps, np.concatenate([part.steps for part in half]))
    assert whole.steps.shape[0] == FRAMES
