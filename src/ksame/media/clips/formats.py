"""Which form of pixels a clip is encoded in: the source's, as far as the encoder can."""

from av.video.format import VideoFormat

from ksame.errors import InputError

ENCODERS = {"h264": "libx264", "hevc": "libx265"}
"""Codecs a clip can be written in, and the encoder that does it."""

MOST_BITS = 10
"""Bits of a sample that both encoders write."""


def check_codec(codec: str) -> str:
    """The name of the encoder.

    Raises
    ------
    InputError
        No such codec.
    """
    if codec not in ENCODERS:
        raise InputError(
            f"video_codec={codec!r} cannot be written. Take one of {', '.join(ENCODERS)}."
        )
    return ENCODERS[codec]


def is_rgb(source: VideoFormat) -> bool:
    """Whether frames come as red, green and blue (GIF, palettes), so that no matrix applies."""
    return bool(source.is_rgb) or source.name == "pal8"


def encoded_format(source: VideoFormat, width: int, height: int) -> str:
    """The planar YUV form for a source: its chroma and 8 or 10 bits.

    H.264 and HEVC count the edges of 4:2:0 pictures in steps of two pixels, so pictures of odd
    width or height are written as 4:4:4 (4:2:2 where only the height is odd).
    """
    bits = max(component.bits for component in source.components)
    chroma = "420"
    if not is_rgb(source) and len(source.components) >= 3:
        # a plane of a 2 x 2 picture tells the subsampling: 2 is none
        chroma = {(1, 1): "420", (1, 2): "422", (2, 2): "444"}.get(
            (source.chroma_width(2), source.chroma_height(2)), "444"
        )
    if width % 2:
        chroma = "444"
    elif height % 2 and chroma == "420":
        chroma = "422"
    deep = bits > 8 and not is_rgb(source)
    return f"yuv{chroma}p{'10le' if deep else ''}"
