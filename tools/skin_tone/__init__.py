"""Train the regression that tells skin tones against the light."""
