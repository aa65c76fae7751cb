"""Photos per second of a whole release against ``deface``, and memory from 200 to 5,000 photos.

    python benchmarks/photos.py --json FILE [--quick] [--data DIR] [--before SRC]

All get the same photos in the same run, three times in turn, each from a cold start, and the
medians count: ksame finds, groups, replaces, checks, certifies and reports, in its natural mode and
in its strict one; deface finds and blurs. deface runs in ``.venv-deface`` (``make bench``); without
it its keys are left out. With ``--data`` the photos are London's (856 px), else the built-in
synthetic people enlarged to that size. ``--before`` names the ``src`` of another commit, whose
strict mode takes its turn too. Sources run from copies that are compiled beforehand, as pip
compiles what it installs: where Python may not keep bytecode, each process would compile anew. A
busy machine bends seconds, so processor seconds stand beside them (``cpu``, of a tool and all its
processes).
"""

import argparse
import compileall
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Cost:
    """Seconds, processor seconds, and the peak resident memory in MB of a tool's processes."""

    seconds: float
    cpu: float
    peak: float


def measured(command: Sequence[str], env: Mapping[str, str] | None = None) -> Cost:
    """Run a command and tell what it cost."""
    start, used = time.perf_counter(), _processor_seconds()
    process = psutil.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _resident(process))
        time.sleep(0.25)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed: {process.stderr.read()[-2000:]}")
    return Cost(time.perf_counter() - start, _processor_seconds() - used, peak)


def _processor_seconds() -> float:
    """Of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _resident(process: psutil.Process) -> float:
    total = 0
    try:
        for each in (process, *process.children(recursive=True)):
            total += each.memory_info().rss
    except psutil.Error:
        pass
    return total / 1e6


def compiled(source: Path, folder: Path) -> Path:
    """A copy of a ``src`` with the bytecode that an installed package has."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder, quiet=1)
    return folder


def run_ksame(album: Album, folder: Path, source: Path, options: Sequence[str] = ()) -> Cost:
    """One release of an album whose people are known, by the package in ``source``."""
    folder.mkdir(exist_ok=True)
    people = folder / "people.csv"
    with people.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("image", "person"))
        writer.writerows((path.resolve(), person) for path, person in album)
    asked = ["-k", "5", "--persons", str(people), "--seed", "1", "--json", *options]
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify"]
    env = {**os.environ, "PYTHONPATH": str(source.resolve())}
    env.pop("PYTHONPYCACHEPREFIX", None)  # else bytecode beside the sources is not looked for
    photos = [str(path) for path, _ in album]
    return measured([*command, *photos, "-o", str(folder / "out"), *asked], env)


def run_deface(album: Album, folder: Path) -> Cost:
    """deface with its defaults, all photos in one call; it writes beside its inputs."""
    links = folder / "links"
    links.mkdir(parents=True)
    for path, _ in album:
        (links / path.name).symlink_to(path.resolve())
    return measured([str(DEFACE), *(str(p) for p in sorted(links.iterdir()))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="24 photos, no memory at 5,000")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--before", type=Path, help="src of another commit, for its strict mode")
    parser.add_argument("--no-large", action="store_true", help="leave out the run of 5,000")
    chosen = parser.parse_args()
    if chosen.before and not (chosen.before / "ksame").is_dir():
        parser.error("--before names no src: there is no package ksame in it")
    with tempfile.TemporaryDirectory() as name:
        figures = benchmark(chosen, Path(name))
    print(f"{'figure':<28}value")
    for key, value in figures.items():
        print(f"{key:<28}{value:.3f}" if isinstance(value, float) else f"{key:<28}{value}")
    chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def compared(
    album: Album, folder: Path, runs: int, own: Path, before: Path | None
) -> dict[str, float | str]:
    """All in turn: medians, and the least and the most that one run was faster by."""
    if not DEFACE.is_file():
        print("deface is not installed (make bench); its figures are left out", file=sys.stderr)
    strict = ("--composite", "strict")
    turns = {
        "natural": lambda place: run_ksame(album, place, own),
        "strict": lambda place: run_ksame(album, place, own, strict),
    }
    if before is not None:
        older = compiled(before, folder / "before-src")
        turns["before"] = lambda place: run_ksame(album, place, older, strict)
    if DEFACE.is_file():
        turns["deface"] = lambda place: run_deface(album, place)
    costs: dict[str, list[Cost]] = {name: [] for name in turns}
    for run in range(runs):
        for name, take in turns.items():
            costs[name].append(take(folder / f"{name}-{run}"))
    return _figures(costs, len(album))


def _figures(costs: Mapping[str, Sequence[Cost]], photos: int) -> dict[str, float | str]:
    seconds = {name: median(cost.seconds for cost in many) for name, many in costs.items()}
    cpu = {name: median(cost.cpu for cost in many) for name, many in costs.items()}
    figures: dict[str, float | str] = {
        "photos_per_second": photos / seconds["natural"],
        "strict_photos_per_second": photos / seconds["strict"],
        f"rss_mb_{photos}": max(cost.peak for cost in costs["natural"]),
        **{f"{name}_cpu_ms_per_photo": 1000 * used / photos for name, used in cpu.items()},
    }
    if "before" in costs:
        figures["before_photos_per_second"] = photos / seconds["before"]
        figures["strict_speedup_vs_before"] = seconds["before"] / seconds["strict"]
        figures["strict_cpu_vs_before"] = cpu["strict"] / cpu["before"]
    if "deface" in costs:
        pairs = zip(costs["natural"], costs["deface"], strict=True)
        ratios = [other.seconds / own.seconds for own, other in pairs]
        figures["deface_photos_per_second"] = photos / seconds["deface"]
        figures["speedup_vs_deface"] = seconds["deface"] / seconds["natural"]
        figures["strict_speedup_vs_deface"] = seconds["deface"] / seconds["strict"]
        figures["speedup_least"], figures["speedup_most"] = min(ratios), max(ratios)
    return figures


def benchmark(chosen: argparse.Namespace, folder: Path) -> dict[str, float | str]:
    """Every figure of one run."""
    for part in ("photos", "speed", "large", "many"):
        (folder / part).mkdir()
    whole = london(chosen.data) if chosen.data else synthetic(folder / "photos")
    album = grown(whole, 24 if chosen.quick else 200, folder / "photos")
    figures: dict[str, float | str] = {"photos": float(len(album))}
    own = compiled(ROOT / "src", folder / "own-src")
    runs = 1 if chosen.quick else RUNS
    figures |= compared(album, folder / "speed", runs, own, chosen.before)
    if not chosen.quick and not chosen.no_large:
        many = grown(whole, 5000, folder / "many")
        cost = run_ksame(many, folder / "large", own)
        figures["photos_per_second_5000"] = len(many) / cost.seconds
        figures["rss_mb_5000"] = cost.peak
    return figures


if __name__ == "__main__":
    main()
