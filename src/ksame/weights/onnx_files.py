"""Small repairs of ONNX files, on their bytes: a file is a protobuf message inside a message."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ksame.arrays import Floats32
from ksame.errors import WeightsError

_GRAPH = 7  # field of the model
_NODE, _INITIALIZER, _INPUT = 1, 5, 11  # fields of the graph
_NAME = 1  # field of an input and of an attribute
_TAKES, _GIVES, _CALLED, _KIND = 1, 2, 3, 4  # fields of a node: inputs, outputs, name, operation
_ATTRIBUTE, _INTEGER_IS, _ATTRIBUTE_TYPE, _INTEGER = 5, 3, 20, 2  # of a node; of an attribute
_DIMENSION, _TYPE, _FLOATS, _TENSOR_NAME, _RAW, _FLOAT = 1, 2, 4, 8, 9, 1  # of an initializer
_VARINT, _EIGHT_BYTES, _COUNTED, _FOUR_BYTES = 0, 1, 2, 5  # how a field's value is written
Piece = bytes | memoryview


class _Field(NamedTuple):
    """One field of a message: its number, all of its bytes, and those of its value.

    Both are views of the message: weights are megabytes, which are copied once, at the end.
    """

    number: int
    raw: memoryview
    value: memoryview


def with_one_input(model: bytes, name: str) -> bytes:
    """The model with one input; its weights are often listed as inputs as well, and missing.

    Raises
    ------
    WeightsError
        The bytes are no ONNX model with such an input.
    """
    found = 0

    def keep(field: _Field) -> Piece:
        nonlocal found
        if field.number != _INPUT:
            return field.raw
        found += (mine := _name_of(field) == name)
        return field.raw if mine else b""

    changed = _with_graph(model, keep)
    if found != 1:
        raise WeightsError(f"a model has no input {name!r}. Install it again")
    return changed


def with_plain_activations(model: bytes) -> bytes:
    """The model with every PRelu told in operations that ONNX Runtime does quickly.

    ``max(x, 0) - slope max(-x, 0)`` is the same up to rounding. Factors for each channel are told
    as convolutions of one pixel: these alone leave a picture in the order in which convolutions
    want it. SFace takes 7 ms instead of 18.

    Raises
    ------
    WeightsError
        The bytes are no ONNX model.
    """
    slopes: dict[bytes, memoryview] = {}
    with _told_if_no_onnx():
        for field in _graph_of(model):
            if field.number == _INITIALIZER:
                told = _told(field)
                values = told.get(_FLOATS) or told.get(_RAW) or [memoryview(b"")]
                slopes[bytes(told[_TENSOR_NAME][0])] = values[0]
    if b"PRelu" not in model:
        return model
    return _with_graph(
        model, lambda field: _activation(field, slopes) if field.number == _NODE else field.raw
    )


def _activation(node: _Field, slopes: Mapping[bytes, Piece]) -> Piece:
    """A node, or those that stand for it if it is a PRelu with one slope a channel."""
    told = _told(node)
    if [bytes(kind) for kind in told.get(_KIND, [])] != [b"PRelu"]:
        return node.raw
    (x, slope), (y,) = map(bytes, told[_TAKES]), map(bytes, told[_GIVES])
    factors = np.frombuffer(slopes.get(slope, b""), "<f4")
    if len(factors) < 2:
        return node.raw
    minus, turned = y + b"/minus", y + b"/slopes"
    up, negative, down, scaled = (y + end for end in (b"/up", b"/negative", b"/down", b"/scaled"))
    return b"".join(
        [
            _factors(minus, np.full_like(factors, -1)),
            _factors(turned, -factors),
            _node(b"Relu", [x], up),
            _node(b"Conv", [x, minus], negative, group=len(factors)),
            _node(b"Relu", [negative], down),
            _node(b"Conv", [down, turned], scaled, group=len(factors)),
            _node(b"Add", [scaled, up], y),
        ]
    )


def _told(message: _Field) -> dict[int, list[memoryview]]:
    """The values of a message's fields, by their numbers."""
    told: dict[int, list[memoryview]] = {}
    for field in _fields(message.value):
        told.setdefault(field.number, []).append(field.value)
    return told


def _factors(name: bytes, values: Floats32) -> bytes:
    """The weights of a convolution that multiplies each channel by a number."""
    shape = (len(values), 1, 1, 1)
    body = b"".join(_number(_DIMENSION, side) for side in shape) + _number(_TYPE, _FLOAT)
    return _counted(
        _INITIALIZER,
        body + _counted(_TENSOR_NAME, name) + _counted(_RAW, values.astype("<f4").tobytes()),
    )


def _node(kind: bytes, takes: list[bytes], gives: bytes, group: int = 0) -> bytes:
    """A node of a graph; ``group`` is a convolution's number of groups of channels."""
    fields = [*((_TAKES, name) for name in takes), (_GIVES, gives), (_CALLED, gives), (_KIND, kind)]
    if group:
        whole = _number(_ATTRIBUTE_TYPE, _INTEGER)
        fields.append((_ATTRIBUTE, _counted(_NAME, b"group") + _number(_INTEGER_IS, group) + whole))
    return _counted(_NODE, b"".join(_counted(number, value) for number, value in fields))


def _with_graph(model: bytes, change: Callable[[_Field], Piece]) -> bytes:
    """The model with each field of its graph changed."""
    with _told_if_no_onnx():
        changed = [change(field) for field in _graph_of(model)]
        pieces: list[Piece] = []
        for part in _fields(memoryview(model)):
            if part.number == _GRAPH:
                pieces += [_header(_GRAPH, sum(map(len, changed))), *changed]
            else:
                pieces.append(part.raw)
    return b"".join(pieces)


def _graph_of(model: bytes) -> Iterator[_Field]:
    """The fields of a model's graph, of which it has one."""
    (graph,) = (part for part in _fields(memoryview(model)) if part.number == _GRAPH)
    return _fields(graph.value)


@contextmanager
def _told_if_no_onnx() -> Iterator[None]:
    try:
        yield
    except (IndexError, ValueError) as error:
        raise WeightsError("a model file cannot be read as ONNX. Install it again") from error


def _counted(number: int, value: bytes) -> bytes:
    """A field of bytes."""
    return _header(number, len(value)) + value


def _header(number: int, size: int) -> bytes:
    """What stands before a field's bytes."""
    return bytes([number << 3 | _COUNTED]) + _as_varint(size)


def _number(number: int, value: int) -> bytes:
    """A field of a whole number."""
    return _as_varint(number << 3 | _VARINT) + _as_varint(value)


def _name_of(value_info: _Field) -> str:
    return bytes(next(f.value for f in _fields(value_info.value) if f.number == _NAME)).decode()


def _fields(message: memoryview) -> Iterator[_Field]:
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


def _varint(message: memoryview, at: int) -> tuple[int, int]:
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
