"""Attacks on clips: a track is one face, described by the mean of its good frames."""

import base64
import json
import zlib
from collections import defaultdict
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from ksame.attacks import attack
from ksame.attacks.attacker import Attacker, averaged
from ksame.attacks.clips import GOOD, Track, ledger_track, track_anew
from ksame.attacks.inputs import from_ledger, from_names
from ksame.attacks.photo_case import PhotoCase
from ksame.attacks.photos import Original, Released, gather
from ksame.datasets.demo_people import demo_people
from ksame.media import read_photo
from ksame.media.clips import read_facts
from ksame.recognition.crops import SIDE

FRAMES, RATE, HEIGHT = 20, 10, 240


def people():
    demo = demo_people()
    found = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        found[person].append(path)
    return [found[person][0] for person in sorted(found)]


def film(path, *photos, changed=lambda rgb, number: rgb):
    """The photos beside each other, swaying; ``changed`` is done to every frame."""
    path.parent.mkdir(parents=True, exist_ok=True)
    wide = np.concatenate([cv2.resize(read_photo(p).rgb, (HEIGHT, HEIGHT)) for p in photos], axis=1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height = wide.shape[1], wide.shape[0]
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "10", "preset": "ultrafast"}
        for number in range(FRAMES):
            sway = np.array([[1, 0, 8 * np.sin(number / 4)], [0, 1, 0.0]])
            moved = cv2.warpAffine(wide, sway, wide.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
            rgb = np.ascontiguousarray(changed(moved, number))
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Clips of three people, one a folder; the first two also share a clip."""
    folder = tmp_path_factory.mktemp("clips")
    photos = people()[:3]
    for number, photo in enumerate(photos):
        film(folder / "in" / f"p{number}" / "clip.mp4", photo)
        film(folder / "same" / f"p{number}" / "clip.mp4", photo)
        film(
            folder / "black" / f"p{number}" / "clip.mp4",
            photo,
            changed=lambda rgb, number: np.zeros_like(rgb),
        )
    film(folder / "pair.mp4", *photos[:2])
    return folder


class Brightness:
    """Describes a face by its mean brightness."""

    name, learns, dim = "brightness", False, None

    def fit(self, training, persons=None):
        return self

    def describe(self, faces):
        return np.asarray(faces, float).reshape(len(faces), -1).mean(axis=1, keepdims=True)

    def distances(self, probes, gallery):
        return np.abs(probes - gallery.T)


def packed(rows, first):
    """A track as ledgers hold it: differences from frame to frame, column by column."""
    moved = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.int64))
    data = zlib.compress(np.ascontiguousarray(moved.T.astype("<i4")).tobytes())
    steps = base64.b64encode(data).decode()
    return {"track": {"first": first, "frames": len(rows), "steps": steps}}


def test_the_mean_of_all_frames_stands_for_a_track():
    first = np.zeros((2, SIDE, SIDE, 3), np.uint8)
    further = (np.full((3, SIDE, SIDE, 3), 100, np.uint8), first[:0])
    model = Brightness()
    described, rows = averaged(model, model.describe(first), further)
    assert described[:, 0] == pytest.approx([75, 0])  # (0 + 3 * 100) / 4; a photo is one picture
    assert rows.tolist() == [0, 1]


def test_means_of_unit_vectors_have_unit_length():
    class Angles(Brightness):
        def describe(self, faces):
            angle = np.asarray(faces)[:, 0, 0, 0] / 100
            return np.stack([np.cos(angle), np.sin(angle)], axis=1)

    first = np.zeros((1, SIDE, SIDE, 3), np.uint8)
    further = (np.full((1, SIDE, SIDE, 3), 80, np.uint8),)
    described, _ = averaged(Angles(), Angles().describe(first), further)
    assert described[0] == pytest.approx([np.cos(0.4), np.sin(0.4)])


def test_a_ledger_tells_where_a_track_is():
    rows = np.arange(3 * 9, dtype=np.int64).reshape(3, 9)
    track = ledger_track({"numbers": packed(rows, 7)})
    assert track.frames.tolist() == [7, 8, 9]
    assert np.array_equal(track.boxes, rows[:, -4:])
    assert ledger_track({"numbers": {"pose": [1]}}) is None
    assert ledger_track({}) is None


def test_the_faces_of_a_clip_are_tracked_anew(clips):
    path = clips / "pair.mp4"
    tracks = track_anew(path, read_facts(path))
    assert [len(track.frames) for track in tracks] == [FRAMES, FRAMES]
    middles = sorted(float(track.boxes[0, [0, 2]].mean()) for track in tracks)
    assert middles[0] < HEIGHT < middles[1]


def test_each_track_of_a_clip_is_a_face_of_several_frames(clips):
    path = clips / "pair.mp4"
    left, right = sorted(track_anew(path, read_facts(path)), key=lambda t: t.boxes[0, 0])
    # a track of the ledger begins where it says, whatever else is in the clip
    late = Track(right.frames[12:], right.boxes[12:])
    known = [Original(path, "l", track=left), Original(path, "r", track=late)]
    made = [Released(path, one.person, path, track=one.track) for one in known]
    gallery, probes = gather(known, made)
    assert [len(some) + 1 for some in gallery.further] == [GOOD, GOOD]
    assert probes.source.tolist() == [0, 1]
    assert probes.hidden == 0
    described = Attacker(Brightness(), PhotoCase(gallery, probes))
    both = [described.features(described.plain(), side.crops)[:, 0] for side in (gallery, probes)]
    assert np.allclose(*both)
    alone = Brightness().describe(gallery.crops)[:, 0]
    assert not np.allclose(both[0], alone, atol=1e-6)


def test_clips_are_attacked_by_names_of_folders(clips):
    found = attack(
        clips / "in", clips / "same", recognisers=["sface"], attacks=["naive"], persons="folder"
    )
    assert (found.originals, found.released, found.people) == (3, 3, 3)
    assert found.row("sface", "naive").rank1.hits == 3


def test_a_face_that_is_hidden_in_all_frames_is_placed_by_its_original(clips):
    sources = from_names(clips / "in", clips / "black", "folder")
    _, probes = gather(sources.originals, sources.released)
    assert probes.hidden == 3
    assert int(probes.crops.max()) < 8


def test_a_clip_that_cannot_be_read_counts_as_missed(clips, tmp_path):
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no clip")
    sources = from_names(clips / "in", clips / "same", "folder")
    gallery, probes = gather(
        [*sources.originals, Original(broken, "q")],
        [*sources.released, Released(broken, "q", broken)],
    )
    assert (gallery.missed, probes.missed) == (1, 1)


def test_tracks_come_from_the_ledger(clips, tmp_path):
    path = clips / "pair.mp4"
    faces = []
    for person, track in zip("ab", track_anew(path, read_facts(path)), strict=True):
        numbers = packed(np.round(track.boxes).astype(np.int64), 0)
        faces.append(
            {"file": "1.mp4", "person": person, "box": track.boxes[0].tolist(), "group": 1,
             "numbers": numbers}
        )  # fmt: skip
    out = tmp_path / "out"
    out.mkdir()
    (out / "1.mp4").write_bytes(path.read_bytes())
    book = {"files": {"1.mp4": str(path)}, "faces": faces, "groups": [], "k": 2}
    sources = from_ledger(path, out, json.loads(json.dumps(book)))
    assert [len(one.track.frames) for one in sources.released] == [FRAMES, FRAMES]
    gallery, probes = gather(sources.originals, sources.released)
    assert probes.source.tolist() == [0, 1]
    assert len(gallery.further) == 2
