"""The bytes that the shipped model must have; written by its training."""

SHA256 = "bc155c20df91af4ef404dd91635dd6443209dfe1524eaaa4446846215e139716"
