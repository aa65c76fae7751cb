"""The attacker's side: every attack of the papers, on face sets and on folders of photos.

`attack` attacks a folder of photos, `ksame.attacks.bench.run` methods on registered faces with the
papers' protocol; both take their attacks from the one table, `ksame.attacks.table.ATTACKS`.
`release_rates` gives the figures of a certificate.
"""

from ksame.attacks.public import attack
from ksame.attacks.rates import release_rates
from ksame.attacks.release import AttackResult, attack_release
from ksame.attacks.table import ATTACKS

__all__ = ["ATTACKS", "AttackResult", "attack", "attack_release", "release_rates"]
