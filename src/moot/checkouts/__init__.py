"""Directories moot owns with a commit in them, for seats to sit in."""
