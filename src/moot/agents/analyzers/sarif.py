"""SARIF 2.1.0 from any producer to diagnostics: the port through which every tool can hold a seat.

Follows the OASIS standard (sections 3.4 artifactLocation, 3.11 message, 3.27 result, 3.49 reportingDescriptor,
3.52 reportingDescriptorReference) and is lenient where producers in the field are: relative paths that are not
percent-encoded, no location, no rule, only a Markdown message.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from moot.agents.analyzers.changed_files import Tree
from moot.agents.analyzers.diagnostic import Diagnostic, ToolFailed

Node = Mapping[str, Any]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_FILE = re.compile(r"^file:(//[^/]*)?/")
#: Kinds of result that report no problem (section 3.27.9).
_NOT_PROBLEMS = ("pass", "notApplicable", "informational")


def parse(out: bytes, tree: Tree, files: Sequence[str]) -> list[Diagnostic]:
    """Return what a SARIF log says about `files`; results about anything else are left out.

    Raises:
        ToolFailed: `out` is not a SARIF log, holds no run, or the run says that it did not succeed.
    """
    try:
        log = json.loads(out.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ToolFailed("printed no SARIF") from error
    runs = log.get("runs") if isinstance(log, dict) else None
    if not isinstance(runs, list) or not runs:
        raise ToolFailed("printed no SARIF run")
    return [d for run in runs if isinstance(run, dict) for d in _run(run, tree, frozenset(files))]


@dataclass(frozen=True)
class _Run:
    """What the results of one run refer to."""

    node: Node
    tree: Tree
    files: frozenset[str]

    def path(self, location: Node) -> str | None:
        uri = location.get("uri")
        if uri is None and isinstance(index := location.get("index"), int):
            location = _at(_at(self.node.get("artifacts"), index).get("location"))
            uri = location.get("uri")
        if not isinstance(uri, str):
            return None
        return self._known(self._based(uri, location.get("uriBaseId"), depth=0))

    def _based(self, uri: str, base_id: object, depth: int) -> str:
        if _SCHEME.match(uri) or not isinstance(base_id, str) or depth > 8:
            return uri
        base = _at(_at(self.node.get("originalUriBaseIds")).get(base_id))
        prefix = base.get("uri")
        if not isinstance(prefix, str):
            return uri
        return posixpath.join(self._based(prefix, base.get("uriBaseId"), depth + 1), uri)

    def _known(self, uri: str) -> str | None:
        raw = _FILE.sub("/", uri)
        for name in (raw, unquote(raw), raw.replace("\\", "/")):
            path = name
            for root in (self.tree.root.as_posix(), self.tree.real_root.as_posix()):
                path = path.removeprefix(root.rstrip("/") + "/")
            path = posixpath.normpath(path)
            if path in self.files:
                return path
        return None

    def rule(self, result: Node) -> Node:
        reference = _at(result.get("rule"))
        tool = _at(self.node.get("tool"))
        component = _at(reference.get("toolComponent")).get("index")
        extensions = tool.get("extensions")
        driver = _at(extensions, component) if isinstance(component, int) else _at(tool.get("driver"))
        rules = driver.get("rules")
        index = result.get("ruleIndex", reference.get("index"))
        if isinstance(index, int) and (found := _at(rules, index)):
            return found
        name = result.get("ruleId") or reference.get("id")
        return next((r for r in _nodes(rules) if r.get("id") == name), {})


def _run(node: Node, tree: Tree, files: frozenset[str]) -> Iterator[Diagnostic]:
    for invocation in _nodes(node.get("invocations")):
        if invocation.get("executionSuccessful") is False:
            notes = [_text(n.get("message")) for n in _nodes(invocation.get("toolExecutionNotifications"))]
            raise ToolFailed(next(filter(None, notes), "says in its SARIF log that it did not succeed"))
    if not isinstance(node.get("results"), list):
        raise ToolFailed("printed a SARIF run without results")  # section 3.14.23: null means nothing was scanned
    run = _Run(node, tree, files)
    for result in _nodes(node["results"]):
        if _is_problem(result):
            yield from _diagnostic(run, result)


def _is_problem(result: Node) -> bool:
    accepted = any(s.get("status", "accepted") == "accepted" for s in _nodes(result.get("suppressions")))
    known = result.get("baselineState") in ("unchanged", "absent")
    return result.get("kind") not in _NOT_PROBLEMS and not accepted and not known


def _diagnostic(run: _Run, result: Node) -> Iterator[Diagnostic]:
    place = _at(_at(result.get("locations"), 0).get("physicalLocation"))
    path = run.path(_at(place.get("artifactLocation")))
    if path is None:
        return
    rule = run.rule(result)
    properties = _at(rule.get("properties"))
    tags = properties.get("tags")
    line, end_line = _lines(_at(place.get("region")))
    yield Diagnostic(
        rule=str(result.get("ruleId") or rule.get("id") or _at(result.get("rule")).get("id") or ""),
        path=path,
        message=_message(_at(result.get("message")), rule),
        line=line,
        end_line=end_line,
        level=str(result.get("level") or _at(rule.get("defaultConfiguration")).get("level") or "warning"),
        why=_why(rule),
        url=str(rule.get("helpUri") or ""),
        fix=_fix(result),
        tags=tuple(tag.lower() for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        score=_number(properties.get("security-severity")),
    )


def _lines(region: Node) -> tuple[int | None, int | None]:
    start, end = region.get("startLine"), region.get("endLine")
    if not isinstance(start, int) or start < 1:
        return None, None
    if not isinstance(end, int) or end < start:
        return start, start
    # The end column is exclusive: a region that ends in column 1 ends with the line before.
    return start, end - 1 if end > start and region.get("endColumn") == 1 else end


def _message(message: Node, rule: Node) -> str:
    text = _text(message)
    if not text and isinstance(name := message.get("id"), str):
        text = _text(_at(rule.get("messageStrings")).get(name))
    arguments = message.get("arguments")
    if isinstance(arguments, list):
        text = re.sub(r"\{(\d+)\}", lambda m: _argument(arguments, int(m[1]), m[0]), text)
    return text or _text(rule.get("shortDescription")) or "no message"


def _argument(arguments: list[Any], index: int, placeholder: str) -> str:
    return str(arguments[index]) if index < len(arguments) else placeholder


def _why(rule: Node) -> str:
    """Return the paragraph of the rule's description that says why, else its first."""
    text = _text(rule.get("fullDescription")) or _text(rule.get("help")) or _text(rule.get("shortDescription"))
    _, _, after = text.partition("## Why is this bad?")
    paragraphs = [p for p in re.split(r"\n\s*\n", after or text) if p.strip() and not p.lstrip().startswith("#")]
    return " ".join(paragraphs[0].split()) if paragraphs else ""


def _fix(result: Node) -> str:
    descriptions = (_text(f.get("description")) for f in _nodes(result.get("fixes")))
    return next(filter(None, descriptions), "")


def _text(message: object) -> str:
    node = _at(message)
    return str(node.get("text") or node.get("markdown") or "").strip()


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except ValueError:
        return None


def _at(value: object, index: int | None = None) -> Node:
    """Return `value`, or its element `index`, when it is an object; an empty one otherwise."""
    if index is not None:
        value = value[index] if isinstance(value, list) and 0 <= index < len(value) else None
    return value if isinstance(value, dict) else {}


def _nodes(value: object) -> Iterator[Node]:
    return (v for v in value if isinstance(v, dict)) if isinstance(value, list) else iter(())
