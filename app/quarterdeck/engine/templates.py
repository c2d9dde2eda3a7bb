"""Rendering of templates and expressions (design §6), in jinja2's sandbox and within bounds.

What a template may contain is `store.template_syntax`'s; here it is worked out against a context of plain JSON values:
`{"inputs": {...}, "nodes": {id: {"output", "status", "artifacts": {name: path}}}, "item": ..., "run": {...}}`.
Rendered once: what a value contains is never read as a template again. Nothing here runs code that a file brings:
values are reached by key only, never by attribute, and nothing but `range` is called.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from quarterdeck.store.template_syntax import (
    DELIMITERS,
    FILTERS,
    TESTS,
    TemplateProblem,
    parse_expression,
    parse_template,
    read_template,
)

if TYPE_CHECKING:
    from jinja2 import nodes
    from jinja2.sandbox import SandboxedEnvironment

__all__ = ["TemplateProblem", "evaluate", "is_true", "render", "render_argv"]

Context = Mapping[str, Any]

RESULT_CHARS_MAX = 16 * 1024 * 1024
"""A rendered text may be so long."""
WORK_MAX = 4 * RESULT_CHARS_MAX
"""Characters and items that all steps of one rendering may make together."""
RANGE_MAX = 100_000
BITS_MAX = 4_096
"""Size of a whole number that an expression may make."""
Made = TypeVar("Made")


def render(text: str, context: Context) -> str:
    """The text with its expressions replaced. Strings stand as they are, other values as compact JSON, null as nothing.

    Raises TemplateProblem, one sentence for people, on everything that can go wrong.
    """
    if "{{" not in text:
        read_template(text)
        return text
    tree, _ = parse_template(text)
    return _bounded(lambda: _render_tree(tree, context))


def render_argv(argv: Sequence[str], context: Context, allow_dash: bool = False) -> list[str]:
    """The program as it is, and each further item rendered to exactly one argument.

    An item that begins with an expression must not turn into an option (a result that begins with `-`), unless
    allow_dash. Raises TemplateProblem that names the item by its number.
    """
    return [
        *argv[:1],
        *(_argument(index, item, context, allow_dash) for index, item in enumerate(argv[1:], 1)),
    ]


def evaluate(expression: str, context: Context) -> Any:
    """The value of a bare expression, as JSON value. Raises TemplateProblem."""
    tree = parse_expression(expression)
    return _bounded(lambda: _plain_value(_evaluate_tree(tree, context)))


def is_true(expression: str, context: Context) -> bool:
    """Whether an expression holds: anything but false, null, 0, and empty text, list or object."""
    return bool(evaluate(expression, context))


def _argument(index: int, item: str, context: Context, allow_dash: bool) -> str:
    try:
        text = render(item, context)
        if "\x00" in text:
            raise TemplateProblem("an argument cannot hold the NUL character")
        if text.startswith("-") and not allow_dash and read_template(item).starts_with_expression:
            raise TemplateProblem(
                'a value that begins with - would be taken as an option (allow it by "allow_dash": true)'
            )
    except TemplateProblem as problem:
        raise TemplateProblem(f"argument {index}: {problem.message}", problem.line) from None
    return text


# ------------------------------------------------------------------------------------------- bounds


class _Work(threading.local):
    """What one rendering has made so far."""

    spent = 0


_work = _Work()


def _charge(size: int) -> None:
    _work.spent += size
    if size > RESULT_CHARS_MAX or _work.spent > WORK_MAX:
        raise TemplateProblem(f"the expression makes more than {RESULT_CHARS_MAX // (1024 * 1024)} MB")


def _bounded(act: Callable[[], Made]) -> Made:
    """Runs a rendering; everything that an expression can do wrong becomes one sentence."""
    import jinja2

    _work.spent = 0
    try:
        return act()
    except (jinja2.UndefinedError, jinja2.TemplateError) as error:
        raise TemplateProblem(_cut(error.message or "the template cannot be rendered")) from None
    except ZeroDivisionError:
        raise TemplateProblem("the expression divides by zero") from None
    except (RecursionError, MemoryError, SyntaxError):
        raise TemplateProblem("the expression is nested too deeply") from None
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise TemplateProblem(f"the expression cannot be worked out: {_cut(str(error))}") from None


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "…"


# ------------------------------------------------------------------------------------------- evaluation


def _render_tree(tree: nodes.Template, context: Context) -> str:
    from jinja2 import Template

    environment = _environment()
    code = environment.compile(_metered_tree(tree))
    template = Template.from_code(environment, code, dict(environment.globals))
    pieces: list[str] = []
    length = 0
    for piece in template.root_render_func(template.new_context(dict(context))):
        length += len(piece)
        if length > RESULT_CHARS_MAX:
            raise TemplateProblem(f"the text would be longer than {RESULT_CHARS_MAX // (1024 * 1024)} MB")
        pieces.append(piece)
    return _clean("".join(pieces))


def _evaluate_tree(tree: nodes.Expr, context: Context) -> Any:
    from jinja2 import Template
    from jinja2 import nodes as n

    environment = _environment()
    body = n.Assign(n.Name("result", "store"), tree, lineno=1)
    whole = n.Template([body], lineno=1)
    whole.set_environment(environment)
    code = environment.compile(_metered_tree(whole))
    template = Template.from_code(environment, code, dict(environment.globals))
    made = template.new_context(dict(context))
    for _ in template.root_render_func(made):
        pass  # an assignment gives no text
    return made.vars["result"]


def _clean(text: str) -> str:
    """Refuses text that no file and no process can take."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise TemplateProblem("the text holds half of a character (a lone surrogate)") from None
    return text


