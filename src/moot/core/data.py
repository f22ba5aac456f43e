"""Plain data, as JSON knows it. Apart from `codec`, which imports pydantic: what only names the type stays light."""

from __future__ import annotations

from typing import Any

JSON = None | bool | int | float | str | list[Any] | dict[str, Any]
