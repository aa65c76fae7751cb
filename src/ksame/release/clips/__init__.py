"""Clips in a release: frames of the same flow as photos.

The faces of a clip are its tracks: one row of `Faces` a track, so that naming, grouping, sharing,
ledger and certificate work as they do for photos. What a track does over time lies in the store.

watching    which faces a frame shows, as fast as is safe
searching   a segment's frames                            -> rows of detections with landmarks
gathering   rows of all segments                          -> tracks, and what is kept of each
finding     the first stage for clips                     -> Pictures
motion      a track's rows                                -> smooth numbers, frame by frame
writing     a segment with faces replaced, searched again -> an encoded segment
guarding    tracks that are still known                   -> the order to write them with more guard
finishing   encoded segments joined                       -> Written
"""

from ksame.release.clips.finding import find
from ksame.release.clips.finishing import write

__all__ = ["find", "write"]
