"""The parts `[keeping]`, `[power]`, `[programs]` and `[budgets]` of the settings, read with the standard library alone: processes that run agents need them.

What is wrong there is passed over: `settings_file` reads the whole file and tells it; the defaults hold meanwhile. Budgets
are the exception: a limit that is silently none is worse than a run that is not begun, so what is wrong there is raised.
"""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.keeping import MB, Limits
from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.shared_limits import NIGHT_FROM, SharedLimits, minute_of_day
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular
from quarterdeck.store.settings_part import settings_part

_BUDGETS = ("night_usd", "night_from", "workflows")


def read_limits(path: Path) -> Limits:
    """The caps as `settings.toml` says; the default for each that is missing or wrong."""
    found, default = settings_part(path, "keeping"), Limits()
    return Limits(
        runs=_number(found, "runs", 1, default.runs),
        size_bytes=_number(found, "size_mb", MB, default.size_bytes),
        record_bytes=_number(found, "record_mb", MB, default.record_bytes),
        transcripts_bytes=_number(found, "transcripts_mb", MB, default.transcripts_bytes),
    )


def keeps_awake(path: Path) -> bool:
    """Whether the person wants the computer kept awake while agents are at work."""
    return settings_part(path, "power").get("keep_awake") is True


def program_folders(path: Path) -> tuple[str, ...]:
    """Folders in which programs are looked for before those of PATH; what is no absolute path is passed over."""
    found = settings_part(path, "programs").get("folders")
    named = found if isinstance(found, list) else []
    return tuple(
        one for one in named if isinstance(one, str) and one.startswith("/") and os.pathsep not in one
    )


def telemetry_allowed(path: Path) -> frozenset[str]:
    """Kinds of agents whose programs may send telemetry and update themselves; none where nothing is said."""
    found = settings_part(path, "programs").get("telemetry")
    return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list) else frozenset()


class BudgetsUnreadable(ValueError):
    """The part `[budgets]` cannot be read, or holds what is no limit; says why in words."""


def read_shared_limits(path: Path) -> SharedLimits:
    """What all runs of a workflow, and all runs of a night, may spend; none where nothing is said. Raises BudgetsUnreadable."""
    import tomllib

    try:
        whole = tomllib.loads(read_regular(path, follow_links=True).decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return SharedLimits()
    except (OSError, ValueError, StoreDamaged) as error:
        raise BudgetsUnreadable(f"{path} cannot be read: {error}") from error
    try:
        no_limit_by_mistake(whole)
        return shared_limits_of(whole.get("budgets", {}))
    except (ValueError, AttributeError) as error:
        raise BudgetsUnreadable(f"{path}: {error}") from error


def shared_limits_of(found: Any) -> SharedLimits:
    """The limits that a table says. Raises ValueError or AttributeError on what is no amount, no time of day, or not known."""
    if unknown := sorted(name for name in found if name not in _BUDGETS):
        raise ValueError(f"budgets.{unknown[0]} is not known; what is, is {', '.join(_BUDGETS)}.")
    night, began = found.get("night_usd"), found.get("night_from", NIGHT_FROM)
    if not isinstance(began, str) or minute_of_day(began) is None:
        raise ValueError(f"budgets.night_from: {began!r} is no time of day such as 18:00.")
    workflows = {
        WorkflowId(str(name)): _limit(f"budgets.workflows.{name}", value)
        for name, value in found.get("workflows", {}).items()
    }
    return SharedLimits(None if night is None else _limit("budgets.night_usd", night), began, workflows)


def no_limit_by_mistake(whole: dict[str, Any]) -> None:
    """Raises ValueError on a table whose name is nearly that of the budgets: what it says would be no limit."""
    for name in whole:
        if name != "budgets" and name.casefold().rstrip("s") == "budget":
            raise ValueError(f"[{name}] is not known; limits stand in [budgets].")


def _limit(name: str, value: object) -> Decimal:
    amount = parse_usd(value)
    if amount is None:
        raise ValueError(f"{name}: {value!r} is no amount in US dollars such as 20.00.")
    return amount


def _number(found: dict[str, Any], name: str, unit: int, default: int) -> int:
    value = found.get(name)
    return value * unit if type(value) is int and value > 0 else default
