"""Named arrays in one file."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from ksame.release.array_files import load_arrays, load_note, save_arrays

NUMBERS = arrays_of.arrays(
    st.sampled_from([np.uint8, np.float32, np.float64, np.bool_, np.int64]),
    arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)


@given(st.dictionaries(st.text("abc/0", min_size=1, max_size=6), NUMBERS, max_size=5))
def test_arrays_come_back(tmp_path_factory: pytest.TempPathFactory, arrays: dict) -> None:
    path = tmp_path_factory.mktemp("arrays") / "some.arrays"
    save_arrays(path, arrays, {"of": len(arrays)})
    assert load_note(path) == {"of": len(arrays)}
    back = load_arrays(path)
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        np.testing.assert_array_equal(back[name], array)


def test_one_face_and_one_array_of_it(tmp_path: Path) -> None:
    path = tmp_path / "faces.arrays"
    save_arrays(path, {f"{n}/{name}": np.full(3, n) for n in (1, 11) for name in ("code", "tone")})
    assert load_arrays(path, "1/").keys() == {"code", "tone"}
    assert load_arrays(path, "11/")["tone"][0] == 11
    assert load_arrays(path, "11/", ("code",)).keys() == {"code"}
    assert load_arrays(path, "2/") == {}


def test_the_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "some.arrays"
    save_arrays(path, {"a": np.arange(3)})
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="only numbers"):
        save_arrays(tmp_path / "some.arrays", {"a": np.array([object()])})
    assert not list(tmp_path.iterdir())
