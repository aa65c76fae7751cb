"""bench.json, written and read: runs of other methods on the same faces go into one table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ksame.attacks.bench import BenchRow
from ksame.attacks.measure import RATES, SCORES, Measured
from ksame.attacks.release import versions
from ksame.errors import InputError
from ksame.experiments.compare import Comparison
from ksame.metrics.agreement import Agreement
from ksame.metrics.cmc import Cmc
from ksame.metrics.intervals import Rate

_SAME = ("people", "faces", "faces_digest", "splits")  # what must agree to stand in one table


def as_json(found: Comparison, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The content of bench.json; it names no person and no file."""
    return {
        "people": found.people,
        "faces": found.faces,
        **extra,
        "results": [row.as_dict() for row in found.rows],
        "kept": [
            {"method": name, "level": level, **kept.as_dict()}
            for (name, level), kept in found.kept.items()
        ],
        "seed": 0,
        "versions": versions(),
    }


def read_earlier(
    files: Sequence[Path], people: int, faces: int, extra: Mapping[str, Any]
) -> Comparison:
    """Earlier runs on the same faces, in one comparison.

    Match curves keep the ranks that a file keeps; verification curves stay with the run that made
    them.

    Raises
    ------
    InputError
        A file is no bench.json, or of other faces, people or splits.
    """
    now = {"people": people, "faces": faces, **extra}
    rows: list[BenchRow] = []
    kept: dict[tuple[str, float], Agreement] = {}
    for path in files:
        content = _read(path)
        other = [name for name in _SAME if content.get(name) != now.get(name)]
        if other:
            raise InputError(
                f"{path.name} differs from this run in {', '.join(other)}; one table needs the "
                "same faces, divided alike. Run its methods again."
            )
        rows += map(_row, content["results"])
        kept |= {(k["method"], float(k["level"])): _agreement(k) for k in content["kept"]}
    return Comparison(tuple(rows), kept, people, faces)


def joined(earlier: Comparison, found: Comparison) -> Comparison:
    """Both in one comparison, the earlier one first; what was run again is replaced."""
    rows = {_key(row): row for row in (*earlier.rows, *found.rows)}
    kept = {**earlier.kept, **found.kept}
    return Comparison(tuple(rows.values()), kept, found.people, found.faces)


def _key(row: BenchRow) -> tuple[str, float, str, str]:
    return row.method, row.level, row.recogniser, row.attack


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {**content, "results": content["results"], "kept": content["kept"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path.name} is no bench.json. Name one that ksame bench wrote."
        ) from error


def _row(told: Mapping[str, Any]) -> BenchRow:
    curve = Cmc(np.array(told["cmc"], np.float64), _rate(told["rank1"]), float(told["chance"]))
    more: dict[str, Any] = {name: _rate(told[name]) for name in RATES if name in told}
    more |= {name: told[name] for name in SCORES if name in told}
    measured = Measured(
        told["recogniser"],
        told["attack"],
        int(told["probes"]),
        int(told["people"]),
        curve,
        note=told.get("note", ""),
        **more,
    )
    return BenchRow(told["method"], float(told["level"]), measured)


def _rate(told: Mapping[str, Any]) -> Rate:
    return Rate(told["hits"], told["trials"], told["low"], told["high"], told.get("people"))


def _agreement(told: Mapping[str, Any]) -> Agreement:
    detected = {name: _rate(told[name]) for name in ("yunet", "haar") if name in told}
    plain = {
        name: told[name]
        for name in ("expression", "gaze", "landmarks", "pose", "measured", "ssim", "psnr")
    }
    looks = {name: told[name] for name in ("age", "tone", "frechet_sface")}
    sex = None if told["sex"] is None else _rate(told["sex"])
    return Agreement(detected, **plain, sex=sex, **looks)
