"""Clips under load, for `benchmarks/video.py`: speed, memory, and kills at random times."""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import psutil

from ksame.media.clips import read_facts

DEFACE = Path(__file__).parents[1] / ".venv-deface" / "bin" / "deface"
FAST = ("three_people_1080p", "mead_M030_sad_1080p444", "portrait_1080x1920")
Figures = dict[str, Any]


def run_ksame(clips: Sequence[Path], out: Path, k: int, jobs: int | None, seed: int = 1) -> float:
    """Seconds of a release with default options."""
    return timed(command_for(clips, out, k, jobs, seed), (0, 3))


def command_for(
    clips: Sequence[Path], out: Path, k: int, jobs: int | None, seed: int = 1
) -> list[str]:
    """The command of a release with default options."""
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify", *map(str, clips)]
    command += ["-o", str(out), "-k", str(k), "--seed", str(seed), "--json"]
    return command + (["--jobs", str(jobs)] if jobs else [])


def timed(command: list[str], fine: tuple[int, ...]) -> float:
    """Seconds of a command; anything but a fine exit code ends the benchmark."""
    start = time.perf_counter()
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode not in fine:
        raise SystemExit(f"{command[0]} failed ({ran.returncode}): {ran.stderr[-2000:]}")
    return time.perf_counter() - start


def speed(clips: Sequence[Path], folder: Path, jobs: int | None) -> Figures:
    """Frames a second of 1080p clips with one to three faces, beside deface in the same run."""
    fast = [clip for clip in clips if any(part in clip.name for part in FAST)]
    if not fast:
        return {}
    frames = sum(read_facts(clip).frames for clip in fast)
    own = run_ksame(fast, folder / "fast", 2, jobs)
    figures: Figures = {"fps": frames / own, "fps_frames": frames}
    if DEFACE.is_file():
        places = folder / "fast-deface"
        places.mkdir()
        theirs = sum(
            timed([str(DEFACE), str(clip), "-o", str(places / f"{clip.stem}.mp4")], (0,))
            for clip in fast
        )
        figures |= {"deface_fps": frames / theirs, "speedup_vs_deface": theirs / own}
    return figures


def memory(clips: Sequence[Path], folder: Path, chosen: argparse.Namespace) -> Figures:
    """Peak memory of a release of one clip, and of the same clip in a loop."""
    clip = next((c for c in clips if FAST[0] in c.name), clips[0])
    times = max(2, round(60 * chosen.minutes / read_facts(clip).seconds))
    figures = {}
    for name, path in {"once": clip, "looped": looped(clip, folder / "looped.mp4", times)}.items():
        seconds, peak = resident(command_for([path], folder / f"memory-{name}", 2, chosen.jobs))
        figures |= {f"rss_mb_{name}": peak, f"seconds_{name}": seconds}
    return {**figures, "looped_minutes": times * read_facts(clip).seconds / 60}


def looped(clip: Path, out: Path, times: int) -> Path:
    """A clip again and again, without encoding it anew."""
    facts = read_facts(clip)
    with av.open(str(out), "w") as container, av.open(str(clip)) as first:
        stream = container.add_stream_from_template(first.streams.video[0], opaque=True)
        for turn in range(times):
            with av.open(str(clip)) as source:
                shift = turn * facts.duration // facts.time_base.numerator
                for packet in source.demux(source.streams.video[0]):
                    if packet.size:
                        packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                        packet.stream = stream
                        container.mux(packet)
    return out


def resident(command: list[str]) -> tuple[float, float]:
    """Seconds and the peak memory in MB of a command with all its processes."""
    start = time.perf_counter()
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        try:
            every = (process, *process.children(recursive=True))
            peak = max(peak, sum(one.memory_info().rss for one in every) / 1e6)
        except psutil.Error:
            pass
        time.sleep(0.25)
    return time.perf_counter() - start, peak


def kills(clips: Sequence[Path], folder: Path, chosen: argparse.Namespace) -> Figures:
    """Releases that are killed at random times and started again: the same bytes every time."""
    rng = random.Random(0)
    seconds = run_ksame(clips, folder / "unharmed", 2, chosen.jobs)
    expected = digests(folder / "unharmed")
    same = 0
    for number in range(chosen.kills):
        out = folder / f"killed-{number}"
        command = command_for(clips, out, 2, chosen.jobs)
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(rng.uniform(0.1, 0.95) * seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        timed(command, (0, 3))
        same += digests(out) == expected
        shutil.rmtree(out)
    return {"kills": chosen.kills, "kills_same_bytes": same}


def digests(out: Path) -> list[str]:
    """The sha256 of every clip of a release."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.glob("*.mp4"))]
