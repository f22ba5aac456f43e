"""The built-in analyzers: for each, how it is found, what it reads, how it is called and how its answer is read."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.agents.analyzers import formats, grades, grading, sarif
from moot.agents.analyzers.diagnostic import Diagnostic, Grade
from moot.agents.analyzers.rule_pack import rule_pack

#: Stands in a tool's arguments where the files go; `{dir}` in an argument stands for the scanned directory.
FILES = "{files}"

#: Lines from which on some analyses take minutes and gigabytes.
LARGE = 1_000

_SETTINGS = Path(__file__).parent / "settings"


@dataclass(frozen=True, slots=True)
class Tool:
    """One static analyser.

    Args:
        name: the seat it holds.
        executable: the program's name on the path.
        arguments: with FILES among them. They switch the repository's own configuration of the tool off.
        parse: output, tree and scanned files to diagnostics; raises ToolFailed.
        grade: given a diagnostic and its source line, the grade; None for what is not to be reported.
        wants: whether a file of that path may be for it.
        accepts: given path and first line, whether the file really is; asked after `wants`.
        batch: how many files one process gets. A tool that reads one at a time may refuse some of them.
        added_only: report on added lines only.
        suppression: what a line looks like that tells this tool to be silent.
        unsuppressed: arguments that make it report what the source suppresses; empty where it cannot.
        gives_up: rules that say it could not read the file.
        for_large: arguments for a batch with a file of more than LARGE lines.
    """

    name: str
    executable: str
    arguments: tuple[str, ...]
    parse: formats.Parse
    grade: Callable[[Diagnostic, str], Grade | None]
    wants: Callable[[str], bool]
    accepts: Callable[[str, str], bool] = lambda path, first_line: True
    batch: int = 200
    added_only: bool = False
    suppression: re.Pattern[str] | None = None
    unsuppressed: tuple[str, ...] = ()
    gives_up: frozenset[str] = frozenset()
    for_large: tuple[str, ...] = ()

    def reads(self, path: str) -> bool:
        """Whether a file of that path may be for it. Fixtures are not: they are wrong on purpose."""
        return self.wants(path) and _FIXTURE.search(path) is None


def present(name: str, environ: Mapping[str, str]) -> str | None:
    """Return the path of the built-in analyzer's program, None when it is not installed.

    Looks beside the running Python first, where the `analyzers` extra puts them, then along `PATH`.

    Raises:
        KeyError: no built-in analyzer is called that.
    """
    executable = TOOLS[name].executable
    beside = shutil.which(executable, path=str(Path(sys.executable).parent))
    return beside or shutil.which(executable, path=environ.get("PATH", os.defpath))


def applies(name: str, paths: Iterable[str]) -> bool:
    """Whether any of the change's head paths may be something the built-in analyzer reads. Starts nothing.

    Raises:
        KeyError: no built-in analyzer is called that.
    """
    return any(map(TOOLS[name].reads, paths))


def _suffix(*suffixes: str) -> Callable[[str], bool]:
    return lambda path: path.endswith(suffixes)


def _shaped(pattern: str) -> Callable[[str], bool]:
    """Match the end of the path, from a separator on."""
    shape = re.compile(f"(?:.*/)?(?:{pattern})")
    return lambda path: shape.fullmatch(path) is not None


_SHELL_SUFFIXES = (".sh", ".bash", ".ksh", ".dash")


def _maybe_shell(path: str) -> bool:
    name = posixpath.basename(path)
    return name.endswith(_SHELL_SUFFIXES) or ("." not in name and name.islower())


def _is_shell(path: str, first_line: str) -> bool:
    if first_line.startswith("#!"):
        return re.search(r"\b(sh|bash|dash|ksh)\b", first_line) is not None
    return path.endswith(_SHELL_SUFFIXES)


_LOCK = (".lock", ".lockb", "-lock.json", "-lock.yaml", ".sum", ".svg", ".min.js", ".min.css", ".map")
_FIXTURE = re.compile(r"(^|/)(fixtures|__fixtures__|testdata)/")
_TRANSLATED = re.compile(r"(^|/)(locales?|i18n|l10n|translations?|langs?)/|\.(po|pot|xlf|ftl)$")
_GENERATED = re.compile(r"(^|/)(node_modules|vendor|third_party|dist|__snapshots__|\.yarn)/")


def _by_hand(path: str) -> bool:
    return not path.endswith(_LOCK) and _GENERATED.search(path) is None


def _in_english(path: str) -> bool:
    return _by_hand(path) and _TRANSLATED.search(path) is None


def _each(option: str, table: str) -> tuple[str, ...]:
    return tuple(part for rule in grades.Grades(table).reported() for part in (option, rule))


def _ruff_codes() -> str:
    return ",".join(code for code in grades.Grades(grades.RUFF).reported() if code != "invalid-syntax")


_PYTHON = _suffix(".py", ".pyi")
_SCRIPT = _suffix(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")


def _arguments(options: str, *more: str) -> tuple[str, ...]:
    """Return `options`, split at spaces, `more` as they are, and the files last."""
    return (*options.split(), *more, FILES)


_ALL = (
    Tool(
        name="ruff",
        executable="ruff",
        arguments=_arguments(
            # The newest grammar, so that no Python version's syntax is a finding.
            "check --isolated --no-cache --quiet --output-format=sarif --target-version=py314",
            *("--select", _ruff_codes(), "--per-file-ignores", "__init__.py:F401"),
        ),
        parse=sarif.parse,
        grade=grading.ruff,
        wants=_PYTHON,
        suppression=re.compile(r"#\s*(noqa|(ruff|flake8):)", re.IGNORECASE),
        unsuppressed=("--ignore-noqa",),
        gives_up=frozenset({"invalid-syntax"}),
    ),
    Tool(
        name="ty",
        executable="ty",
        arguments=_arguments(
            "check --no-progress --output-format=sarif --ignore=all",
            *("--config-file", str(_SETTINGS / "ty.toml"), *_each("--warn", grades.TY)),
        ),
        parse=sarif.parse,
        grade=grading.ty,
        wants=_PYTHON,
        gives_up=frozenset({"invalid-syntax"}),
    ),
    Tool(
        name="oxlint",
        executable="oxlint",
        arguments=_arguments(
            "--format=sarif --disable-nested-config --no-ignore --allow=all",
            *("--config", str(_SETTINGS / "oxlint.json"), *_each("--warn", grades.OXLINT)),
        ),
        parse=sarif.parse,
        grade=grading.oxlint,
        wants=_SCRIPT,
        gives_up=frozenset({"OXL0001"}),
    ),
    Tool(
        name="shellcheck",
        executable="shellcheck",
        arguments=_arguments("--norc --format=json1"),
        parse=formats.shellcheck,
        grade=grading.shellcheck,
        wants=_maybe_shell,
        accepts=_is_shell,
        gives_up=frozenset({"SC1072", "SC1073"}),
        for_large=("--extended-analysis=false",),
    ),
    Tool(
        name="hadolint",
        executable="hadolint",
        arguments=_arguments("--no-color --format=sarif", "--config", str(_SETTINGS / "hadolint.yaml")),
        parse=formats.hadolint,
        grade=grading.hadolint,
        wants=_shaped(
            r"(Dockerfile|Containerfile)(\.(?!dockerignore|md|txt)[^/]*)?|[^/]*\.([Dd]ockerfile|[Cc]ontainerfile)"
        ),
        suppression=re.compile(r"#\s*hadolint\s+(global\s+)?ignore"),
        unsuppressed=("--disable-ignore-pragma",),
        gives_up=frozenset({"DL1000"}),
    ),
    Tool(
        name="zizmor",
        executable="zizmor",
        arguments=_arguments("--offline --no-config --no-progress --quiet --format=sarif"),
        parse=sarif.parse,
        grade=grading.zizmor,
        wants=_shaped(r"\.github/workflows/[^/]+\.ya?ml|action\.ya?ml|\.github/dependabot\.ya?ml"),
        batch=1,
        suppression=re.compile(r"#\s*zizmor:\s*ignore"),
        unsuppressed=("--no-ignores",),
    ),
    Tool(
        name="workflow-schema",
        executable="check-jsonschema",
        arguments=_arguments("--builtin-schema=vendor.github-workflows --output-format=json"),
        parse=formats.check_jsonschema,
        grade=grading.workflow_schema,
        wants=_shaped(r"\.github/workflows/[^/]+\.ya?ml"),
        gives_up=frozenset({"parse"}),
    ),
    Tool(
        name="detect-secrets",
        executable="detect-secrets",
        arguments=_arguments("scan --no-verify --all-files --disable-plugin HexHighEntropyString"),
        parse=formats.detect_secrets,
        grade=grading.detect_secrets,
        wants=_by_hand,
        suppression=re.compile(r"pragma:\s*allowlist"),
        unsuppressed=("--disable-filter", "detect_secrets.filters.allowlist.is_line_allowlisted"),
    ),
    Tool(
        name="typos",
        executable="typos",
        arguments=_arguments(
            "--isolated --format=sarif --no-check-filenames", "--config", str(_SETTINGS / "typos.toml")
        ),
        parse=sarif.parse,
        grade=grading.typos,
        wants=_in_english,
        added_only=True,
    ),
    Tool(
        name="ast-grep",
        executable="ast-grep",
        arguments=_arguments(
            "scan --json=compact --include-metadata",
            *("--config", str(_SETTINGS / "ast-grep.yml"), "--inline-rules", rule_pack()),
        ),
        parse=formats.ast_grep,
        grade=grading.ast_grep,
        wants=lambda path: _PYTHON(path) or _SCRIPT(path),
    ),
)

#: The built-in analyzers by seat name, in the order they are shown.
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}


def configured(seat: str, command: Sequence[str]) -> Tool:
    """Return the tool that a configured `command` is: any program that prints SARIF."""
    return Tool(
        name=seat,
        executable=command[0],
        arguments=tuple(command[1:]),
        parse=sarif.parse,
        grade=grading.stranger,
        wants=lambda path: True,
        batch=200 if FILES in command else sys.maxsize,
    )
