"""What makes a release repeatable for its owner and unpredictable for everybody else.

The seed decides the groups and the order of the neutral names. It is committed to in the
certificate and told in the ledger alone. Small seeds are easy to guess, so nothing is drawn from
the seed itself: every draw also needs a nonce that only the originals give.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ksame.files import read_json, sha256_of, write_json
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch

_COST = 2**14  # of scrypt: a twentieth of a second and 16 MB a guess


@dataclass(frozen=True, slots=True)
class Secret:
    """The seed of a release with the nonce that hides it; the repr shows neither."""

    seed: int = field(repr=False)
    nonce: str = field(repr=False)

    @classmethod
    def none(cls) -> "Secret":
        """No secret yet: nothing can be drawn from it."""
        return cls(0, "")

    def number(self, purpose: str) -> int:
        """A number for one purpose, the same in every run of the same job."""
        if not self.nonce:
            raise RuntimeError("the secret of a release is drawn once its photos are known")
        text = f"{self.seed}:{self.nonce}:{purpose}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7])

    def generator(self, purpose: str) -> np.random.Generator:
        """Random numbers for one purpose, the same in every run of the same job."""
        return np.random.default_rng(self.number(purpose))

    def permutation(self, count: int, purpose: str) -> list[int]:
        """A random order for one purpose."""
        order: list[int] = self.generator(purpose).permutation(count).tolist()
        return order


def draw_secret(seed: int | None, digests: Sequence[str], scratch: Scratch) -> Secret:
    """The seed that was asked for, or a random one that a resumed run finds again."""
    stored = scratch.root / "seed.json"
    if seed is None:
        seed = _stored(stored)
    if seed is None:
        seed = secrets.randbits(63)
        write_json(stored, {"seed": seed})
    photos = hashlib.sha256(json.dumps(sorted(digests)).encode()).digest()
    # slow on purpose: who has the originals could else try all small seeds
    nonce = hashlib.scrypt(str(seed).encode(), salt=photos, n=_COST, r=8, p=1, dklen=32)
    return Secret(seed, nonce.hex())


def _stored(file: Path) -> int | None:
    """The random seed of a run that was killed; None where none, or none undamaged, is kept."""
    try:
        seed = read_json(file)["seed"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return seed if isinstance(seed, int) and 0 <= seed < 2**63 else None


def job_digest(plan: Plan, photos: Sequence[tuple[Path, str]]) -> str:
    """One digest for what was asked and on which photos: two equal ones are the same run."""
    from ksame._version import __version__

    people = Path(plan.persons)
    told = {
        **plan.public(),
        "version": __version__,
        "persons": sha256_of(people) if people.is_file() else plan.persons,
        "reference": plan.reference,
        "seed": plan.seed,
        "max_pixels": plan.max_pixels,
        "with_originals": plan.with_originals,
        "force": plan.force,
        "audio": plan.audio,
        "video_codec": plan.video_codec,
        "photos": sorted((str(path), sha256) for path, sha256 in photos),
    }
    if plan.continues is not None:
        told["continues"] = sha256_of(plan.continues)
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
