"""The single steps of an expression, each within bounds: operators, filters, and how a value becomes text.

Nothing here knows a template; `templates` wires these steps into the sandbox. What one rendering makes is counted
(`charge`), so that no expression can fill the memory.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from itertools import islice
from typing import Any

from quarterdeck.store.template_syntax import TemplateProblem

RESULT_CHARS_MAX = 16 * 1024 * 1024
"""A rendered text may be so long."""
WORK_MAX = 4 * RESULT_CHARS_MAX
"""Characters and items that all steps of one rendering may make together."""
RANGE_MAX = 100_000
BITS_MAX = 4_096
"""Size of a whole number that an expression may make."""


def cut(text: str) -> str:
    """At most 200 characters."""
    return text if len(text) <= 200 else text[:197] + "…"


class _Work(threading.local):
    """What one rendering has made so far."""

    spent = 0


_work = _Work()


def charge(size: int) -> None:
    """Counts what a step makes. Raises TemplateProblem once it is too much."""
    _work.spent += size
    if size > RESULT_CHARS_MAX or _work.spent > WORK_MAX:
        raise TemplateProblem(f"the expression makes more than {RESULT_CHARS_MAX // (1024 * 1024)} MB")


def begin_work() -> None:
    """A new rendering begins in this thread."""
    _work.spent = 0


def missing_words(obj: Any, name: Any) -> str:
    """Says that a part is not there, and which are."""
    wanted = f"“{cut(str(name))}”"
    if isinstance(obj, Mapping):
        names = ", ".join(sorted(str(key)[:40] for key in islice(obj, 20))) or "nothing"
        return f"there is no {wanted} here (there is: {names})"
    if isinstance(obj, list | tuple | str | range) and isinstance(name, int):
        return f"there is no item {name}; the list has {len(obj)}"
    kind = {str: "text", list: "a list", type(None): "null", bool: "true or false"}.get(type(obj), "a value")
    return f"{kind} has no {wanted}"


def operation(operator: str, left: Any, right: Any, act: Callable[[Any, Any], Any]) -> Any:
    """One operator between two values. Raises TemplateProblem where it does not work or makes too much."""
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    if numbers:
        return _number_operation(operator, left, right, act)
    if operator == "+" and type(left) is type(right) and isinstance(left, str | list | tuple):
        charge(len(left) + len(right))
        return act(left, right)
    if operator == "*":
        items, times = (left, right) if isinstance(left, str | list | tuple) else (right, left)
        if isinstance(items, str | list | tuple) and isinstance(times, int):
            charge(len(items) * max(times, 0))
            return act(left, right)
    for value in (left, right):
        if _is_missing(value):
            str(value)  # raises, with what is missing
    raise TemplateProblem(
        f"{operator} does not work between {_kind(left)} and {_kind(right)}; join texts with ~"
    )


def _number_operation(operator: str, left: Any, right: Any, act: Callable[[Any, Any], Any]) -> Any:
    bits = int(left).bit_length() if isinstance(left, int) else 0
    if operator == "**" and isinstance(right, int) and isinstance(left, int):
        if right < 0:
            left = float(left)
        elif bits * right > BITS_MAX:
            raise TemplateProblem("the power is too large a number")
    elif operator == "*" and isinstance(right, int) and bits + right.bit_length() > BITS_MAX:
        raise TemplateProblem("the product is too large a number")
    result = act(left, right)
    if isinstance(result, complex) or (isinstance(result, float) and not math.isfinite(result)):
        raise TemplateProblem("the result is no finite number")
    return result


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "a value")


def _is_missing(value: Any) -> bool:
    import jinja2

    return isinstance(value, jinja2.Undefined)


# ------------------------------------------------------------------------------------------- values to text


def to_text(value: Any) -> str:
    """Text of one expression: strings as they are, null as nothing, everything else as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if _is_missing(value):
        return str(value)  # raises, with what is missing
    return json_text(value)


def json_text(value: Any) -> str:
    """Compact JSON of a value."""
    plain = plain_value(value)
    charge(_weight(plain))
    try:
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise TemplateProblem("the value holds a number that JSON does not know") from None


def plain_value(value: Any) -> Any:
    """A value of JSON: what filters give lazily becomes a list."""
    if value is None or isinstance(value, str | int | float):
        return str(value) if isinstance(value, str) else value
    if _is_missing(value):
        return str(value)  # raises, with what is missing
    if isinstance(value, Mapping):
        return {str(key): plain_value(inner) for key, inner in value.items()}
    if isinstance(value, Iterable):
        return [plain_value(inner) for inner in _few(value)]
    raise TemplateProblem("the expression gives no value that can be written")


