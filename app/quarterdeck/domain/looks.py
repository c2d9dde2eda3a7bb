"""How the window looks, as far as its first frame needs it. A part of the `Preferences`, in a module that loads at once."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

SCALE_PERCENT_MIN, SCALE_PERCENT_MAX = 100, 300
SYSTEM_LANGUAGE = "system"


class Scheme(StrEnum):
    """The colours of the window."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "high-contrast"


class Looks(NamedTuple):
    """What `[looks]` of the settings says; fields and defaults are those of `Preferences`."""

    scheme: Scheme = Scheme.SYSTEM
    scale_percent: int = SCALE_PERCENT_MIN
    reduce_motion: bool = False
    language: str = SYSTEM_LANGUAGE
