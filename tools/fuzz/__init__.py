"""Structured mutations of everything that ksame reads: ``make fuzz MINUTES=5``."""
