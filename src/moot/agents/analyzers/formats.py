"""The output of the tools that do not speak SARIF well enough, to diagnostics: one function per tool.

Formats as printed by shellcheck 0.11, detect-secrets 1.5, check-jsonschema 0.39 and ast-grep 0.51.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence
from typing import Any

from moot.agents.analyzers import yaml_path
from moot.agents.analyzers.changed_files import Tree
from moot.agents.analyzers.diagnostic import Diagnostic, Grade, ToolFailed
from moot.core.findings import Category, Severity

_SHELLCHECK_LEVELS = {"error": "error", "warning": "warning", "info": "note", "style": "note"}


def shellcheck(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read `--format=json1`.

    Raises:
        ToolFailed: `out` is not of that form.
    """
    return [
        Diagnostic(
            rule=f"SC{comment['code']}",
            path=posixpath.normpath(comment["file"]),
            message=comment["message"],
            line=comment["line"],
            end_line=comment["endLine"],
            level=_SHELLCHECK_LEVELS.get(comment["level"], "warning"),
            url=f"https://www.shellcheck.net/wiki/SC{comment['code']}",
        )
        for comment in _load(out, "comments")
    ]


def detect_secrets(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read what `scan` prints. The secret itself is never in it, only a hash.

    Raises:
        ToolFailed: `out` is not of that form.
    """
    return [
        Diagnostic(
            rule=secret["type"],
            path=posixpath.normpath(path),
            message=f"This looks like a secret in the source: {secret['type']}",
            line=secret["line_number"],
            why="Whoever can read the repository or any copy of it can use it, and its history keeps it.",
            fix="Read it from the environment or a secret store, and revoke this one if it is real.",
        )
        for path, secrets in _load(out, "results").items()
        for secret in secrets
    ]


def check_jsonschema(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read `--output-format=json`. A file that is no YAML at all is a result too.

    Raises:
        ToolFailed: `out` is not of that form.
    """
    found = []
    report = _load(out)
    for error in _load(out, "errors"):
        deepest = error.get("best_deep_match") or error
        path = posixpath.normpath(error["filename"])
        stranger = re.search(r"'([^']+)' was unexpected", deepest["message"])
        place = deepest["path"] + (f"['{stranger[1]}']" if stranger else "")
        found.append(
            Diagnostic(
                rule="schema",
                path=path,
                message=f"Not a valid workflow: at {deepest['path']}, {deepest['message']}",
                line=yaml_path.locate(tree.lines(path), place),
                level="error",
                why="GitHub refuses to run a workflow file that does not follow its schema.",
            )
        )
    for error in report.get("parse_errors", ()):
        path = posixpath.normpath(error["filename"])
        found.append(Diagnostic("parse", path, "Not valid YAML", level="error", why=str(error.get("message", ""))))
    return found


def ast_grep(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read `--json=compact --include-metadata`; our rules carry their grade in their metadata.

    Raises:
        ToolFailed: `out` is not of that form.
    """
    return [
        Diagnostic(
            rule=match["ruleId"],
            path=posixpath.normpath(match["file"]),
            message=match["message"],
            line=match["range"]["start"]["line"] + 1,
            end_line=match["range"]["end"]["line"] + 1,
            why=" ".join((match.get("note") or "").split()),
            fix=match["metadata"].get("fix", ""),
            grade=Grade(Severity(match["metadata"]["severity"]), Category(match["metadata"]["category"])),
        )
        for match in _load(out)
    ]


def _load(out: bytes, key: str | None = None) -> Any:
    try:
        value = json.loads(out)
        return value if key is None else value[key]
    except (ValueError, KeyError, TypeError) as error:
        raise ToolFailed("printed nothing that can be read") from error
