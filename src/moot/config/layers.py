"""Layers: the files, variables and flags a configuration is made of, each with its own say and its places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from moot.config import positions
from moot.config.problems import Problem
from moot.config.tables import KeyPath, Tables, dotted, leaves, merge_into


class Trust(StrEnum):
    """Who speaks: the person who runs moot, or a repository they work in."""

    PERSON = "person"
    REPOSITORY = "repository"


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of settings.

    Args:
        name: of the file as a person knows it, or what stands before its problems otherwise.
        trust: who speaks.
        tables: its settings.
        text: the file's text, for line numbers; None for variables and flags.
        labels: for variables and flags, what set a key, by dotted key.
    """

    name: str
    trust: Trust
    tables: Tables
    text: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def where(self, path: KeyPath) -> str:
        """Say where `path`, or the nearest table above it, is set: `file:line`, `$VARIABLE` or the layer's name."""
        if self.text is None:
            key = f"{dotted(path)}."
            return next((label for known, label in self.labels.items() if key.startswith(f"{known}.")), self.name)
        line = positions.line_of(self.text, path)
        return f"{self.name}:{line}" if line else self.name


def merge(layers: Iterable[Layer]) -> Tables:
    """Merge tables key by key, later layers over earlier ones. The layers stay as they are."""
    merged: Tables = {}
    for layer in layers:
        merge_into(merged, layer.tables)
    return merged


def clashes(layers: Iterable[Layer]) -> Iterator[Problem]:
    """Yield a problem for each list that two files set: neither replaces the other, nor do they add up."""
    first: dict[tuple[str, ...], str] = {}
    for layer in layers:
        for path, value in leaves(layer.tables):
            if layer.text is None or path == ("include",) or not isinstance(value, list) or not value:
                continue
            place = layer.where(path)
            if path in first:
                yield Problem(place, f'"{dotted(path)}" is also set in {first[path]}', "keep the list in one file")
            first.setdefault(path, place)
