"""The attacker's side: every attack of the papers, on face sets and on folders of photos.

`attack_release` attacks photos (`ksame.attacks.release`); `ksame.attacks.bench` runs methods
against recognisers on registered faces with the papers' protocol.
"""
