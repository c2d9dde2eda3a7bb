"""Launch inputs: raw values (text from the terminal, typed values from the window) to checked, typed ones.

Looks at the disk only to see whether a named file or folder is there. All faults come back at once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.workflow import InputSpec, InputType

TEXT_CHARS_MAX = 1_000_000
DIGITS_MAX = 40
TRUE_WORDS = ("true", "yes", "on", "1")
FALSE_WORDS = ("false", "no", "off", "0")


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One fault of one input; `message` is a sentence for people that names it."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class InputProblems:
    """Inputs that cannot be launched with. Falsy."""

    problems: tuple[InputProblem, ...]

    def __bool__(self) -> bool:
        return False

    def sentence(self) -> str:
        """All faults in one text."""
        return " ".join(problem.message for problem in self.problems)


@dataclass(frozen=True, slots=True)
class CheckedInputs:
    """Every input of the workflow by name, in its order: str, int, float, bool, or None where nothing was given.

    Files and folders are absolute paths as text.
    """

    values: dict[str, Any]


class _Wrong(Exception):
    """Why one value cannot be taken; the words follow “NAME ”."""


def check_inputs(
    specs: Sequence[InputSpec], raw: Mapping[str, Any], base: Path, folder: Path
) -> CheckedInputs | InputProblems:
    """Checks and converts what was given. Relative paths count from `base`, those of defaults from the workflow's `folder`."""
    problems = [_unknown(name, specs) for name in raw if name not in {spec.name for spec in specs}]
    values: dict[str, Any] = {}
    for spec in specs:
        try:
            values[spec.name] = _value(spec, raw, base, folder)
        except _Wrong as wrong:
            problems.append(InputProblem(spec.name, f"Input “{spec.name}” {wrong}."))
    return InputProblems(tuple(problems)) if problems else CheckedInputs(values)


def _unknown(name: str, specs: Sequence[InputSpec]) -> InputProblem:
    known = ", ".join(spec.name for spec in specs) or "none"
    return InputProblem(name, f"There is no input “{name[:80]}” (the workflow asks for: {known}).")


def _value(spec: InputSpec, raw: Mapping[str, Any], base: Path, folder: Path) -> Any:
    if raw.get(spec.name) is not None:
        value = _converted(spec, raw[spec.name], base)
    elif spec.default is not None:
        value = _converted(spec, spec.default, folder)
    else:
        value = None
    if spec.required and (value is None or value == ""):
        hint = f" (for example --input {spec.name}=…)"
        raise _Wrong(f"is missing; give {_wanted(spec)}{hint}")
    return value


def _wanted(spec: InputSpec) -> str:
    match spec.type:
        case InputType.CHOICE:
            return f"one of {', '.join(spec.options)}"
        case InputType.FILE | InputType.FOLDER:
            return f"the path of a {spec.type}"
        case InputType.BOOLEAN:
            return "true or false"
        case _:
            return f"a {spec.type}" if spec.type is InputType.NUMBER else "a text"


def _converted(spec: InputSpec, value: Any, base: Path) -> Any:
    if isinstance(value, str):
        _refuse_no_text(value)
    match spec.type:
        case InputType.TEXT:
            return _text(value)
        case InputType.NUMBER:
            return _number(value)
        case InputType.BOOLEAN:
            return _boolean(value)
        case InputType.CHOICE:
            return _option(spec, value)
        case InputType.FILE | InputType.FOLDER:
            return _path(spec.type, value, base)


def _refuse_no_text(value: str) -> None:
    if "\x00" in value:
        raise _Wrong("holds the NUL character")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise _Wrong("is no UTF-8 text") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"must be text, not {value!r}"[:200])
    if len(value) > TEXT_CHARS_MAX:
        raise _Wrong(f"may have {TEXT_CHARS_MAX:,} characters, not {len(value):,}")
    return value


def _number(value: Any) -> int | float | None:
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        if len(text) > DIGITS_MAX or "_" in text:
            raise _Wrong(f"must be a number, not “{text[:40]}”")
        try:
            value = int(text)
        except ValueError:
            try:
                value = float(text)
            except ValueError:
                raise _Wrong(f"must be a number, not “{text}”") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Wrong(f"must be a number, not {value!r}"[:200])
    return value


def _boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else None
    if word == "":
        return None
    if word in TRUE_WORDS or word in FALSE_WORDS:
        return word in TRUE_WORDS
    raise _Wrong(f"must be true or false, not {value!r}"[:200])


def _option(spec: InputSpec, value: Any) -> str | None:
    if value == "" and "" not in spec.options:
        return None
    if value not in spec.options:
        raise _Wrong(f"must be one of {', '.join(spec.options)}, not {value!r}"[:400])
    return str(value)


def _path(kind: InputType, value: Any, base: Path) -> str | None:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise _Wrong(f"must be a path, not {value!r}"[:200])
    if not value.strip():
        return None
    try:
        path = Path(os.path.abspath(base / Path(value).expanduser()))
        is_there, fits = path.exists(), path.is_dir() if kind is InputType.FOLDER else path.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise _Wrong(f"cannot be read: {value[:200]} ({said})") from None
    if not is_there:
        raise _Wrong(f"names a {kind} that is not there: {path}")
    if not fits:
        raise _Wrong(f"must be a {kind}, and {path} is none")
    if not os.access(path, os.R_OK | (os.X_OK if kind is InputType.FOLDER else 0)):
        raise _Wrong(f"names a {kind} that may not be read (permission): {path}")
    return str(path)
