"""Seats: the only door to an agent."""
