"""A stranger's package: everything here knows ksame by its documented names alone."""
