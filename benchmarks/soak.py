"""Many photos and a long clip through one command, killed in between: does it stay flat?

    python benchmarks/soak.py --photos 10000 --minutes 14 --keep DIR [--kills 3]
    python benchmarks/soak.py --clip-minutes 60 --rate 5 --minutes 14 --keep DIR

Makes photos of the built-in people who do not exist, each shifted, dimmed, mirrored or noisy in its
own way, or a clip of them, and releases all in one command with one worker. Once a second it is
written down how far the command has come, how much memory it and its children hold, how many files
they have open and what lies in the folder for temporary files. The command is killed some times
without a chance to tidy up, and goes on. It is killed as well when the minutes are over: the same
call goes on from there, and the figures are of all its pieces together.

The slope of memory is per photo, within a stage of one process: least squares over the means of
twenty equal pieces, with a 95% interval of Student's t. The first fifth of each piece warms up. A
stage ends with its last picture; what the documents take after that is a figure of its own.
"""

import argparse
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
import psutil
from scipy import stats

from ksame.datasets.demo_people import demo_people

COLUMNS: Final = ("piece", "seconds", "found", "written", "rss", "files", "threads", "temporary")
SIDE: Final = 240  # px: a face of some 80 px, so that every part of the way is taken
PIECES: Final = 20  # means that a slope is fitted to
WARM: Final = 0.2  # of a piece that is not counted: networks and code are loaded
LOOK: Final = 1.0  # seconds between two samples
Image = npt.NDArray[np.uint8]


