"""The attacker's side: every attack of the papers, on face sets and on folders of photos.

`attack` attacks a folder of photos, `ksame.attacks.bench.run` methods on registered faces with the
papers' protocol; both take their attacks from the one table, `ksame.attacks.table.ATTACKS`.
`release_rates` gives the figures of a certificate.
"""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.attacks.public import attack
    from ksame.attacks.rates import release_rates
    from ksame.attacks.release import AttackResult, attack_release
    from ksame.attacks.table import ATTACKS

_HOMES = {
    "ATTACKS": "ksame.attacks.table",
    "AttackResult": "ksame.attacks.release",
    "attack": "ksame.attacks.public",
    "attack_release": "ksame.attacks.release",
    "release_rates": "ksame.attacks.rates",
}

__all__ = ["ATTACKS", "AttackResult", "attack", "attack_release", "release_rates"]

__getattr__ = lazy_names(__name__, _HOMES)
