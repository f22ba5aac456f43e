"""Procedures over seats, each reading like what it is."""
