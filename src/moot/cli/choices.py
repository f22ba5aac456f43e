"""Words that options choose from, spelled out so that `--help` imports nothing."""

from __future__ import annotations

FORMATS = ("text", "md", "json", "sarif", "html")
SEVERITIES = ("critical", "high", "medium", "low", "nit")
