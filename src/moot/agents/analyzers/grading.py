"""From a diagnostic to its grade, tool by tool: the table, and the few cases a rule's name does not decide."""

from __future__ import annotations

import re
from dataclasses import replace

from moot.agents.analyzers.diagnostic import Diagnostic, Grade
from moot.agents.analyzers.grades import HADOLINT, OXLINT, RUFF, SHELLCHECK, TY, ZIZMOR, Grades
from moot.core.findings import Category, Severity

_RUFF, _TY, _OXLINT, _SHELLCHECK = Grades(RUFF), Grades(TY), Grades(OXLINT), Grades(SHELLCHECK)
_HADOLINT, _ZIZMOR = Grades(HADOLINT), Grades(ZIZMOR)

#: Where code does wrong things on purpose or with made-up data.
_TEST = re.compile(
    r"(^|/)(tests?|testing|__tests__|spec|fixtures|examples?|docs?|documentation)/"
    r"|(^|/)(test_[^/]*|conftest)\.py$|[._-](test|spec)\.[cm]?[jt]sx?$|_test\.(py|sh)$|\.(md|rst|adoc)$"
)

#: What matters in a program that runs for long or for strangers, and not in a test.
_RISKS = {Category.SECURITY, Category.RESOURCE_LEAK, Category.ERROR_HANDLING}


def ruff(found: Diagnostic, line: str) -> Grade | None:
    """Leave out what ruff itself calls safe, imported debuggers (it is the call that hurts), and risks in tests."""
    if "seems safe" in found.message or (found.rule == "T100" and found.message.startswith("Import")):
        return None
    grade = _RUFF.of(found.rule)
    if grade is not None and _TEST.search(found.path) and (grade.category in _RISKS or found.rule == "B018"):
        return None
    return grade


def ty(found: Diagnostic, line: str) -> Grade | None:
    """Honour every type checker's comment, and leave out tests, which call things wrongly on purpose."""
    if re.search(r"#\s*(type|ty|pyright|mypy):\s*ignore", line):
        return None
    if _TEST.search(found.path) and found.rule != "unused-awaitable":
        return None
    return _TY.of(found.rule)


def oxlint(found: Diagnostic, line: str) -> Grade | None:
    """`eslint(use-isnan)` is our `use-isnan`. Hooks are React's only where there is JSX."""
    _, _, name = found.rule.partition("(")
    if name == "rules-of-hooks)" and not found.path.endswith("x"):
        return None
    return _OXLINT.of(name.rstrip(")") or found.rule)


#: Commands that destroy or expose something when an argument falls apart.
_DESTRUCTIVE = re.compile(r"\b(rm|mv|cp|dd|chmod|chown|ln|rsync|tar|mkfs|kill)\b")


def shellcheck(found: Diagnostic, line: str) -> Grade | None:
    """An unquoted expansion is often meant to split; before `rm` it hardly ever is."""
    grade = _SHELLCHECK.of(found.rule)
    if grade is not None and found.rule in ("SC2086", "SC2046") and _DESTRUCTIVE.search(line):
        return replace(grade, severity=Severity.MEDIUM)
    return grade


def hadolint(found: Diagnostic, line: str) -> Grade | None:
    """Its shell findings are shellcheck's, always placed on the first line of the instruction."""
    return shellcheck(found, line) if found.rule.startswith("SC") else _HADOLINT.of(found.rule)


def zizmor(found: Diagnostic, line: str) -> Grade | None:
    """Tell apart what an outsider controls, what everybody does, and the rest."""
    name = found.rule.removeprefix("zizmor/")
    grade = _ZIZMOR.of(name)
    if grade is None:
        return None
    if name == "template-injection" and found.level != "error":
        return replace(grade, severity=Severity.LOW)
    if name == "excessive-permissions" and "default permissions" in found.message:
        return replace(grade, severity=Severity.LOW)
    if name == "unpinned-uses" and re.search(r"uses:\s*[\"']?(actions|github)/", line):
        return replace(grade, severity=Severity.NIT)
    return grade


def workflow_schema(found: Diagnostic, line: str) -> Grade | None:
    """`run: true` is a string to GitHub, whatever the schema says."""
    if re.search(r", (True|False|-?[\d.]+) is not of type 'string'$", found.message):
        return None
    return Grade(Severity.HIGH, Category.BUILD)


#: Secrets whose form alone proves nothing; the others have a form of their own.
_WEAK = {"Secret Keyword", "Basic Auth Credentials", "Base64 High Entropy String", "JSON Web Token"}
_NOWHERE = re.compile(r"@(localhost|127\.|\[::1\]|0\.0\.0\.0|host\b|[\w.-]*example\.)|\{|\$|<")
_VALUE = re.compile(r"""["'`]([^"'`]*)["'`]\s*[,;)\]}]*\s*(?:#.*|//.*)?$|[:=]\s*([^\s"'`]+)\s*$""")


def detect_secrets(found: Diagnostic, line: str) -> Grade | None:
    """Leave out examples: weak evidence in tests and documentation, local hosts, values nobody would generate."""
    if found.rule in _WEAK and _TEST.search(found.path):
        return None
    if found.rule == "Basic Auth Credentials" and _NOWHERE.search(line):
        return None
    if found.rule == "Secret Keyword":
        value = next(filter(None, match.groups()), "") if (match := _VALUE.search(line.strip())) else ""
        if len(value) < 8 or not (re.search(r"\d", value) and re.search(r"[A-Za-z]", value)):
            return None
    return Grade(Severity.HIGH, Category.SECURITY)


def typos(found: Diagnostic, line: str) -> Grade | None:
    """A misspelt word is a misspelt word."""
    return Grade(Severity.NIT, Category.DOCUMENTATION)


def ast_grep(found: Diagnostic, line: str) -> Grade | None:
    """Our own rules say it themselves; of tests, only what makes a test wrong counts."""
    if found.grade is not None and found.grade.category in _RISKS and _TEST.search(found.path):
        return None
    return found.grade


#: SARIF's levels, for tools we have no table of.
_LEVELS = {"error": Severity.HIGH, "warning": Severity.MEDIUM, "note": Severity.LOW, "none": Severity.NIT}
#: Lower bounds of the `security-severity` that SARIF producers give, as GitHub reads them.
_SCORES = ((9.0, Severity.CRITICAL), (7.0, Severity.HIGH), (4.0, Severity.MEDIUM), (0.1, Severity.LOW))


def stranger(found: Diagnostic, line: str) -> Grade | None:
    """Grade what a configured tool says, of which nothing is known but its own level, score and tags."""
    severity = _LEVELS.get(found.level, Severity.MEDIUM)
    if found.score is not None:
        severity = next((s for bound, s in _SCORES if found.score >= bound), Severity.NIT)
    named = {*Category} & set(found.tags)
    if named:
        return Grade(severity, Category(min(named)))
    return Grade(severity, Category.CORRECTNESS if found.score is None else Category.SECURITY)
