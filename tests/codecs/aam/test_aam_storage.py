"""One file without pickle: what is read is what was written, or an error."""

import json
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ksame.codecs.aam import ActiveAppearanceModel
from ksame.codecs.aam.storage import VERSION, _digest
from ksame.errors import InputError, MediaError


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("aam") / "model.aam"
    model.save(path)
    return path


def test_a_loaded_model_gives_the_same_codes(model, saved, unseen):
    loaded = ActiveAppearanceModel.load(saved)
    for image, truth in zip(unseen.images, unseen.shapes, strict=True):
        ours, theirs = (m.encode(image, truth + 2.0) for m in (model, loaded))
        assert_array_equal(theirs.code, ours.code)
        assert theirs.converged == ours.converged
        assert_array_equal(loaded.render(theirs.code, 80), model.render(ours.code, 80))
    assert loaded.fitting == model.fitting
    assert not list(saved.parent.glob("*.part"))


def test_any_altered_byte_of_an_array_is_refused(saved, tmp_path):
    content = saved.read_bytes()
    rng = np.random.default_rng(1)
    broken = tmp_path / "broken.aam"
    refused = 0
    for place in rng.integers(0, len(content), 40):
        altered = bytearray(content)
        altered[place] ^= 0x10
        broken.write_bytes(bytes(altered))
        try:
            loaded = ActiveAppearanceModel.load(broken)
        except MediaError:
            refused += 1
        else:  # a byte of the archive's bookkeeping that no reader uses: all arrays are intact
            assert_array_equal(
                loaded.appearance_.modes, ActiveAppearanceModel.load(saved).appearance_.modes
            )
    assert refused >= 35


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.99])
def test_a_truncated_file_is_refused(saved, tmp_path, keep):
    content = saved.read_bytes()
    cut = tmp_path / "cut.aam"
    cut.write_bytes(content[: int(keep * len(content)) if keep < 1 else keep])
    with pytest.raises(MediaError, match="cut short"):
        ActiveAppearanceModel.load(cut)


def rewrite(saved, path, change):
    with np.load(saved) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays["header"].tobytes())
    change(header, arrays)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, allow_pickle=False, **arrays)


def test_a_consistent_zip_with_another_array_is_refused(saved, tmp_path):
    path = tmp_path / "forged.npz"
    rewrite(saved, path, lambda _, arrays: arrays.update(shape_mean=arrays["shape_mean"] + 1))
    with pytest.raises(MediaError, match="altered"):
        ActiveAppearanceModel.load(path)


def test_a_newer_format_is_refused_by_name(saved, tmp_path):
    path = tmp_path / "newer.npz"

    def newer(header, arrays):
        header["version"] = VERSION + 1
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        arrays["checksum"] = np.frombuffer(_digest(arrays), np.uint8)

    rewrite(saved, path, newer)
    with pytest.raises(MediaError, match=f"version {VERSION + 1}"):
        ActiveAppearanceModel.load(path)


def test_pickles_and_foreign_files_are_refused(tmp_path):
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, header=np.array([{"a": 1}], dtype=object))
    single = tmp_path / "single.npy"
    np.save(single, np.zeros(3))
    other = tmp_path / "other.npz"
    np.savez(other, a=np.zeros(3))
    with zipfile.ZipFile(tmp_path / "text.zip", "w") as archive:
        archive.writestr("header.npy", "hello")
    for path in (pickled, single, other, tmp_path / "text.zip", tmp_path / "absent.aam", tmp_path):
        with pytest.raises(MediaError):
            ActiveAppearanceModel.load(path)


def test_an_untrained_model_cannot_be_saved(tmp_path):
    with pytest.raises(InputError, match="not trained"):
        ActiveAppearanceModel().save(tmp_path / "m.aam")
