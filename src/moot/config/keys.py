"""Which keys exist and what they hold, read from the model."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from moot.config.model import Config, PromptFile

#: Stands in a path for a name that a person chooses (`agents.*.model`).
ANY = "*"
#: What a key holds: `text`, `list`, `table`, or `other` (a number, true or false).
Shape = Literal["text", "list", "table", "other"]


@dataclass(frozen=True, slots=True)
class Key:
    """A key that holds a value, not a table. `path` has `*` where a person chooses the name."""

    path: tuple[str, ...]
    field: FieldInfo


def all_keys() -> Iterator[Key]:
    """Yield every key that holds a value or a table of free names and values (`vars`, `agents.*.env`)."""
    yield from _keys(Config, ())


def _keys(table: type[BaseModel], path: tuple[str, ...]) -> Iterator[Key]:
    for name, field in table.model_fields.items():
        kind = _plain(field.annotation)
        named = _table_named(kind)
        if named is not None:
            yield from _keys(named, (*path, name, ANY))
        elif _is_table(kind):
            yield from _keys(kind, (*path, name))
        else:
            yield Key((*path, name), field)


def below(path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the keys the table at `path` may hold; None where names are free or nothing is below."""
    kind = _kind_at(path)
    return tuple(kind.model_fields) if _is_table(kind) else None


def shape(path: tuple[str, ...]) -> Shape | None:
    """Return what the key at `path` holds, None when there is no such key."""
    kind = _kind_at(path)
    if kind is None:
        return None
    if _is_table(kind) or typing.get_origin(kind) is dict:
        return "table"
    if typing.get_origin(kind) is tuple:
        return "list"
    if kind is str or kind is PromptFile or typing.get_origin(kind) is Literal:
        return "text"
    return "text" if isinstance(kind, type) and issubclass(kind, Enum) else "other"


def names_are_free(path: tuple[str, ...]) -> bool:
    """Whether a person chooses the names in the table at `path` (`agents`, `vars`)."""
    return typing.get_origin(_kind_at(path)) is dict


def _kind_at(path: tuple[str, ...]) -> Any:
    kind: Any = Config
    for part in path:
        if _is_table(kind) and part in kind.model_fields:
            kind = _plain(kind.model_fields[part].annotation)
        elif typing.get_origin(kind) is dict:
            kind = _plain(typing.get_args(kind)[1])
        else:
            return None
    return kind


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel) and kind is not PromptFile


def _table_named(kind: Any) -> type[BaseModel] | None:
    if typing.get_origin(kind) is not dict:
        return None
    value = _plain(typing.get_args(kind)[1])
    return value if _is_table(value) else None


def _plain(annotation: Any) -> Any:
    """Strip `Annotated` and `| None` (or `| Literal[""]`): what is left says the shape."""
    while True:
        origin = typing.get_origin(annotation)
        if origin in (typing.Annotated, typing.Union, types.UnionType):
            annotation = typing.get_args(annotation)[0]
        else:
            return annotation
