"""The bytes that the shipped model must have; written by its training."""

SHA256 = "4477ded926f527fa2d7bf34ecb637d5d5e86ec2bab900c779c13d309563bf121"
