"""What a value may look like: durations, sizes, names, and words that end up on a command line."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, StringConstraints, WithJsonSchema

from moot.config.units import (
    DURATION_PATTERN,
    SIZE_PATTERN,
    format_duration,
    format_size,
    parse_duration,
    parse_size,
)

Duration = Annotated[
    float,
    BeforeValidator(parse_duration),
    PlainSerializer(format_duration, return_type=str),
    WithJsonSchema({"type": "string", "pattern": f"^{DURATION_PATTERN}$"}),
]
Size = Annotated[
    int,
    BeforeValidator(parse_size),
    PlainSerializer(format_size, return_type=str),
    WithJsonSchema({"type": "string", "pattern": f"^{SIZE_PATTERN}$"}),
]
Count = Annotated[int, Field(strict=True, ge=1)]
Money = Annotated[float, Field(strict=True, gt=0)]
#: A name a person chooses. It becomes part of file names and seat names.
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
# Models and efforts become arguments of the agents' CLIs, so nothing that could be read as another option.
Model = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]{0,127}$")]
Effort = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")]
Words = Annotated[str, StringConstraints(min_length=1)]
