"""What each tool prints, where that is not SARIF or its SARIF lacks something, to diagnostics: one function per tool.

Formats as printed by shellcheck 0.11, detect-secrets 1.5, check-jsonschema 0.39, ast-grep 0.51 and hadolint 2.15. All
raise ToolFailed when the output is not of that form.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from moot.agents.analyzers import sarif, yaml_path
from moot.agents.analyzers.changed_files import Tree
from moot.agents.analyzers.diagnostic import Diagnostic, Grade, ToolFailed
from moot.core.findings import Category, Severity

Parse = Callable[[bytes, Tree, Sequence[str]], list[Diagnostic]]


def _of_known_form(parse: Parse) -> Parse:
    """Make a missing key, a wrong type or no JSON at all what it is: a tool that brought nothing readable."""

    @wraps(parse)
    def checked(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
        try:
            return parse(out, tree, files)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ToolFailed("printed nothing that can be read") from error

    return checked


_SHELLCHECK_LEVELS = {"error": "error", "warning": "warning", "info": "note", "style": "note"}


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


@_of_known_form
def shellcheck(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read `--format=json1`."""
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
        for comment in _listed(json.loads(out)["comments"])
    ]


@_of_known_form
def detect_secrets(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read what `scan` prints. The secret itself is never in it, only a hash."""
    return [
        Diagnostic(
            rule=secret["type"],
            path=posixpath.normpath(path),
            message=f"This looks like a secret in the source: {secret['type']}",
            line=secret["line_number"],
            why="Whoever can read the repository or any copy of it can use it, and its history keeps it.",
            fix="Read it from the environment or a secret store, and revoke this one if it is real.",
        )
        for path, secrets in json.loads(out)["results"].items()
        for secret in secrets
    ]


@_of_known_form
def check_jsonschema(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read `--output-format=json`. A file that is no YAML at all is a result too."""
    found = []
    report = json.loads(out)
    for error in _listed(report["errors"]):
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
        found.append(Diagnostic("parse", path, "Not valid YAML", level="error"))
    return found


@_of_known_form
def ast_grep(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read `--json=compact --include-metadata`; our rules carry their grade in their metadata."""
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
        for match in _listed(json.loads(out))
    ]


def hadolint(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Read its SARIF, which names an instruction by its first line, and add the lines the instruction goes on for."""
    return [replace(d, end_line=_end_of_instruction(tree.lines(d.path), d.line)) for d in sarif.parse(out, tree, files)]


def _end_of_instruction(lines: Sequence[str], first: int | None) -> int | None:
    if first is None:
        return None
    last = first
    while last < len(lines) and lines[last - 1].rstrip().endswith("\\"):
        last += 1
    return last
