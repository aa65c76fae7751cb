"""Clips of the built-in people, and how they are released in tests."""

from collections import defaultdict
from fractions import Fraction

import av
import cv2
import numpy as np

from ksame.datasets.demo_people import demo_people
from ksame.media import read_photo
from ksame.release import Plan

FRAMES, RATE = 14, 25


def photos_by_person():
    demo = demo_people()
    found = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        found[person].append(path)
    return [found[person] for person in sorted(found)]


def swayed(number):
    """Where a frame of a film shows what its pictures show (2, 3)."""
    return np.array([[1, 0, 8 * np.sin(number / 4)], [0, 1, 3 * np.cos(number / 5)]])


def film(path, *photos, frames=FRAMES, washed=0):
    """A clip in which the photos, beside each other, sway to and fro; a list is one shot each.

    In the first ``washed`` frames nobody can be told on the first photo.
    """
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        pictures = [read_photo(photo).rgb for photo in photos]
        wide = np.concatenate([cv2.resize(p, (240, 240)) for p in pictures], axis=1)
        stream.width, stream.height = wide.shape[1], wide.shape[0]
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "10", "preset": "ultrafast"}
        blurred = wide.copy()
        blurred[:, :240] = cv2.GaussianBlur(wide[:, :240], (0, 0), 30)
        for number in range(frames):
            moved = cv2.warpAffine(
                blurred if number < washed else wide,
                swayed(number),
                (wide.shape[1], wide.shape[0]),
                borderMode=cv2.BORDER_REPLICATE,
            )
            frame = av.VideoFrame.from_ndarray(moved, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


def plan(inputs, out, **options):
    return Plan(inputs, out, **{"k": 3, "reference": "nobody", "seed": 5, "jobs": 1, **options})


def frames_of(path):
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
