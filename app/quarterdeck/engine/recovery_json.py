"""Values of `engine.recovery` as plain JSON, for `--json`. Pure."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

from quarterdeck.domain.moment import Moment, iso_utc
from quarterdeck.domain.money import usd_text


def plain(value: Any) -> Any:
    """Dataclasses as objects, tuples as lists, amounts as decimal text, moments as ISO text in UTC."""
    match value:
        case Moment():
            return iso_utc(value.wall_ms)
        case Decimal():
            return usd_text(value)
        case Enum():
            return value.value
        case Path():
            return str(value)
        case tuple() | list():
            return [plain(one) for one in value]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        case _:
            return value
