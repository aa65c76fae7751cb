"""What the passes keep: named by what it was made from, private, complete or absent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from ksame.store import Store, key_of

NUMBERS = arrays_of.arrays(
    st.sampled_from([np.uint8, np.float32, np.float64, np.bool_, np.int64]),
    arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)


@given(st.dictionaries(st.text("abc/0", min_size=1, max_size=6), NUMBERS, max_size=5))
def test_arrays_and_note_come_back(tmp_path_factory, arrays):
    store = Store(tmp_path_factory.mktemp("store"))
    store.save("kind", "key", arrays, {"of": len(arrays)})
    assert store.note("kind", "key") == {"of": len(arrays)}
    back = store.load("kind", "key")
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        np.testing.assert_array_equal(back[name], array)


def test_one_face_and_one_array_of_it(tmp_path):
    store = Store(tmp_path)
    store.save("k", "x", {f"{n}/{name}": np.full(3, n) for n in (1, 11) for name in ("a", "b")})
    assert store.load("k", "x", "1/").keys() == {"a", "b"}
    assert store.load("k", "x", "11/")["b"][0] == 11
    assert store.load("k", "x", "11/", ("a",)).keys() == {"a"}
    assert store.load("k", "x", "11/", without=("a",)).keys() == {"b"}
    assert store.load("k", "x", "2/") == {}


def test_files_are_private_and_nothing_else_is_left(tmp_path):
    Store(tmp_path).save("k", "x", {"a": np.arange(3)})
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert file.stat().st_mode & 0o777 == 0o600


def test_objects_are_refused(tmp_path):
    with pytest.raises(TypeError, match="only numbers"):
        Store(tmp_path).save("k", "x", {"a": np.array([object()])})
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("content", [b"", b"\x08", b"no tensors at all, but long enough"])
def test_what_cannot_be_read_is_as_absent(tmp_path, content):
    store = Store(tmp_path)
    assert store.note("k", "x") is None
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / "x.safetensors").write_bytes(content)
    assert store.note("k", "x") is None


def test_keys_tell_apart_whatever_a_result_depends_on():
    assert key_of("find", "a", [1, 2]) == key_of("find", "a", (1, 2))
    keys = {key_of("find", "a", [1, 2]), key_of("find", "b", [1, 2]), key_of("find", "a", [1, 3])}
    assert len(keys) == 3
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})


def test_the_repr_tells_no_place(tmp_path):
    assert str(tmp_path) not in repr(Store(tmp_path))


@given(st.integers(0, 10**9), st.integers(1, 255))
def test_a_damaged_byte_makes_it_absent(tmp_path_factory, at, change):
    """Whatever byte it is, of the arrays too: what was kept is made again."""
    store = Store(tmp_path_factory.mktemp("store"))
    store.save("k", "x", {"a": np.arange(5)}, {"note": 'with "sum":"' + "0" * 64})
    assert store.note("k", "x") is not None
    path = store.root / "k" / "x.safetensors"
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= change
    path.write_bytes(data)
    assert store.note("k", "x") is None


def test_what_lies_in_anothers_place_is_absent(tmp_path):
    store = Store(tmp_path)
    store.save("k", "x", {"a": np.arange(5)}, 1)
    store.save("k", "y", {"a": np.arange(5)}, 1)
    (tmp_path / "k" / "x.safetensors").replace(tmp_path / "k" / "y.safetensors")
    assert store.note("k", "y") is None


def test_damage_between_two_looks_is_an_error_of_the_disk(tmp_path):
    store = Store(tmp_path)
    store.save("k", "x", {"a": np.arange(5)})
    (tmp_path / "k" / "x.safetensors").write_bytes(b"damaged, and long enough to be looked at")
    with pytest.raises(OSError, match="damaged"):
        store.load("k", "x")
