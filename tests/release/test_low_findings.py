"""Small things that hostile testers found, each of which cost somebody something."""

import shutil
import subprocess

import pytest
from PIL import Image

from ksame.datasets.demo_people import demo_people
from ksame.errors import InputError, NoGuaranteeWarning
from ksame.release import Plan, run
from ksame.release.scratch import MARK, open_scratch


def _plan(photos, out):
    """A release that guarantees nothing and takes no time."""
    return Plan(photos, out, method="blackout", jobs=1)


def test_one_jpeg_setting_for_a_whole_release(tmp_path):
    """Quality and subsampling of the originals would tell their cameras apart."""
    album = tmp_path / "album"
    album.mkdir()
    with Image.open(demo_people().paths[0]) as image:
        image.save(album / "one.jpg", quality=60, subsampling="4:2:0")
        image.save(album / "two.jpg", quality=98, subsampling="4:4:4", progressive=True)
    with pytest.warns(NoGuaranteeWarning):
        release = run(_plan(album, tmp_path / "out"))
    facts = set()
    for path in release.out.glob("*.jpg"):
        with Image.open(path) as image:
            layers = tuple(layer[1:3] for layer in image.layer)
            facts.add((str(image.quantization), layers, bool(image.info.get("progressive"))))
    assert len(list(release.out.glob("*.jpg"))) == 2
    assert len(facts) == 1


def test_out_that_nothing_can_take_the_place_of_is_refused_at_once(tmp_path):
    """It used to fail at the last step, and left a ledger behind."""
    photo = demo_people().paths[0]
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(InputError, match="is a link or the root of a disk"):
        run(Plan(photo, tmp_path / "link", jobs=1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


def test_out_that_is_the_root_of_a_disk_is_refused_at_once(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "tmpfs", str(disk)]
    if (
        not mount
        or subprocess.run(command, capture_output=True, check=False, timeout=60).returncode
    ):
        pytest.skip("no file system can be mounted here: it takes root on Linux")
    try:
        with pytest.raises(InputError, match="is a link or the root of a disk"):
            run(Plan(demo_people().paths[0], disk, jobs=1))
    finally:
        subprocess.run(["umount", str(disk)], check=True, timeout=60)


@pytest.mark.parametrize("out", [".", "..", "/"])
def test_out_without_a_name_of_its_own(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        run(Plan(demo_people().paths[0], out, jobs=1))
    assert not list(tmp_path.iterdir())


def test_a_planted_scratch_folder_is_ours_alone_afterwards(tmp_path):
    root = tmp_path / "out.work"
    root.mkdir()
    root.chmod(0o777)
    with open_scratch(root):
        assert root.stat().st_mode & 0o777 == 0o700


def test_a_planted_mark_truncates_nothing(tmp_path):
    root, target = tmp_path / "out.work", tmp_path / "thesis.txt"
    root.mkdir()
    target.write_text("mine")
    (root / MARK).symlink_to(target)
    with pytest.raises(InputError, match="was not made by ksame"), open_scratch(root):
        pass
    assert target.read_text() == "mine"
