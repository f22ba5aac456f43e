"""Our own ast-grep rules: `rules/*.yml`, each carrying its severity, category and fix as metadata.

A rule written for TypeScript runs on TSX and JavaScript too: `settings/ast-grep.yml` has JavaScript parsed as TSX, and
here every TypeScript rule is repeated for the language ast-grep calls Tsx.
"""

from __future__ import annotations

from pathlib import Path

RULES = Path(__file__).parent / "rules"

_TYPESCRIPT, _TSX = "\nlanguage: TypeScript\n", "\nlanguage: Tsx\n"


def rule_pack() -> str:
    """Return all rules as one YAML stream for `ast-grep scan --inline-rules`."""
    texts = [file.read_text(encoding="utf-8").strip() for file in sorted(RULES.glob("*.yml"))]
    return "\n---\n".join(texts + [t.replace(_TYPESCRIPT, _TSX) for t in texts if _TYPESCRIPT in t]) + "\n"
