"""Write the parts of README.md and docs/ that come from the program itself, so that they cannot drift from it.

A generated part stands between `<!-- NAME: ARGUMENT -->` and `<!-- end -->`; SOURCES says which names there are.
`docs/verdict.md` is generated whole. `make docs` writes all of it; `tests/docs` fails where something is out of date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from moot.agents.registry import KINDS, adapter, control_paths
from moot.cli.main import cli
from moot.core.findings import DropReason
from moot.core.turns import Failure, FailureKind
from moot.findings import verdict_table
from moot.process.environment import ALLOWED, ALLOWED_PREFIXES, FORGE_ACCESS
from moot.reports.turnout import FAILED
from moot.reports.wording import DROPPED
from moot.seats import reactions

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 80
PART = re.compile(r"(<!-- (?P<name>[a-z ]+?)(?:: (?P<argument>[^>]+?))? -->\n).*?(<!-- end -->)", re.DOTALL)
LANGUAGES = {".py": "python", ".sh": "sh", ".toml": "toml", ".json": "json"}


def help_text(words: str) -> str:
    """Return what `moot … --help` prints, 80 columns wide, for a command line such as `moot runs list`."""
    program, *names = words.split()
    context = click.Context(cli, info_name=program, terminal_width=WIDTH, **cli.context_settings)
    found: click.Command = cli
    for name in names:
        assert isinstance(found, click.Group), words
        below = found.get_command(context, name)
        assert below is not None, f"there is no command called {words!r}"
        found, context = below, click.Context(below, info_name=name, parent=context, terminal_width=WIDTH)
    return f"```text\n{found.get_help(context)}\n```\n"


def file_text(name: str) -> str:
    """Return a file of this repository as a code block."""
    path = ROOT / name
    return f"```{LANGUAGES[path.suffix]}\n{path.read_text(encoding='utf-8').rstrip()}\n```\n"


def kinds(_: str) -> str:
    """Return the table of agent kinds: what they drive, whether they stream, what they see of the environment."""
    rows = []
    for kind in KINDS:
        drives = adapter(kind)
        told = (sys.modules[type(drives).__module__].__doc__ or "").splitlines()[0]
        what = told.partition(": ")[2].rstrip(".")
        rows.append((f"`{kind}`", what, "yes" if drives.streams else "no", _code(drives.environment) or "nothing more"))
    return _table(("kind", "what it drives", "tells what it does while it works", "sees besides the allow-list"), rows)


def allowed_environment(_: str) -> str:
    """Return the variables of a person's environment that every agent sees."""
    names = sorted(ALLOWED, key=lambda name: (name.upper(), name))
    return f"{_code((*names, *(f'{prefix}*' for prefix in ALLOWED_PREFIXES)))}\n"


def forge_access(_: str) -> str:
    """Return the variables that no agent ever sees."""
    return f"{_code(sorted(FORGE_ACCESS))}\n"


def hidden_files(_: str) -> str:
    """Return the paths that are never checked out where a reading seat sits."""
    return f"{_code(control_paths())}\n"


def drop_reasons(_: str) -> str:
    """Return the table of reasons for which a claim or finding is dropped."""
    return _table(("reason", "in the report"), [(f"`{reason}`", DROPPED[reason]) for reason in DropReason])


def failures(_: str) -> str:
    """Return the table of everything that can be wrong with a turn, and what is done about it, step by step."""
    rows = [(f"`{kind}`", FAILED[kind], "; ".join(_reactions(kind))) for kind in FailureKind]
    return _table(("failure", "the seat …", "what is done, as long as it fails"), rows)


def _reactions(kind: FailureKind) -> Iterator[str]:
    """What is done about a turn that fails with `kind`, and fails again, where every way out is open."""
    failure, before = Failure(kind, ""), list[Failure]()
    standing = reactions.Standing(models=("a",), agents=("b",), alive=True, resumed=True)
    while True:
        reaction = reactions.react(failure, before, standing, datetime(2026, 1, 1, tzinfo=UTC))
        before.append(failure)
        match reaction:
            case reactions.Nudge():
                yield "told what is wrong with its reply"
            case reactions.Again(after_s=after_s, fresh=fresh):
                wait = f" after {after_s:.0f} s" if after_s else ""
                yield f"asked again{' from the beginning' if fresh else ''}{wait}"
            case reactions.NextModel():
                yield "the next model of `fallback`"
                standing = replace(standing, models=())
            case reactions.NextAgent():
                yield "the next of `substitutes`"
                standing = replace(standing, agents=())
            case reactions.GiveUp():
                return


SOURCES: dict[str, Callable[[str], str]] = {
    "help": help_text,
    "file": file_text,
    "kinds": kinds,
    "allowed environment": allowed_environment,
    "forge access": forge_access,
    "hidden files": hidden_files,
    "drop reasons": drop_reasons,
    "failures": failures,
}


def pages() -> Iterator[Path]:
    """Yield the pages of the documentation."""
    yield ROOT / "README.md"
    yield ROOT / "CHANGELOG.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def renewed(text: str) -> str:
    """Return a page with its generated parts as they are to be."""

    def part(found: re.Match[str]) -> str:
        name, argument = found["name"], found["argument"] or ""
        if name not in SOURCES:
            raise ValueError(f"no generated part is called {name!r} (there are: {', '.join(SOURCES)})")
        return f"{found[1]}{SOURCES[name](argument)}{found[4]}"

    return PART.sub(part, text)


def wanted() -> dict[Path, str]:
    """Return every page that has something generated in it, as it is to be."""
    found = {page: renewed(page.read_text(encoding="utf-8")) for page in pages()}
    return {**found, ROOT / "docs" / "verdict.md": verdict_table.render()}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def main() -> None:
    """Rewrite what is out of date."""
    for page, text in wanted().items():
        if page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
            click.echo(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
