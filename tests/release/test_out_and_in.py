"""Where a release may be written: what is not ours is left alone, and two runs do not meet."""

import os
import shutil

import pytest
from release_plans import strict_plan as _plan

from ksame.errors import InputError
from ksame.release import run
from ksame.release.find import input_photos


def test_out_and_in_are_kept_apart(small, tmp_path):
    with pytest.raises(InputError, match="lies inside the input"):
        run(_plan(small, small / "out"))
    with pytest.raises(InputError, match="is an input too"):
        run(_plan(small, small))
    with pytest.raises(InputError, match="lies inside OUT"):
        run(_plan(small, tmp_path))
    link = tmp_path / "link"
    link.symlink_to(small)
    with pytest.raises(InputError, match="lies inside the input"):
        run(_plan(small, link / "out"))
    with pytest.raises(InputError, match="does not exist"):
        run(_plan(tmp_path / "nowhere", tmp_path / "out"))


def test_a_release_among_the_inputs_is_refused(made, small, tmp_path):
    """Its faces would count towards k, and belong to nobody."""
    for inputs in ([small, made.out], [small, next(made.out.glob("*.jpg"))]):
        with pytest.raises(InputError, match="is a release, whose faces are nobody's"):
            run(_plan(inputs, tmp_path / "out"))
    with pytest.raises(InputError, match="is a release, whose faces are nobody's"):
        run(_plan(small, tmp_path / "out", reference=made.out))
    assert not (tmp_path / "out").exists()


def test_photos_beside_another_certificate_are_read(small, tmp_path):
    """A file of that name says nothing, and neither does a release that promises nothing."""
    for text in ("[1]", '{"format": "ksame-certificate-2", "guarantee": "none"}'):
        (small / "certificate.json").write_text(text)
        assert len(input_photos(_plan(small, tmp_path / "out"))[0]) == 6


def test_an_out_that_is_not_ours_is_refused_and_left_alone(small, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="is no release of this version"):
        run(_plan(small, out))
    assert (out / "thesis.txt").read_text() == "mine"
    with pytest.raises(InputError, match="is no folder"):
        run(_plan(small, out / "thesis.txt"))
    assert not out.with_name("out.work").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(small, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(InputError, match="cannot write in"):
        run(_plan(small, locked / "out"))


def test_a_folder_that_cannot_be_made(small, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot write in"):
        run(_plan(small, tmp_path / "file" / "out"))


def test_a_second_run_at_the_same_time_is_refused(small, tmp_path):
    from ksame.release.scratch import open_scratch

    with (
        open_scratch(tmp_path / "out.work"),
        pytest.raises(InputError, match="another run is writing"),
    ):
        run(_plan(small, tmp_path / "out"))


def test_a_folder_of_the_users_with_the_name_of_ours_is_left_alone(small, tmp_path):
    (tmp_path / "out.work").mkdir()
    (tmp_path / "out.work" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="was not made by ksame"):
        run(_plan(small, tmp_path / "out"))
    assert (tmp_path / "out.work" / "thesis.txt").read_text() == "mine"


def test_a_scratch_folder_is_ours_at_every_step_of_its_life(tmp_path, monkeypatch):
    """A kill can come before the first file is in it, and between any two that are deleted."""
    from ksame.release.scratch import MARK, open_scratch

    root = tmp_path / "out.work"
    root.mkdir()
    with open_scratch(root) as scratch:
        for folder in (scratch.root / "store", scratch.release):
            folder.mkdir(exist_ok=True)
            (folder / "face").write_text("private")
        (root / "job").write_text("job")
        kept: list[set[str]] = []
        unlink = os.unlink

        def watched(path, *args, **kwargs):
            kept.append({entry.name for entry in root.iterdir()})
            unlink(path, *args, **kwargs)

        monkeypatch.setattr(os, "unlink", watched)
        scratch.remove()
    assert kept
    assert all(MARK in names for names in kept)
    assert not root.exists()


def test_a_scratch_folder_in_which_nothing_was_kept_does_not_stay(tmp_path):
    """A run that was refused before its first photo leaves nothing; what a kill left is kept."""
    from ksame.release.scratch import open_scratch

    root = tmp_path / "out.work"
    with pytest.raises(InputError), open_scratch(root):
        raise InputError("the cluster cannot be reached")
    assert not root.exists()
    with open_scratch(root):
        (root / "store" / "kept").write_text("of an hour")
    with open_scratch(root):
        pass
    assert (root / "store" / "kept").exists()


def test_the_ledger_of_another_release_is_kept(small, warm, tmp_path):
    first = run(_plan(small, warm(tmp_path / "out")))
    old = first.ledger.read_bytes()
    shutil.move(first.out, tmp_path / "published")
    run(_plan(small, warm(tmp_path / "out"), seed=8))
    kept = [p for p in tmp_path.glob("out.ledger-*.json") if p.read_bytes() == old]
    assert len(kept) == 1


def test_a_release_inside_a_release_is_refused(small, made, tmp_path):
    """Its ledger would lie in what is published."""
    with pytest.raises(InputError, match="inside another release"):
        run(_plan(small, made.out / "sub"))