def _few(value: Iterable[Any]) -> list[Any]:
    items = list(islice(value, RESULT_CHARS_MAX + 1))
    charge(len(items))
    return items


def _weight(value: Any) -> int:
    """Characters that a value would take as JSON, roughly; stops counting once it is too much."""
    total, stack = 0, [value]
    while stack and total <= RESULT_CHARS_MAX:
        part = stack.pop()
        if isinstance(part, str):
            total += len(part) + 2
        elif isinstance(part, Mapping):
            total += 2
            stack.extend(part.keys())
            stack.extend(part.values())
        elif isinstance(part, list | tuple):
            total += 2
            stack.extend(part)
        else:
            total += 4
    return total


# ------------------------------------------------------------------------------------------- filters


def metered(act: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose result is counted; lazy results become lists."""

    @wraps(act)
    def counted(*args: Any, **kwargs: Any) -> Any:
        result = act(*args, **kwargs)
        if isinstance(result, Iterator):
            return _few(result)
        if isinstance(result, str | list | tuple | dict):
            charge(len(result))
        return result

    return counted


def bounded_range(*arguments: int) -> range:
    """`range`, within RANGE_MAX."""
    made = range(*arguments)
    if len(made) > RANGE_MAX:
        raise TemplateProblem(f"a range may have {RANGE_MAX:,} numbers, this one has {len(made):,}")
    return made


def _concat(values: list[Any]) -> str:
    texts = [to_text(value) for value in values]
    charge(sum(map(len, texts)))
    return "".join(texts)


def _slice(value: Any, start: Any, stop: Any, step: Any) -> Any:
    if not isinstance(value, str | list | tuple | range):
        raise TemplateProblem(f"{_kind(value)} cannot be cut; only text and lists can")
    part = value[start:stop:step]
    return list(part) if isinstance(part, range) else part


def _join(value: Iterable[Any], separator: str = "", attribute: str | None = None) -> str:
    items = [value] if isinstance(value, str) else _few(value)
    if attribute is not None:
        items = [_item(item, attribute) for item in items]
    texts = [to_text(item) for item in items]
    charge(sum(map(len, texts)) + len(_text_of(separator)) * len(texts))
    return separator.join(texts)


def _item(value: Any, key: str) -> Any:
    if isinstance(value, Mapping) and key in value:
        return value[key]
    raise TemplateProblem(missing_words(value, key))


def _replace(value: str, old: str, new: str) -> str:
    text = _text_of(value)
    charge(len(text) + text.count(_text_of(old)) * len(_text_of(new)))
    return text.replace(old, new)


def _text_of(value: Any) -> str:
    if not isinstance(value, str):
        raise TemplateProblem(f"text is needed here, not {_kind(value)}")
    return value


def _round(value: float, precision: int = 0) -> float | int:
    if not -30 <= precision <= 30:
        raise TemplateProblem("round takes at most 30 digits")
    rounded = round(value, precision)
    return int(rounded) if precision <= 0 else rounded


def _sum(value: Iterable[Any], attribute: str | None = None) -> Any:
    items = _few(value)
    if attribute is not None:
        items = [_item(item, attribute) for item in items]
    if not all(isinstance(item, int | float) for item in items):
        raise TemplateProblem("sum adds numbers only")
    return sum(items)


def _split(value: str, separator: str | None = None) -> list[str]:
    return _text_of(value).split(separator)


def _reverse(value: Any) -> Any:
    return value[::-1] if isinstance(value, str | list | tuple) else _few(value)[::-1]


OWN_FILTERS: dict[str, Callable[..., Any]] = {
    "join": _join,
    "keys": lambda value: list(_mapping(value).keys()),
    "values": lambda value: list(_mapping(value).values()),
    "items": lambda value: [list(pair) for pair in _mapping(value).items()],
    "replace": _replace,
    "reverse": _reverse,
    "round": _round,
    "split": _split,
    "splitlines": lambda value: _text_of(value).splitlines(),
    "string": to_text,
    "sum": _sum,
    "tojson": json_text,
}
HIDDEN_FILTERS: dict[str, Callable[..., Any]] = {"_concat": _concat, "_slice": _slice}


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TemplateProblem(f"an object is needed here, not {_kind(value)}")
    return value
