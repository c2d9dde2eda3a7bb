"""Rendering of templates and expressions (design §6), in jinja2's sandbox and within bounds.

What a template may contain is `store.template_syntax`'s; here it is worked out against a context of plain JSON values:
`{"inputs": {...}, "nodes": {id: {"output", "status", "artifacts": {name: path}}}, "item": ..., "run": {...}}`.
Rendered once: what a value contains is never read as a template again. Nothing here runs code that a file brings:
values are reached by key only, never by attribute, and nothing but `range` is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from quarterdeck.engine.template_steps import (
    RESULT_CHARS_MAX,
    begin_work,
    cut,
    plain_value,
)
from quarterdeck.store.template_syntax import (
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
    return _bounded(lambda: plain_value(_evaluate_tree(tree, context)))


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


def _bounded(act: Callable[[], Made]) -> Made:
    """Runs a rendering; everything that an expression can do wrong becomes one sentence."""
    import jinja2

    begin_work()
    try:
        return act()
    except (jinja2.UndefinedError, jinja2.TemplateError) as error:
        raise TemplateProblem(cut(error.message or "the template cannot be rendered")) from None
    except ZeroDivisionError:
        raise TemplateProblem("the expression divides by zero") from None
    except (RecursionError, MemoryError, SyntaxError):
        raise TemplateProblem("the expression is nested too deeply") from None
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise TemplateProblem(f"the expression cannot be worked out: {cut(str(error))}") from None


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


@cache
def _environment() -> SandboxedEnvironment:
    from quarterdeck.engine.template_sandbox import new_sandbox

    return new_sandbox()


def _metered_tree(tree: nodes.Template) -> nodes.Template:
    from quarterdeck.engine.template_sandbox import Metered

    made: nodes.Template = Metered().visit(tree)
    made.set_environment(_environment())
    return made
