"""What shows the clips' originals: beside OUT, never inside, and its owner's alone."""

import json
from collections import defaultdict
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from ksame.attacks import attack
from ksame.datasets.demo_people import demo_people
from ksame.media import read_photo
from ksame.release import Plan, run
from ksame.release.track_ranks import ranks_of

FRAMES, RATE, SIDE = 6, 25, 240


def film(path, photo):
    """A short clip of a photo that sways."""
    picture = cv2.resize(read_photo(photo).rgb, (SIDE, SIDE))
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = SIDE, SIDE, "yuv420p"
        stream.options = {"crf": "10", "preset": "ultrafast"}
        for number in range(FRAMES):
            sway = np.array([[1, 0, 4 * np.sin(number / 4)], [0, 1, 0.0]])
            moved = cv2.warpAffine(picture, sway, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
            frame = av.VideoFrame.from_ndarray(moved, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("before-after")
    demo = demo_people()
    photos = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        photos[person].append(path)
    for person in sorted(photos)[:2]:
        (folder / "in" / person).mkdir(parents=True)
        film(folder / "in" / person / "clip.mp4", photos[person][0])
    options = {"k": 2, "seed": 3, "jobs": 1, "persons": "folder", "with_originals": True}
    return run(Plan(folder / "in", folder / "out", **options))


def _frames(path):
    with av.open(str(path)) as container:
        return [(f.time, f.to_ndarray(format="rgb24")) for f in container.decode(video=0)]


def test_every_clip_lies_beside_its_original_and_outside_of_the_release(release):
    ledger = json.loads(release.ledger.read_text())
    beside = release.out.with_name("out.before-after")
    assert sorted(p.name for p in beside.iterdir()) == sorted(ledger["clips"])
    assert beside.stat().st_mode & 0o777 == 0o700
    assert not any("before" in path.name for path in release.out.rglob("*"))
    for name in ledger["clips"]:
        assert (beside / name).stat().st_mode & 0o777 == 0o600
        both = _frames(beside / name)
        sides = [_frames(ledger["files"][name]), _frames(release.out / name)]
        assert [time for time, _ in both] == pytest.approx([time for time, _ in sides[1]])
        for (_, pair), *alone in zip(both, *sides, strict=True):
            halves = np.split(pair.astype(int), 2, axis=1)
            for half, (_, whole) in zip(halves, alone, strict=True):
                assert np.abs(half - whole).mean() < 3
            assert np.abs(halves[0] - halves[1]).mean() > 3


def test_a_report_made_again_writes_the_clips_again(release, tmp_path, capsys):
    from ksame.cli.report import report

    beside = release.out.with_name("out.before-after")
    before = {path.name: len(_frames(path)) for path in beside.iterdir()}
    for path in beside.iterdir():
        path.unlink()
    report(release.out, tmp_path / "again.html", release.ledger, with_originals=True)
    assert {path.name: len(_frames(path)) for path in beside.iterdir()} == before
    assert str(beside) in capsys.readouterr().out.replace("\n", "")


def test_the_certificate_tells_rates_of_tracks_and_the_private_report_each_track(release):
    (told,) = [a for a in release.certificate["measured"]["attacks"] if a["recogniser"] == "sface"]
    assert told["tracks"]["probes"] == 2
    assert told["tracks"]["rank1"]["trials"] == 2
    public = (release.out / "report.html").read_text()
    private = release.out.with_name("out.report.html").read_text()
    assert "means over the tracks of clips (2)" in public
    # that a track is recognised rightly would tell whose it is
    assert "place of its person" not in public
    assert private.count(" of 2</td>") == 2


def test_places_of_people_count_the_nearest_original_and_share_ties():
    before = np.eye(3)[[0, 1, 2, 2]]
    after = np.array([[0.9, 0.4, 0.1], [0.9, 0.4, 0.1], [np.nan] * 3, [0.5, 0.5, 0.5]])
    assert ranks_of(before, after, ["a", "b", "c", "c"]) == [1, 2, None, 3]


def test_a_release_of_clips_is_attacked_by_its_ledger(release):
    """Every track is found again by what the ledger holds, also as it lies in the frame."""
    originals = release.out.with_name("in")
    found = attack(
        originals, release.out, recognisers=["sface"], attacks=["naive", "reverse", "geometry"]
    )
    assert (found.originals, found.released, found.people, found.k) == (2, 2, 2, 2)
    assert (found.missed_originals, found.missed_released) == (0, 0)
    assert found.row("sface", "naive").probes == 2
    assert {(row.recogniser, row.attack) for row in found.rows} >= {("sface", "reverse")}
    told = {row.attack for row in found.rows} | {name for _, name, _ in found.skipped}
    assert "geometry" in told
