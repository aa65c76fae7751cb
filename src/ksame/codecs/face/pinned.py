"""The sha256 that the shipped model must have; written by its training."""

SHA256 = "c50b39e6eb9b62b92e4eac72e956d31fa29eabb8865f3cd71f079facecde6dd9"
