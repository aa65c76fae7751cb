"""The sha256 that the shipped model must have; written by its training."""

SHA256 = "2233130bac715324b37a10c97dd51823f3b026f27518251226e686307d999161"
