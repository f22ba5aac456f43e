"""Durable execution: step, wait, execute. The only package that imports dbos."""
