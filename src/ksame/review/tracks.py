"""What a person can do with the tracks of a clip: draw one over some frames, and extend one."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from ksame.errors import InputError
from ksame.release.corrections import Marks
from ksame.release.listed import DECIMALS

MOST_FRAMES = 3000  # that are drawn or added at a time: two minutes; each is looked at


def frame_of(value: Any, frames: int) -> int:
    """A frame of a clip."""
    number = int(value)
    if not 0 <= number < frames:
        raise InputError(f"the clip has the frames 1 to {frames}; there is no frame {number + 1}")
    return number


def drawn_marks(request: Mapping[str, Any], box: tuple[float, ...], clip: Sequence[Any]) -> Marks:
    """The marks of a face that was drawn in one frame, over the frames that were named."""
    frames, _, cuts = clip
    at = frame_of(request["frame"], frames)
    first = frame_of(request.get("first", at), frames)
    last = frame_of(request.get("last", at), frames)
    if not first <= at <= last:
        raise InputError(
            f"the face was drawn in frame {at + 1}, and the frames {first + 1} to {last + 1} are "
            "without it; name frames around it"
        )
    _check_reach(first, last, cuts)
    return tuple((float(frame), *box) for frame in sorted({first, at, last}))


def extended(
    marks: Sequence[Sequence[float]],
    span: tuple[int, int],
    at: int,
    box: tuple[float, ...],
    clip: Sequence[Any],
) -> Marks:
    """The marks of a track with one more, outside of the frames that it covers."""
    first, stop = span
    if first <= at < stop:
        raise InputError(
            f"the track covers frame {at + 1} already; go to a frame before {first + 1} or after "
            f"{stop}"
        )
    _check_reach(min(at, first), max(at, stop - 1), clip[2], added=max(first - at, at - stop + 1))
    kept = {int(mark[0]): tuple(mark) for mark in marks}
    return tuple(mark for _, mark in sorted({**kept, at: (float(at), *box)}.items()))


def _check_reach(first: int, last: int, cuts: Sequence[int], added: int | None = None) -> None:
    """Refuse stretches over a cut, where nobody stays in place, and those that take too long."""
    if bisect_right(cuts, first) != bisect_right(cuts, last):
        raise InputError("a cut lies between; draw the face anew in the other shot")
    count = last - first + 1 if added is None else added
    if count > MOST_FRAMES:
        raise InputError(
            f"{count} frames at a time are too many; at most {MOST_FRAMES} can be drawn at once"
        )


def place_beside(box: tuple[float, ...], taken: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """A box that no other track of the clip has: it is what names the track."""
    own = box
    while list(own) in [list(one) for one in taken]:
        own = (*own[:2], round(own[2] + 0.01, DECIMALS), own[3])
    return own
