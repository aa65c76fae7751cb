"""Clips are opened in one place: formats of clips only, local files only, no names in errors."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from ksame.errors import MediaError
from ksame.media.files import check_file

# playlists, scripts and picture sequences open other files: none of their demuxers is allowed
_FORMATS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,asf,gif,mpeg,mpegts,mpegvideo,flv,ogg,h264,hevc,ivf"
)
_OPTIONS = {"format_whitelist": _FORMATS, "protocol_whitelist": "file"}


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[InputContainer]:
    """A clip's container for reading.

    Raises
    ------
    MediaError
        The file is missing, empty or no clip, or reading it fails inside the block; the message
        gives the reason and the remedy and holds no name.
    """
    check_file(Path(path), "the clip", "video")
    try:
        with av.open(
            f"file:{os.fspath(path)}", options=_OPTIONS, metadata_errors="ignore"
        ) as container:
            yield container
    except av.error.FFmpegError as error:
        raise MediaError(
            f"the clip is damaged, truncated or in no format that can be read ({_plain(error)}). "
            "Restore it from a copy, convert it to mp4, or leave it out."
        ) from error


@contextmanager
def writing() -> Iterator[None]:
    """What fails to be written inside the block is told as such.

    Raises
    ------
    MediaError
        The disk is full, the folder is missing, the encoder refuses the stream, ...
    """
    try:
        yield
    except av.error.FFmpegError as error:
        raise MediaError(
            f"the clip cannot be written ({_plain(error)}). "
            "Check that the folder exists, is writable and has space left."
        ) from error


def video_stream(container: InputContainer) -> VideoStream:
    """The first stream of moving pictures; cover pictures are none.

    Raises
    ------
    MediaError
        There is none, or no decoder for it.
    """
    for stream in container.streams.video:
        if not stream.disposition & av.stream.Disposition.attached_pic:
            if stream.codec_context is None:
                raise MediaError(
                    "the clip's video codec cannot be decoded. Convert the clip to H.264 in mp4."
                )
            return stream
    raise MediaError("the clip has no video stream. Leave it out.")


def _plain(error: av.error.FFmpegError) -> str:
    """FFmpeg's reason without the name of the file that it appends."""
    return str(error.strerror or type(error).__name__).lower()
