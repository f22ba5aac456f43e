"""Runs: created, driven, requested, followed."""
