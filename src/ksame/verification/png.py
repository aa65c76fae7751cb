"""A PNG's chunks, from its first byte to its last (W3C PNG, third edition)."""

import zlib

SIGNATURE = 8  # bytes
PIECE = 1 << 20  # bytes that are unpacked at a time: a small file can claim to be huge
# the picture itself, and three chunks of fixed length that say how its colours are meant
_LENGTHS = {b"IHDR": 13, b"IEND": 0, b"gAMA": 4, b"sRGB": 1, b"cHRM": 32}
_OF_THE_PICTURE = {*_LENGTHS, b"IDAT", b"PLTE", b"tRNS"}
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by the colour type


def png_extras(data: bytes) -> list[str]:
    """Everything that is not needed to show the one picture."""
    extras: list[str] = []
    at, kind, header, stream = SIGNATURE, b"", b"", []
    while kind != b"IEND":
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body, check = data[at + 8 : at + 8 + size], data[at + 8 + size : at + 12 + size]
        if len(kind) != 4 or len(check) != 4 or zlib.crc32(kind + body).to_bytes(4, "big") != check:
            return [*extras, "a broken chunk"]
        if kind not in _OF_THE_PICTURE:
            extras.append(kind.decode("latin-1"))
        elif size != _LENGTHS.get(kind, size):
            extras.append("bytes in a chunk")
        if kind == b"IDAT":
            stream.append(body)
        header = body if kind == b"IHDR" else header
        at += 12 + size
    if at != len(data):
        extras.append("bytes after the picture")
    if len(header) != 13 or not _is_exact(header, b"".join(stream)):
        extras.append("bytes behind the pixels")
    return extras


def _is_exact(header: bytes, stream: bytes) -> bool:
    """Whether the compressed stream holds the picture's rows and not a byte more."""
    width, height = (int.from_bytes(header[i : i + 4], "big") for i in (0, 4))
    depth, colour, interlaced = header[8], header[9], header[12]
    if colour not in _CHANNELS or interlaced:
        return False
    expected = height * (1 + (width * depth * _CHANNELS[colour] + 7) // 8)
    unpack, found, rest = zlib.decompressobj(), 0, stream
    try:
        while not unpack.eof and found <= expected and rest:
            found += len(unpack.decompress(rest, PIECE))
            rest = unpack.unconsumed_tail
    except zlib.error:
        return False
    return found == expected and unpack.eof and not unpack.unused_data
