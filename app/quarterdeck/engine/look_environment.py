"""The environment of programs that are only looked at (`--version`, the login shell): what every terminal has, and no secret. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.agents.environment import PASSED

PASSED_PREFIXES = ("LC_",)
FOLDERS = (
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "LOGNAME",
)
"""Where start files lie, beside what an agent has."""


def look_environment(host: Mapping[str, str], **more: str) -> dict[str, str]:
    """What is let through from the host, and `more`, which wins: no key that an agent could be given by `env:` is there."""
    names = PASSED | set(FOLDERS)
    kept = {name: value for name, value in host.items() if name in names or name.startswith(PASSED_PREFIXES)}
    return {**kept, **more}
