"""Photos per second of a whole release against ``deface``, and memory from 200 to 5,000 photos.

    python benchmarks/photos.py --json FILE [--quick] [--data DIR]

Both tools get the same photos in the same run, three times in turn, each from a cold start, and
the medians count: ksame finds, groups, replaces, checks, certifies and reports; deface finds and
blurs. deface runs in ``.venv-deface`` (``make
bench``); without it its keys are left out. With ``--data`` the photos are London's (856 px), else
the built-in synthetic people enlarged to that size.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import cv2
import numpy as np
import psutil

ROOT = Path(__file__).parents[1]
DEFACE = ROOT / ".venv-deface" / "bin" / "deface"
SIDE = 856
RUNS = 3  # machines have their moods: the tools take turns, and medians are compared
Album = list[tuple[Path, str]]


def london(data: Path) -> Album:
    """London's photos with their people."""
    with (data / "faces.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["set"] == "london"]
    return [(data / row["image"], row["person"]) for row in rows]


def synthetic(folder: Path) -> Album:
    """The built-in people at London's size."""
    from ksame.datasets.demo_people import demo_people

    demo, album = demo_people(), []
    for number, (image, person) in enumerate(zip(demo.images(), demo.persons, strict=True)):
        scale = SIDE / max(image.shape)
        large = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        path = folder / f"synthetic-{number:04d}.jpg"
        cv2.imwrite(str(path), large[..., ::-1])
        album.append((path, person))
    return album


def grown(album: Album, count: int, folder: Path) -> Album:
    """As many photos as asked for: brighter and darker copies of the same people."""
    more = list(album[:count])
    rng = np.random.default_rng(0)
    while len(more) < count:
        path, person = album[len(more) % len(album)]
        image = cv2.imread(str(path)).astype(np.float32)
        image = np.clip(image * rng.uniform(0.8, 1.2) + rng.uniform(-12, 12), 0, 255)
        copy = folder / f"copy-{len(more):05d}.jpg"
        cv2.imwrite(str(copy), image.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 92])
        more.append((copy, person))
    return more


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds and the peak resident memory in MB of a command with all its processes."""
    start = time.perf_counter()
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _resident(process))
        time.sleep(0.25)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed: {process.stderr.read()[-2000:]}")
    return time.perf_counter() - start, peak


def _resident(process: psutil.Process) -> float:
    total = 0
    try:
        for each in (process, *process.children(recursive=True)):
            total += each.memory_info().rss
    except psutil.Error:
        pass
    return total / 1e6


def run_ksame(album: Album, folder: Path) -> tuple[float, float]:
    """One release of an album whose people are known."""
    people = folder / "people.csv"
    with people.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("image", "person"))
        writer.writerows((path.resolve(), person) for path, person in album)
    options = ["-k", "5", "--persons", str(people), "--seed", "1", "--json"]
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify"]
    return measured([*command, *(str(p) for p, _ in album), "-o", str(folder / "out"), *options])


def run_deface(album: Album, folder: Path) -> float:
    """deface with its defaults, all photos in one call; it writes beside its inputs."""
    links = folder / "deface"
    links.mkdir(parents=True)
    for path, _ in album:
        (links / path.name).symlink_to(path.resolve())
    return measured([str(DEFACE), *(str(p) for p in sorted(links.iterdir()))])[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="24 photos, no memory at 5,000")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--no-large", action="store_true", help="leave out the run of 5,000")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        figures = benchmark(chosen, Path(name))
    print(f"{'figure':<28}value")
    for key, value in figures.items():
        print(f"{key:<28}{value:.3f}" if isinstance(value, float) else f"{key:<28}{value}")
    chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def compared(album: Album, folder: Path, runs: int) -> dict[str, float | str]:
    """Both tools in turn: medians, and the least and the most that one run was faster by."""
    if not DEFACE.is_file():
        print("deface is not installed (make bench); its figures are left out", file=sys.stderr)
    own, theirs, peaks = [], [], []
    for run in range(runs):
        (folder / str(run)).mkdir()
        seconds, rss = run_ksame(album, folder / str(run))
        own.append(seconds)
        peaks.append(rss)
        if DEFACE.is_file():
            theirs.append(run_deface(album, folder / str(run)))
    figures: dict[str, float | str] = {"photos_per_second": len(album) / median(own)}
    figures[f"rss_mb_{len(album)}"] = max(peaks)
    if theirs:
        ratios = [b / a for a, b in zip(own, theirs, strict=True)]
        figures["deface_photos_per_second"] = len(album) / median(theirs)
        figures["speedup_vs_deface"] = median(theirs) / median(own)
        figures["speedup_least"], figures["speedup_most"] = min(ratios), max(ratios)
    return figures


def benchmark(chosen: argparse.Namespace, folder: Path) -> dict[str, float | str]:
    """Every figure of one run."""
    for part in ("photos", "speed", "large", "many"):
        (folder / part).mkdir()
    whole = london(chosen.data) if chosen.data else synthetic(folder / "photos")
    album = grown(whole, 24 if chosen.quick else 200, folder / "photos")
    figures: dict[str, float | str] = {"photos": float(len(album))}
    figures |= compared(album, folder / "speed", 1 if chosen.quick else RUNS)
    if not chosen.quick and not chosen.no_large:
        many = grown(whole, 5000, folder / "many")
        seconds, rss = run_ksame(many, folder / "large")
        figures["photos_per_second_5000"] = len(many) / seconds
        figures["rss_mb_5000"] = rss
    return figures


if __name__ == "__main__":
    main()
