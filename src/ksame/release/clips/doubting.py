"""Whether a track is a face: what several networks say of its detections, as for photos."""

from typing import Final

import numpy as np

from ksame.arrays import Bools, Floats, Ints
from ksame.faces import Face
from ksame.tracking import Cover
from ksame.vision.second_look import SURE, Verdict, judge, judge_landmarks

_GOOD: Final = 0.5  # of the landmark model's score
_LEAST_MARKED: Final = 0.5  # of the detections of a track that is never surely seen
_AGREED: Final = 0.5  # the third network's score of a face


def judge_track(best: Face, mesh_score: Floats, opinion: Floats, third: Floats) -> Verdict:
    """What a track is, by its surest detection and the best that each network ever said of it.

    Opinions are NaN where a network was not asked. What was never asked about is a face: the
    detector was sure of it. ``DOUBT`` must be hidden, never left.
    """
    marks = float(mesh_score.max(initial=0.0))
    second, third_best = _best(opinion), _best(third)
    if marks >= _GOOD:
        verdict = Verdict.FACE
        if third_best is not None:
            verdict = judge_landmarks(best, marks, lambda: third_best)
        # arms and jackets have landmarks now and then, a face that is seen well always
        rarely = float((mesh_score >= _GOOD).mean()) < _LEAST_MARKED
        # folded hands are what the detector is sure of in one frame of many, and the third never
        rarely &= best.score < SURE or (third_best is not None and third_best < _AGREED)
        return Verdict.DOUBT if verdict is Verdict.FACE and rarely else verdict
    if second is None:
        return Verdict.FACE
    return judge(best, 0.0, second, None if third_best is None else lambda: third_best)


def without_tails(one: Cover, frame: Ints, sure: Bools, reach: int) -> list[Cover]:
    """A track without what precedes its first sure detection, or follows its last, by far.

    Landmarks of a head that turns away go astray, and doubtful detections beyond are of hair or of
    somebody else. These tails become tracks of their own, which nobody can pose: together, the
    parts cover the same frames as before, each frame once.
    """
    own = frame[one.rows]
    anchors = own[sure[one.rows]]
    if not len(anchors):
        return [one]
    low, high = int(anchors[0]) - reach, int(anchors[-1]) + reach + 1
    # without a detection there is no tail
    low = low if own[0] < low else one.first
    high = high if own[-1] >= high else one.stop
    parts = ((low, high), (one.first, low), (high, one.stop))
    return [
        Cover(one.track, first, stop, one.rows[(own >= first) & (own < stop)])
        for first, stop in parts
        if first < stop
    ]


def _best(opinions: Floats) -> float | None:
    known = opinions[~np.isnan(opinions)]
    return float(known.max()) if len(known) else None
