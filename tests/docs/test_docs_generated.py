"""The documentation says what the program does: generated parts, links, commands, settings and examples hold."""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from moot.cli.main import cli
from moot.config.attach import attach
from moot.config.layers import Layer, Trust
from moot.config.model import Config
from moot.config.names import ANALYZERS
from moot.config.shelves import Disk

ROOT = Path(__file__).parents[2]
SHELL = ("sh", "console")


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_script", ROOT / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = load_script()
PAGES = [page.relative_to(ROOT) for page in SCRIPT.pages()]
by_page = pytest.mark.parametrize("page", PAGES, ids=str)


def tokens(page: Path) -> Iterator[Token]:
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse((ROOT / page).read_text(encoding="utf-8")):
        yield token
        yield from token.children or ()


def test_no_generated_part_is_out_of_date() -> None:
    stale = [str(p.relative_to(ROOT)) for p, text in SCRIPT.wanted().items() if p.read_text(encoding="utf-8") != text]
    assert not stale, f"make docs, then look at {', '.join(stale)}"


@by_page
def test_every_marker_of_a_generated_part_is_whole(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    begun = [m for m in re.findall(r"^<!-- ([a-z ]+).*-->$", text, re.MULTILINE) if m.strip() != "end"]
    assert len(begun) == len(SCRIPT.PART.findall(text)) == text.count("<!-- end -->")


def slug(heading: str) -> str:
    """The anchor GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    found = list(tokens(page))
    return {slug(b.content.replace("`", "")) for a, b in itertools.pairwise(found) if a.type == "heading_open"}


@by_page
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for token in tokens(page):
        target = str(token.attrGet("href") or token.attrGet("src") or "")
        if not target or "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / page.parent / path).resolve() if path else ROOT / page
        assert found.exists(), f"{page}: {target}"
        assert not anchor or anchor in anchors(found), f"{page}: {target}"


def commands(page: Path) -> Iterator[str]:
    """Every `moot …` command line a page shows, in a shell block or in the middle of a sentence."""
    for token in tokens(page):
        if token.type == "fence" and token.info in SHELL:
            for line in token.content.replace("\\\n", " ").splitlines():
                if token.info == "console" and not line.startswith("$ "):
                    continue
                yield from re.findall(r"(?:^|[|;&(] ?|[A-Z_]+=\S* )(moot(?: [^|;&<>()]+)?)", line.removeprefix("$ "))
        elif token.type == "code_inline" and re.match(r"moot [a-z-]", token.content):
            yield token.content.split(" …")[0]


def refuse_wrong(line: str) -> None:
    """Raise what click says of a command line that could not be run, without running it."""
    _, *words = shlex.split(line, comments=True)
    found: click.Command = cli
    context = click.Context(cli, info_name="moot")
    while isinstance(found, click.Group) and words and not words[0].startswith("-"):
        below = found.get_command(context, words[0])
        if below is None:
            raise click.UsageError(f"no such command: {words[0]}")
        found, words = below, words[1:]
    context = click.Context(found, parent=context)
    given, left, _ = found.make_parser(context).parse_args(list(words))
    if left:
        raise click.UsageError(f"too many words: {left}")
    for parameter in found.get_params(context):
        value = given.get(parameter.name or "")
        if isinstance(parameter.type, click.Choice | click.IntRange) and isinstance(value, str):
            parameter.type.convert(value, parameter, context)


@by_page
def test_every_command_shown_could_be_run(page: Path) -> None:
    for line in commands(page):
        try:
            refuse_wrong(line)
        except click.UsageError as error:
            pytest.fail(f"{page}: {line}: {error.format_message()}")


def test_a_command_that_does_not_exist_is_noticed() -> None:
    for line in (
        "moot revue",
        "moot review --nope",
        "moot review --format pdf",
        "moot runs list here",
        "moot runs sho",
    ):
        with pytest.raises(click.UsageError):
            refuse_wrong(line)


@by_page
def test_every_configuration_shown_is_valid(page: Path, tmp_path: Path) -> None:
    for token in tokens(page):
        if token.type != "fence" or token.info != "toml":
            continue
        tables = tomllib.loads(token.content)
        for role in tables.get("roles", {}).values():
            for key in ("prompt", "rereview"):
                if key in role:
                    (tmp_path / role[key]).write_text("…", encoding="utf-8")
        layer, problems = attach(Layer(str(tmp_path / "moot.toml"), Trust.PERSON, tables), Disk(tmp_path))
        assert not problems
        Config.model_validate(layer.tables)


def test_the_readme_opens_with_the_two_commands() -> None:
    first = next(t for t in tokens(Path("README.md")) if t.type == "fence")
    assert [line.split("#")[0].strip() for line in first.content.splitlines()] == ["make demo", "make test"]


def test_every_page_of_the_documentation_can_be_reached_from_the_readme() -> None:
    seen, waiting = set[Path](), [Path("README.md")]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        for token in tokens(page):
            path = str(token.attrGet("href") or "").partition("#")[0]
            if path.endswith(".md") and "://" not in path:
                waiting.append(Path(os.path.normpath(page.parent / path)))
    assert set(PAGES) <= seen


def test_every_analyzer_and_setting_is_named_in_the_guide() -> None:
    review = (ROOT / "docs/guide/review.md").read_text(encoding="utf-8")
    assert [name for name in ANALYZERS if f"`{name}`" not in review] == []
