"""Values of the vocabulary to JSON and back: what a step stores must come back as it went in."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from moot.core.data import JSON

T = TypeVar("T")


@lru_cache(maxsize=256)
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("Any", kind))


def dump(kind: Any, value: Any) -> JSON:
    """Return `value`, an instance of the annotation `kind`, as plain JSON data.

    Raises:
        pydantic_core.PydanticSerializationError: the value holds something JSON cannot.
    """
    data: JSON = _adapter(kind).dump_python(value, mode="json", warnings="error")
    return data


def load(kind: type[T] | Any, data: JSON) -> T:
    """Return the instance of `kind` that `dump` made `data` of.

    Raises:
        pydantic.ValidationError: `data` is not of that shape.
    """
    value: T = _adapter(cast("Hashable", kind)).validate_python(data)
    return value
