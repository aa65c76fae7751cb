"""Sex and age of the training people: what their pictures were asked to show, else a network."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tools.face_model.sources import Reading

_FEMALE = re.compile(r"\b(woman|women|girl|female|lady|grandmother)\b")
_MALE = re.compile(r"\b(man|men|boy|male|gentleman|grandfather|beard\w*|mustache\w*)\b")
_AGE = re.compile(r"\b(\d{1,2})[- ]year")
# what prompts call ages; in the order of asking
_WORDS = (("newborn", 1), ("baby", 1), ("toddler", 2), ("young child", 6), ("child", 8),
          ("kid", 8), ("teen", 16), ("middle age", 50), ("elderly", 76),
          ("senior", 72))  # fmt: skip


def labels(data: Path, people: Reading) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The probability of female and the age in years of each."""
    with (data / "more.csv").open(newline="", encoding="utf-8") as file:
        notes = {row["file"]: row["note"].lower() for row in csv.DictReader(file)}
    female, age = people.female.copy(), people.age.copy()
    for row, name in enumerate(people.names):
        note = notes.get(str(name), "")
        if _FEMALE.search(note):
            female[row] = 0.98
        elif _MALE.search(note):
            female[row] = 0.02
        years = [int(y) for y in _AGE.findall(note)] or [y for w, y in _WORDS if w in note][:1]
        if years:
            # prompts and what was painted differ; the network has a say
            age[row] = 0.75 * years[0] + 0.25 * age[row]
    return female, age
