"""A clip of two synthetic people for the page, in which one is seen late by the detector."""

import shutil
from collections import defaultdict
from fractions import Fraction

import av
import cv2
import numpy as np

FRAMES, RATE, LATE = 30, 12, 10  # LATE: the frame from which the first person's face is seen
WALL = 120  # pixels of a bare wall at the right
SIDE = 240


def photos_by_person():
    from ksame.datasets.demo_people import demo_people

    demo = demo_people()
    found = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        found[person].append(path)
    return [found[person] for person in sorted(found)]


def film_party(path, first, second):
    """Two people sway beside each other; the first one's face is washed out at the beginning."""
    from ksame.media import read_photo

    pictures = [cv2.resize(read_photo(photo).rgb, (SIDE, SIDE)) for photo in (first, second)]
    wall = np.full((SIDE, WALL, 3), (150, 140, 120), np.uint8)
    clear = np.concatenate([*pictures, wall], axis=1)
    washed = clear.copy()
    washed[:, :SIDE] = cv2.GaussianBlur(clear[:, :SIDE], (0, 0), 30)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = clear.shape[1], SIDE, "yuv420p"
        stream.options = {"crf": "10", "preset": "ultrafast"}
        for number in range(FRAMES):
            sway = np.array([[1, 0, 6 * np.sin(number / 4)], [0, 1, 3 * np.cos(number / 5)]])
            seen = washed if number < LATE else clear
            moved = cv2.warpAffine(
                seen, sway, (seen.shape[1], SIDE), borderMode=cv2.BORDER_REPLICATE
            )
            frame = av.VideoFrame.from_ndarray(moved, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def make_album(folder):
    """The clip, a photo of its second person, and a photo of each of two others."""
    folder.mkdir(parents=True)
    one, two, three, four, *_ = photos_by_person()
    film_party(folder / "party.mp4", one[0], two[0])
    for number, photo in enumerate((two[-1], three[0], four[0])):
        shutil.copyfile(photo, folder / f"{number}{photo.suffix}")
    return folder
