"""`settings.toml` in the config folder: read with tomllib, checked with pydantic, replaced whole.

What we do not know is kept as it was; comments are not, which the file's first line says. A file that cannot be read or
is wrong is told and never written over.
"""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from quarterdeck.domain.keeping import MB, Limits
from quarterdeck.domain.looks import SCALE_PERCENT_MAX, SCALE_PERCENT_MIN, SYSTEM_LANGUAGE, Scheme
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.preferences import QUIT_MINUTES_MAX, Preferences, PreferencesRead
from quarterdeck.domain.shared_limits import NIGHT_FROM, SharedLimits
from quarterdeck.store.durable_io import FOLDER_MODE, DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged, StoreError
from quarterdeck.store.limits_file import no_limit_by_mistake, shared_limits_of
from quarterdeck.store.regular import read_regular
from quarterdeck.store.settings_part import FILE_NAME, config_folder

__all__ = ["SettingsNotKept", "config_folder", "read_preferences", "write_budgets", "write_preferences"]

HEAD = "# Quarterdeck's settings. The settings page writes this file anew: values stay, comments do not.\n"


class SettingsNotKept(StoreError):
    """The settings file could not be written, or is wrong and was therefore left alone. Says why in words."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


class _Looks(_Part):
    theme: str = Field(default="system", pattern="^(system|light|dark|high-contrast)$")
    scale_percent: int = Field(default=SCALE_PERCENT_MIN, ge=SCALE_PERCENT_MIN, le=SCALE_PERCENT_MAX)
    reduce_motion: bool = False
    language: str = Field(default=SYSTEM_LANGUAGE, pattern="^(system|[a-z]{2,3}(_[A-Za-z]{2,4})?)$")


class _Notices(_Part):
    enabled: bool = True
    command: list[str] = []


class _Quitting(_Part):
    finish_minutes: int = Field(default=10, ge=1, le=QUIT_MINUTES_MAX)


class _Editor(_Part):
    command: list[str] = []


class _Keeping(_Part):
    """Read by `limits_file` where it is needed; here it is checked, and kept."""

    runs: int = Field(default=Limits().runs, ge=1)
    size_mb: int = Field(default=Limits().size_bytes // MB, ge=1)
    record_mb: int = Field(default=Limits().record_bytes // MB, ge=1)
    transcripts_mb: int = Field(default=Limits().transcripts_bytes // MB, ge=1)
    network_folder: bool = False


class _Power(_Part):
    """Read by `limits_file`, as the keeping is."""

    keep_awake: bool = False


class _Programs(_Part):
    """Read by `limits_file` too, where a program is looked for."""

    folders: list[str] = []
    telemetry: list[str] = []


class _Budgets(_Part):
    """Read by `limits_file`, as the keeping is; amounts are kept as they are written."""

    night_usd: Any = None
    night_from: str = NIGHT_FROM
    workflows: dict[str, Any] = {}

    @model_validator(mode="after")
    def _are_limits(self) -> _Budgets:
        shared_limits_of(self.model_dump())
        return self


class _File(_Part):
    """The whole file. Unknown keys of every part are kept."""

    looks: _Looks = _Looks()
    notices: _Notices = _Notices()
    quitting: _Quitting = _Quitting()
    editor: _Editor = _Editor()
    keeping: _Keeping = _Keeping()
    power: _Power = _Power()
    programs: _Programs = _Programs()
    budgets: _Budgets = _Budgets()
    shortcuts: dict[str, list[str]] = {}

    @model_validator(mode="after")
    def _has_no_other_budgets(self) -> _File:
        no_limit_by_mistake(dict(self.model_extra or {}))
        return self


def read_preferences(folder: Path) -> PreferencesRead:
    """The settings of a config folder; the defaults where there is no file, and with the fault told where it is wrong."""
    path = folder / FILE_NAME
    try:
        read = _read(path)
    except SettingsNotKept as error:
        return PreferencesRead(Preferences(), str(path), str(error))
    return PreferencesRead(_preferences(read), str(path), unknown=_unknown(read))


def write_budgets(folder: Path, wanted: SharedLimits, io: DurableIO | None = None) -> None:
    """Replace the part `[budgets]` and leave the rest as it is. Raises SettingsNotKept; what was there stays then."""
    whole = _read(folder / FILE_NAME).model_dump()
    kept = {name: value for name, value in whole["budgets"].items() if name != "night_usd"}
    night = {} if wanted.night_usd is None else {"night_usd": usd_text(wanted.night_usd)}
    workflows = {str(name): usd_text(limit) for name, limit in sorted(wanted.workflows.items())}
    whole["budgets"] = night | kept | {"night_from": wanted.night_from, "workflows": workflows}
    _replace(folder, whole, io)


def write_preferences(folder: Path, wanted: Preferences, io: DurableIO | None = None) -> None:
    """Replace the file. Raises SettingsNotKept; what was there stays then."""
    whole = _read(folder / FILE_NAME).model_dump()
    whole["looks"] |= {
        "theme": str(wanted.scheme),
        "scale_percent": wanted.scale_percent,
        "reduce_motion": wanted.reduce_motion,
        "language": wanted.language,
    }
    whole["notices"] |= {"enabled": wanted.notices, "command": list(wanted.notice_command)}
    whole["quitting"] |= {"finish_minutes": wanted.quit_minutes}
    whole["editor"] |= {"command": list(wanted.editor)}
    whole["programs"] |= {"folders": list(wanted.program_folders), "telemetry": list(wanted.telemetry)}
    limits = wanted.limits
    whole["keeping"] |= {
        "runs": limits.runs,
        "size_mb": limits.size_bytes // MB,
        "record_mb": limits.record_bytes // MB,
        "transcripts_mb": limits.transcripts_bytes // MB,
    }
    whole["power"] |= {"keep_awake": wanted.keep_awake}
    whole["shortcuts"] = {name: list(keys) for name, keys in sorted(wanted.shortcuts.items())}
    _replace(folder, whole, io)


def _replace(folder: Path, whole: dict[str, Any], io: DurableIO | None) -> None:
    path = folder / FILE_NAME
    if whole["budgets"].get("night_usd", "") is None:
        del whole["budgets"]["night_usd"]  # TOML has no word for nothing
    try:
        _File.model_validate(whole)
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        replace_file(io or DurableIO(), path, (HEAD + to_toml(whole)).encode())
    except ValidationError as error:
        raise SettingsNotKept(_said(error)) from error
    except OSError as error:
        raise SettingsNotKept(f"{path} cannot be written: {error.strerror or error}.") from error


def _read(path: Path) -> _File:
    try:
        return _File.model_validate(tomllib.loads(read_regular(path, follow_links=True).decode("utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return _File()
    except OSError as error:
        raise SettingsNotKept(f"{path} cannot be read: {error.strerror or error}.") from error
    except StoreDamaged as error:
        raise SettingsNotKept(f"{path} cannot be read: {error.reason}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsNotKept(f"{path} is not a TOML file: {error}.") from error
    except ValidationError as error:
        raise SettingsNotKept(f"{path}: {_said(error)}") from error


def _unknown(read: _File) -> tuple[str, ...]:
    """Keys that do nothing here, each with its table: of a later version, or written wrong."""
    found = list(read.model_extra or {})
    for name in _File.model_fields:
        part = getattr(read, name)
        if isinstance(part, _Part):
            found += [f"{name}.{key}" for key in part.model_extra or {}]
    return tuple(found)


def _said(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}."


def _preferences(read: _File) -> Preferences:
    return Preferences(
        scheme=Scheme(read.looks.theme),
        scale_percent=read.looks.scale_percent,
        reduce_motion=read.looks.reduce_motion,
        language=read.looks.language,
        notices=read.notices.enabled,
        notice_command=tuple(read.notices.command),
        quit_minutes=read.quitting.finish_minutes,
        editor=tuple(read.editor.command),
        program_folders=tuple(read.programs.folders),
        telemetry=tuple(read.programs.telemetry),
        keep_awake=read.power.keep_awake,
        limits=_limits(read.keeping),
        shortcuts={name: tuple(keys) for name, keys in read.shortcuts.items()},
    )


def _limits(read: _Keeping) -> Limits:
    return Limits(read.runs, read.size_mb * MB, read.record_mb * MB, read.transcripts_mb * MB)


# ------------------------------------------------------------------ TOML


def to_toml(whole: Mapping[str, Any]) -> str:
    """A document of plain values first, then one table for each mapping; mappings below those are written inline."""
    plain = [f"{_key(k)} = {_value(v)}\n" for k, v in whole.items() if not isinstance(v, Mapping)]
    tables = [
        f"\n[{_key(name)}]\n" + "".join(f"{_key(k)} = {_value(v)}\n" for k, v in table.items())
        for name, table in whole.items()
        if isinstance(table, Mapping)
    ]
    return "".join(plain + tables)


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if is_bare else _text(name)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case list() | tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case Mapping():
            return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
        case _:
            raise TypeError(f"TOML has no form for {type(value).__name__}")
