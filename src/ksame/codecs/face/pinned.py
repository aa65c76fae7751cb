"""The sha256 that the shipped model must have; written by its training."""

SHA256 = "09083e0552c64afe9a7cf44758d9ba65524356e65f56ec1fc8c8a8bd875c9d03"
