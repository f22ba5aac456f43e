"""From a neutral tool use to the tool and the arguments that the driven CLI declared."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from .conversation import Tool
from .script import JSON, Use

_NAMES = {
    "read": ("Read", "read_file", "read", "view"),
    "write": ("Write", "apply_patch", "write_file", "write", "create"),
    "edit": ("Edit", "apply_patch", "replace", "edit"),
    "shell": ("Bash", "exec_command", "shell_command", "shell", "bash", "run_shell_command"),
}
_KEYS = {
    "path": ("file_path", "path", "filePath", "absolute_path"),
    "content": ("content", "new_string", "file_text", "contents"),
    "old": ("old_string", "old_text"),
    "command": ("command", "cmd"),
}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: JSON arguments, or the text of a free tool."""

    name: str
    arguments: Mapping[str, JSON]
    text: str | None = None


def call(use: Use, tools: Mapping[str, Tool]) -> Call:
    """Return the call that carries out `use` with what the CLI offers.

    A model may also name a tool that was not offered; where nothing fits, the usual name is called all the same,
    which is what a hostile or confused model would do.
    """
    if use.do == "call":
        return Call(use.name, use.arguments)
    name = next((n for n in _NAMES[use.do] if n in tools), None)
    if name is None:
        shell = next((n for n in _NAMES["shell"] if n in tools), None)
        name = shell if shell is not None and use.do != "shell" else _NAMES[use.do][0]
        if name == shell:
            return call(Use("shell", command=_as_shell(use)), tools)
    if name == "apply_patch":
        patch = _patch(use)
        return Call(name, {"input": patch}, patch if tools[name].free else None)
    return Call(name, _arguments(use, tools.get(name)))


def _arguments(use: Use, tool: Tool | None) -> dict[str, JSON]:
    schema = tool.schema if tool else {}
    known = schema.get("properties", {})
    arguments: dict[str, JSON] = {}
    for what, keys in _KEYS.items():
        value = getattr(use, what)
        if value:
            key = next((k for k in keys if k in known), keys[0])
            arguments[key] = ["sh", "-c", value] if known.get(key, {}).get("type") == "array" else value
    for key in schema.get("required", ()):
        arguments.setdefault(key, _filler(known.get(key, {})))
    return arguments


def _filler(schema: Mapping[str, JSON]) -> JSON:
    if "enum" in schema:
        return schema["enum"][0]
    return {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}.get(
        schema.get("type", ""), "scripted"
    )


def _as_shell(use: Use) -> str:
    path = shlex.quote(use.path)
    return f"cat {path}" if use.do == "read" else f"printf %s {shlex.quote(use.content)} > {path}"


def _patch(use: Use) -> str:
    if use.do == "edit":
        return f"*** Begin Patch\n*** Update File: {use.path}\n@@\n-{use.old}\n+{use.content}\n*** End Patch\n"
    lines = "".join(f"+{line}\n" for line in use.content.splitlines())
    return f"*** Begin Patch\n*** Add File: {use.path}\n{lines}*** End Patch\n"
