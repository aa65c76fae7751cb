"""The sha256 that the shipped model must have; written by its training."""

SHA256 = "a58e077c4c3afc1f632164e6a3a7576f9db2707ef2107b288e74f5b82d571c1b"
