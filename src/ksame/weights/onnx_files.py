"""Small repairs of ONNX files, on their bytes: a file is a protobuf message inside a message."""

from collections.abc import Iterator
from typing import NamedTuple

from ksame.errors import WeightsError

_GRAPH = 7  # field of the model
_INPUT = 11  # field of the graph
_NAME = 1  # field of an input
_VARINT, _EIGHT_BYTES, _COUNTED, _FOUR_BYTES = 0, 1, 2, 5  # how a field's value is written


class _Field(NamedTuple):
    """One field of a message: its number, all of its bytes, and those of its value."""

    number: int
    raw: bytes
    value: bytes


def with_one_input(model: bytes, name: str) -> bytes:
    """The model with one input; its weights are often listed as inputs as well, and missing.

    Raises
    ------
    WeightsError
        The bytes are no ONNX model with such an input.
    """
    try:
        parts = list(_fields(model))
        graph = next(part for part in parts if part.number == _GRAPH)
        kept = [f for f in _fields(graph.value) if f.number != _INPUT or _name_of(f) == name]
    except (IndexError, StopIteration) as error:
        raise WeightsError("a model file cannot be read as ONNX. Install it again") from error
    if sum(field.number == _INPUT for field in kept) != 1:
        raise WeightsError(f"a model has no input {name!r}. Install it again")
    value = b"".join(field.raw for field in kept)
    changed = bytes([_GRAPH << 3 | _COUNTED]) + _as_varint(len(value)) + value
    return b"".join(changed if part is graph else part.raw for part in parts)


def _name_of(value_info: _Field) -> str:
    return next(f.value for f in _fields(value_info.value) if f.number == _NAME).decode()


def _fields(message: bytes) -> Iterator[_Field]:
    """The fields of a message, in their order."""
    at = 0
    while at < len(message):
        start = at
        key, at = _varint(message, at)
        begin, kind = at, key & 7
        if kind == _VARINT:
            _, at = _varint(message, at)
        elif kind == _COUNTED:
            size, begin = _varint(message, at)
            at = begin + size
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            at += 8 if kind == _EIGHT_BYTES else 4
        else:
            raise IndexError(kind)
        if at > len(message):
            raise IndexError(at)
        yield _Field(key >> 3, message[start:at], message[begin:at])


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def _as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
