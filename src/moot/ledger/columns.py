"""Column types that behave alike on SQLite and PostgreSQL."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from typing import TypeVar

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, String, Text, TypeDecorator
from sqlalchemy.types import TypeEngine

from moot.core.data import JSON as Json
from moot.ledger.clipping import clean_json, clip

E = TypeVar("E", bound=StrEnum)

#: A row number the database counts up.
Number = BigInteger().with_variant(Integer(), "sqlite")


class Utc(TypeDecorator[dt.datetime]):
    """An aware time. SQLite keeps it as text in UTC, which sorts and compares as the times do."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("the ledger takes aware times only")
        return value.astimezone(dt.UTC)

    def process_result_value(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


class Prose(TypeDecorator[str]):
    """Text that somebody else wrote, cut to `limit` characters wherever it is written (`clipping`)."""

    impl = Text
    cache_ok = True

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else clip(value, self.limit)


class Choice(TypeDecorator[E]):
    """A member of one of the vocabulary's enums, stored as its word."""

    impl = String
    cache_ok = True

    def __init__(self, kind: type[E]) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: E | None, dialect: Dialect) -> str | None:
        return None if value is None else self.kind(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> E | None:
        return None if value is None else self.kind(value)


class Data(TypeDecorator[Json]):
    """JSON data, JSONB on PostgreSQL. None is SQL's NULL."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Json]:
        if dialect.name == "postgresql":
            from sqlalchemy.dialects.postgresql import JSONB  # 40 ms, which a ledger on SQLite need not pay

            return JSONB(none_as_null=True)
        return JSON(none_as_null=True)

    def process_bind_param(self, value: Json, dialect: Dialect) -> Json:
        return clean_json(value)


class Document(Data):
    """JSON data that is handed out as text: PostgreSQL's `json` keeps the order of keys, `jsonb` does not."""

    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Json]:
        return JSON(none_as_null=True)