def changed(rgb: Image, dice: np.random.Generator) -> Image:
    """A photo of the same person that no other one equals."""
    size = SIDE * dice.uniform(0.9, 1.1) / max(rgb.shape[:2])
    small = cv2.resize(rgb, None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
    turn = cv2.getRotationMatrix2D(
        (small.shape[1] / 2, small.shape[0] / 2), dice.uniform(-8, 8), dice.uniform(0.9, 1.05)
    )
    small = cv2.warpAffine(small, turn, small.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    if dice.random() < 0.5:
        small = small[:, ::-1]
    noisy = small * dice.uniform(0.75, 1.15) + dice.normal(0, dice.uniform(0, 4), small.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def make_photos(folder: Path, count: int) -> None:
    """So many photos, a folder a person; those that are there already stay."""
    demo, people = demo_people(), len(set(demo_people().persons))
    for number in range(count):
        at = number % len(demo.paths)
        place = folder / demo.persons[at] / f"{number:06d}.jpg"
        if place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        dice = np.random.default_rng(number)
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(dice.integers(70, 98))]
        rgb = changed(demo.image(at), dice)
        cv2.imwrite(str(place), np.ascontiguousarray(rgb[..., ::-1]), quality)
    print(f"{count} photos of {people} people")


def make_clip(path: Path, minutes: float, rate: int) -> None:
    """People who follow each other and move a little, ten seconds each."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    demo, total = demo_people(), round(60 * minutes * rate)
    if path.exists():
        return
    part = path.with_suffix(".part.mp4")
    with av.open(str(part), "w") as file:
        stream: Any = file.add_stream("libx264", rate=rate)
        stream.width = stream.height = SIDE
        stream.pix_fmt = "yuv420p"
        for n in range(total):
            rgb = demo.image((n // (10 * rate)) % len(demo.paths))
            size = SIDE / min(rgb.shape[:2])
            move = np.array([[size, 0, 4 * np.sin(n / 7)], [0, size, 4 * np.cos(n / 11)]])
            frame = cv2.warpAffine(rgb, move, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
            file.mux(stream.encode(av.VideoFrame.from_ndarray(frame, "rgb24")))
        file.mux(stream.encode())
    part.replace(path)
    print(f"a clip of {total} frames, {minutes:g} minutes")


def command(inputs: Path, out: Path, clip: bool) -> list[str]:
    """The release, with default options but one worker."""
    asked = ["-k", "5", "--seed", "1", "--jobs", "1"]
    # one clip is one folder; rendered people are too much alike to be told apart by their faces
    asked += ["--reference", "nobody"] if clip else ["--persons", "folder"]
    return [
        sys.executable,
        "-m",
        "ksame.cli.app",
        "deidentify",
        str(inputs),
        "-o",
        str(out),
        *asked,
    ]


def pictures(folder: Path) -> int:
    """Entries of a folder but for the documents, which are written when all pictures are."""
    return sum(not name.endswith((".json", ".html")) for name in os.listdir(folder))  # noqa: PTH208


def sample(process: psutil.Process, work: Path, temporary: Path) -> tuple[int, ...]:
    """What `COLUMNS` names from the third on; zeros of a process that has just ended."""
    rss = files = threads = 0
    try:
        for each in (process, *process.children(recursive=True)):
            rss += each.memory_info().rss
            files += each.num_fds()
            threads += each.num_threads()
    except psutil.Error:
        pass
    places = (work / "store" / "found", work / "release")
    found, written = (pictures(p) if p.is_dir() else 0 for p in places)
    left = sum(1 for _ in temporary.rglob("*"))
    return found, written, rss, files, threads, left


def run_once(call: list[str], keep: Path, piece: int, seconds: float) -> int | None:
    """Run the command, or go on with it, for so long; None if it was killed."""
    temporary, work = keep / "tmp", keep / "out.work"
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(temporary)}
    told = (keep / "stderr.txt").open("a")
    process = subprocess.Popen(call, start_new_session=True, env=environment, stdout=told,
                               stderr=told)  # fmt: skip
    start, end = time.monotonic(), time.monotonic() + seconds
    with told, (keep / "samples.csv").open("a", newline="") as file:
        rows = csv.writer(file)
        while (ended := process.poll()) is None and time.monotonic() < end:
            taken = round(time.monotonic() - start, 1)
            rows.writerow([piece, taken, *sample(psutil.Process(process.pid), work, temporary)])
            file.flush()
            time.sleep(LOOK)
    if ended is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
    return ended


def slope(progress: npt.NDArray[Any], values: npt.NDArray[Any]) -> tuple[float, float] | None:
    """Slope and half its 95% interval; None of too few samples."""
    warm = np.arange(len(progress)) >= WARM * len(progress)
    progress, values = progress[warm].astype(float), values[warm].astype(float)
    if len(progress) < 2 * PIECES or np.ptp(progress) == 0:
        return None
    x, y = (np.array([part.mean() for part in np.array_split(column, PIECES)])
            for column in (progress, values))  # fmt: skip
    fit = stats.linregress(x, y)
    return float(fit.slope), float(fit.stderr * stats.t.ppf(0.975, PIECES - 2))


def stages(rows: npt.NDArray[Any]) -> Iterator[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]]:
    """Name, progress and samples of each stage of each process."""
    for piece in np.unique(rows[:, 0]):
        of = rows[rows[:, 0] == piece]
        for name, column in (("find", 2), ("write", 3)):
            grows = np.flatnonzero(np.diff(of[:, column], prepend=of[0, column]) > 0)
            if len(grows) > 1:
                part = of[grows[0] : grows[-1] + 1]
                yield name, part[:, column], part


def after_all(rows: npt.NDArray[Any]) -> float:
    """The most memory while documents are made, attacked and verified."""
    of = rows[rows[:, 0] == rows[-1, 0]]
    return float(of[of[:, 3] >= of[:, 3].max(), 4].max())


def report(keep: Path, ended: int | None) -> dict[str, Any]:
    """Print and return what was measured of all pieces."""
    with (keep / "samples.csv").open(newline="") as file:
        rows = np.array([[float(cell) for cell in row] for row in csv.reader(file)])
    figures: dict[str, Any] = {
        "ended": ended,
        "pieces": int(rows[:, 0].max()) + 1,
        "found": int(rows[:, 2].max()),
        "written": int(rows[:, 3].max()),
        "rss_mb_most": round(rows[:, 4].max() / 1e6, 1),
        "rss_mb_most_after_the_last_picture": round(after_all(rows) / 1e6, 1),
        "files_most": int(rows[:, 5].max()),
        "threads_most": int(rows[:, 6].max()),
        "temporary_most": int(rows[:, 7].max()),
        "temporary_left": sum(1 for _ in (keep / "tmp").rglob("*")),
        "scratch_left": (keep / "out.work").exists(),
    }
    for name, progress, part in stages(rows):
        rss, files = slope(progress, part[:, 4]), slope(progress, part[:, 5])
        if rss and files:
            key = f"piece_{int(part[0, 0])}_{name}"
            figures[f"{key}_photos"] = int(np.ptp(progress))
            figures[f"{key}_kb_a_photo"] = [round(v / 1e3, 3) for v in rss]
            figures[f"{key}_files_a_photo"] = [round(v, 6) for v in files]
            figures[f"{key}_rss_mb"] = [round(v / 1e6) for v in (part[0, 4], part[-1, 4])]
    for name, value in figures.items():
        print(f"{name}: {value}")
    return figures


def main() -> int:
    """Make the inputs, run, kill, go on, and tell what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photos", type=int, default=0)
    parser.add_argument("--clip-minutes", type=float, default=0)
    parser.add_argument("--rate", type=int, default=5, help="frames a second of the clip")
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--keep", type=Path, required=True, help="a folder to go on in")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    end, keep = time.monotonic() + 60 * chosen.minutes, chosen.keep
    album = keep / "album"
    album.mkdir(parents=True, exist_ok=True)
    if chosen.photos:
        make_photos(album, chosen.photos)
    if chosen.clip_minutes:
        make_clip(album / "clip" / "long.mp4", chosen.clip_minutes, chosen.rate)
    call = command(album, keep / "out", bool(chosen.clip_minutes))
    dice, piece = random.Random(), 0
    if (keep / "samples.csv").exists():
        piece = 1 + int((keep / "samples.csv").read_text().splitlines()[-1].split(",")[0])
    ended = None
    for left in reversed(range(chosen.kills + 1)):
        seconds = end - time.monotonic()
        if left:  # kills come early, so that the last piece is long
            seconds *= dice.uniform(0.05, 0.15)
        ended = run_once(call, keep, piece, seconds)
        piece += 1
        if ended is not None:
            break
    figures = report(keep, ended)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1))
    if ended == 0:
        shutil.rmtree(keep / "tmp", ignore_errors=True)
    return 0 if ended in (0, 3, None) else 1


if __name__ == "__main__":
    sys.exit(main())
