"""The shipped file: its size, and that altered bytes are refused."""

from importlib import resources

import pytest

from ksame.codecs.face.pinned import SHA256
from ksame.codecs.face.storage import FILE, parse_arrays
from ksame.errors import WeightsError

LARGEST = 12_000_000  # bytes that a wheel may grow by


def test_the_file_is_small_enough_to_ship():
    content = (resources.files("ksame.codecs.face") / FILE).read_bytes()
    assert 1_000_000 < len(content) <= LARGEST


def test_altered_bytes_are_refused_with_the_remedy():
    content = bytearray((resources.files("ksame.codecs.face") / FILE).read_bytes())
    content[len(content) // 2] ^= 1
    with pytest.raises(WeightsError, match=r"altered.*Install ksame again"):
        parse_arrays(bytes(content), SHA256)
