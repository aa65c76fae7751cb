"""Networks that are kept: see `ksame.weights.session`."""

from ksame.weights.session import network as network
