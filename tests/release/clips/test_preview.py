"""A look at a clip before and after, for its owner alone."""

import numpy as np
import pytest
from filming import RATE, film, frames_of, photos_by_person

from ksame.errors import InputError, MediaError
from ksame.release.clips.preview import preview


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return film(tmp_path_factory.mktemp("previewed") / "clip.mp4", photos_by_person()[2][0])


@pytest.fixture(scope="module")
def shown(clip):
    return preview(clip, clip.with_name("preview.mp4"), seconds=7.5 / RATE, jobs=1)


def test_the_original_is_on_the_left_and_the_release_on_the_right(clip, shown):
    originals, pairs = frames_of(clip)[:8], frames_of(shown)
    assert len(pairs) == 8
    for original, pair in zip(originals, pairs, strict=True):
        left, right = np.split(pair.astype(int), 2, axis=1)
        assert np.abs(left - original).mean() < 3
        middle = np.s_[80:160, 80:160]
        assert np.abs(right[middle] - original[middle]).mean() > 4


def test_it_is_private_and_leaves_nothing_else(clip, shown):
    assert shown.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in clip.parent.iterdir()) == ["clip.mp4", "preview.mp4"]


def test_an_earlier_file_is_not_written_over(clip, shown):
    with pytest.raises(InputError, match="exists already"):
        preview(clip, shown)


def test_what_is_no_clip_is_refused(tmp_path):
    (tmp_path / "empty.mp4").write_bytes(b"")
    with pytest.raises(MediaError, match="0 bytes"):
        preview(tmp_path / "empty.mp4", tmp_path / "out.mp4")
    assert [path.name for path in tmp_path.iterdir()] == ["empty.mp4"]


def test_the_command_says_that_it_is_private(clip, tmp_path):
    from typer.testing import CliRunner

    from ksame.cli.app import app

    out = tmp_path / "seen.mp4"
    words = ["preview", str(clip), "-o", str(out), "--seconds", "0.22", "--jobs", "1"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "do not publish" in result.stderr
    assert len(frames_of(out)) == 6
