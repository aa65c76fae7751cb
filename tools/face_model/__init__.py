"""Trains the appearance model of people who do not exist (`ksame.codecs.face`)."""