def _metered_tree(tree: nodes.Template) -> nodes.Template:
    """The tree with `~` and slices turned into filters of ours: the sandbox cannot intercept them."""
    from jinja2 import nodes as n
    from jinja2.visitor import NodeTransformer

    class Metered(NodeTransformer):
        def visit_Concat(self, node: n.Concat) -> n.Node:  # noqa: N802 – jinja2's name
            self.generic_visit(node)
            joined = n.List(node.nodes, lineno=node.lineno)
            return n.Filter(joined, "_concat", [], [], None, None, lineno=node.lineno)

        def visit_Getitem(self, node: n.Getitem) -> n.Node:  # noqa: N802
            self.generic_visit(node)
            if not isinstance(node.arg, n.Slice):
                return node
            parts = (node.arg.start, node.arg.stop, node.arg.step)
            arguments: list[n.Expr] = [
                n.Const(None, lineno=node.lineno) if part is None else part for part in parts
            ]
            return n.Filter(node.node, "_slice", arguments, [], None, None, lineno=node.lineno)

    made: nodes.Template = Metered().visit(tree)
    made.set_environment(_environment())
    return made


@cache
def _environment() -> SandboxedEnvironment:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Missing(jinja2.StrictUndefined):
        """Says what is missing in the words of the workflow."""

        __slots__ = ()

        @property
        def _undefined_message(self) -> str:
            if self._undefined_hint:
                return self._undefined_hint
            return f"there is no “{_cut(str(self._undefined_name))}” here"

    class Sandbox(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            return _operation(operator, left, right, self.binop_table[operator])

        def getattr(self, obj: Any, attribute: str) -> Any:
            return self.getitem(obj, attribute)

        def getitem(self, obj: Any, argument: Any) -> Any:
            if isinstance(obj, jinja2.Undefined):
                return obj[argument]  # raises, with what is missing first
            if isinstance(obj, Mapping | list | tuple | str | range):
                try:
                    return obj[argument]
                except (TypeError, LookupError):
                    pass  # said below, in words
            return self.undefined(hint=_missing_words(obj, argument), obj=obj, name=argument)

    environment = Sandbox(
        autoescape=False,
        undefined=Missing,
        finalize=_to_text,
        optimized=False,  # nothing is worked out while compiling, so nothing escapes the bounds
        cache_size=0,
        **DELIMITERS,
    )
    builtin_filters, builtin_tests = environment.filters, environment.tests
    named = {name: _OWN_FILTERS.get(name) or builtin_filters[name] for name in FILTERS}
    environment.filters = {name: _metered(act) for name, act in {**named, **_HIDDEN_FILTERS}.items()}
    environment.tests = {name: builtin_tests[name] for name in TESTS}
    environment.globals = {"range": _range}
    return environment


def _missing_words(obj: Any, name: Any) -> str:
    wanted = f"“{_cut(str(name))}”"
    if isinstance(obj, Mapping):
        names = ", ".join(sorted(str(key)[:40] for key in islice(obj, 20))) or "nothing"
        return f"there is no {wanted} here (there is: {names})"
    if isinstance(obj, list | tuple | str | range) and isinstance(name, int):
        return f"there is no item {name}; the list has {len(obj)}"
    kind = {str: "text", list: "a list", type(None): "null", bool: "true or false"}.get(type(obj), "a value")
    return f"{kind} has no {wanted}"


def _operation(operator: str, left: Any, right: Any, act: Callable[[Any, Any], Any]) -> Any:
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    if numbers:
        return _number_operation(operator, left, right, act)
    if operator == "+" and type(left) is type(right) and isinstance(left, str | list | tuple):
        _charge(len(left) + len(right))
        return act(left, right)
    if operator == "*":
        items, times = (left, right) if isinstance(left, str | list | tuple) else (right, left)
        if isinstance(items, str | list | tuple) and isinstance(times, int):
            _charge(len(items) * max(times, 0))
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


def _to_text(value: Any) -> str:
    """Text of one expression: strings as they are, null as nothing, everything else as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if _is_missing(value):
        return str(value)  # raises, with what is missing
    return _json_text(value)


def _json_text(value: Any) -> str:
    plain = _plain_value(value)
    _charge(_weight(plain))
    try:
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise TemplateProblem("the value holds a number that JSON does not know") from None


def _plain_value(value: Any) -> Any:
    """A value of JSON: what filters give lazily becomes a list."""
    if value is None or isinstance(value, str | int | float):
        return str(value) if isinstance(value, str) else value
    if _is_missing(value):
        return str(value)  # raises, with what is missing
    if isinstance(value, Mapping):
        return {str(key): _plain_value(inner) for key, inner in value.items()}
    if isinstance(value, Iterable):
        return [_plain_value(inner) for inner in _few(value)]
    raise TemplateProblem("the expression gives no value that can be written")


def _few(value: Iterable[Any]) -> list[Any]:
    items = list(islice(value, RESULT_CHARS_MAX + 1))
    _charge(len(items))
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


def _metered(act: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose result is counted; lazy results become lists."""

    @wraps(act)
    def counted(*args: Any, **kwargs: Any) -> Any:
        result = act(*args, **kwargs)
        if isinstance(result, Iterator):
            return _few(result)
        if isinstance(result, str | list | tuple | dict):
            _charge(len(result))
        return result

    return counted


def _range(*arguments: int) -> range:
    made = range(*arguments)
    if len(made) > RANGE_MAX:
        raise TemplateProblem(f"a range may have {RANGE_MAX:,} numbers, this one has {len(made):,}")
    return made


def _concat(values: list[Any]) -> str:
    texts = [_to_text(value) for value in values]
    _charge(sum(map(len, texts)))
    return "".join(texts)


def _slice(value: Any, start: Any, stop: Any, step: Any) -> Any:
    if not isinstance(value, str | list | tuple | range):
        raise TemplateProblem(f"{_kind(value)} cannot be cut; only text and lists can")
    part = value[start:stop:step]
    return list(part) if isinstance(part, range) else part


def _join(value: Iterable[Any], separator: str = "", attribute: str | None = None) -> str:
    items = [value] if isinstance(value, str) else _few(value)
    if attribute is not None:
        environment = _environment()
        items = [environment.getitem(item, attribute) for item in items]
    texts = [_to_text(item) for item in items]
    _charge(sum(map(len, texts)) + len(_text_of(separator)) * len(texts))
    return separator.join(texts)


def _replace(value: str, old: str, new: str) -> str:
    text = _text_of(value)
    _charge(len(text) + text.count(_text_of(old)) * len(_text_of(new)))
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
        items = [_environment().getitem(item, attribute) for item in items]
    if not all(isinstance(item, int | float) for item in items):
        raise TemplateProblem("sum adds numbers only")
    return sum(items)


def _split(value: str, separator: str | None = None) -> list[str]:
    return _text_of(value).split(separator)


def _reverse(value: Any) -> Any:
    return value[::-1] if isinstance(value, str | list | tuple) else _few(value)[::-1]


_OWN_FILTERS: dict[str, Callable[..., Any]] = {
    "join": _join,
    "keys": lambda value: list(_mapping(value).keys()),
    "values": lambda value: list(_mapping(value).values()),
    "items": lambda value: [list(pair) for pair in _mapping(value).items()],
    "replace": _replace,
    "reverse": _reverse,
    "round": _round,
    "split": _split,
    "splitlines": lambda value: _text_of(value).splitlines(),
    "string": _to_text,
    "sum": _sum,
    "tojson": _json_text,
}
_HIDDEN_FILTERS: dict[str, Callable[..., Any]] = {"_concat": _concat, "_slice": _slice}


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TemplateProblem(f"an object is needed here, not {_kind(value)}")
    return value
