"""The looks of the settings file, read before the first paint with the standard library alone.

Only what the first frame needs. What is wrong here is passed over: `settings_file` reads the whole file a moment later
and tells it.
"""

from __future__ import annotations

from pathlib import Path

from quarterdeck.domain.looks import SCALE_PERCENT_MAX, SCALE_PERCENT_MIN, SYSTEM_LANGUAGE, Looks, Scheme
from quarterdeck.store.settings_part import settings_part


def glance(path: Path) -> Looks:
    """Scheme, scale, motion and language as the file says; the defaults for each that is missing or wrong."""
    looks = settings_part(path, "looks")
    theme, scale, language = looks.get("theme"), looks.get("scale_percent"), looks.get("language")
    is_scale = type(scale) is int and SCALE_PERCENT_MIN <= scale <= SCALE_PERCENT_MAX
    return Looks(
        scheme=Scheme(theme) if theme in set(Scheme) else Scheme.SYSTEM,
        scale_percent=scale if is_scale and isinstance(scale, int) else SCALE_PERCENT_MIN,
        reduce_motion=looks.get("reduce_motion") is True,
        language=language if isinstance(language, str) and language else SYSTEM_LANGUAGE,
    )
