"""Prompts: one template per node, rendered strictly."""
