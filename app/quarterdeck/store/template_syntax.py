"""The syntax of templates and expressions (design §6): what they may contain, and what they refer to.

Here lives only the reading of a template: expressions in `{{ }}`, no statements. What they give is worked out by
`engine.templates`, which accepts exactly what this module accepts. jinja2 is imported on first use (import budget).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from jinja2 import Environment, nodes

TEMPLATE_TOKENS_MAX = 20_000
"""Tokens of all expressions of one template."""
EXPRESSION_CHARS_MAX = 10_000
"""Length of one bare expression (`when`, `for_each`, `until`)."""

NODE_FIELDS = ("output", "status", "artifacts")
RUN_FIELDS = ("id", "workflow", "launch_seq", "outcome")
_FILTER_WORDS = """
    abs capitalize default first float int items join keys last length list lower map max min reject rejectattr
    replace reverse round select selectattr sort split splitlines string sum title tojson trim truncate unique upper
    values
"""
FILTERS = frozenset(_FILTER_WORDS.split())
_TEST_WORDS = """
    boolean defined divisibleby eq even false float ge gt in integer iterable le lower lt mapping ne none number odd
    sequence string true undefined upper == != < <= > >= equalto greaterthan lessthan
"""
TESTS = frozenset(_TEST_WORDS.split())
FUNCTIONS = frozenset({"range"})

DELIMITERS = {
    # Statements and comments get marks that no template can contain (NUL is refused), so `{#` is plain text and
    # `{%` can be refused in words.
    "block_start_string": "\x00{%",
    "block_end_string": "%}\x00",
    "comment_start_string": "\x00{#",
    "comment_end_string": "#}\x00",
    "variable_start_string": "{{",
    "variable_end_string": "}}",
    "keep_trailing_newline": True,
}

_NODE_WORDS = """
    Template Output TemplateData Name Const Getattr Getitem Filter Test Compare Operand And Or Not Add Sub Mul Div
    FloorDiv Mod Pow Neg Pos Concat CondExpr List Tuple Dict Pair Keyword Slice Call
"""
_ALLOWED = frozenset(_NODE_WORDS.split())


class TemplateProblem(Exception):
    """A template that cannot be read or rendered; `str()` is one sentence for people. `line` counts within it from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass(frozen=True, slots=True)
class TemplateSyntax:
    """What a template refers to. nodes: pairs of node id and field; starts_with_expression: no text before the first."""

    roots: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    nodes: frozenset[tuple[str, str]] = frozenset()
    run: frozenset[str] = frozenset()
    tokens: int = 0
    starts_with_expression: bool = False


PLAIN = TemplateSyntax()
Result = TypeVar("Result")


@cache
def _environment() -> Environment:
    import jinja2

    return jinja2.Environment(autoescape=False, **DELIMITERS)  # type: ignore[arg-type]  # noqa: S701 – never HTML


def read_template(text: str) -> TemplateSyntax:
    """What a template holds. Raises TemplateProblem where it is no valid template."""
    if "{{" not in text:
        _refuse_nul(text)
        _refuse_statement(text)
        return PLAIN
    return syntax_of(*parse_template(text))


def read_expression(text: str) -> TemplateSyntax:
    """What a bare expression holds; one that is written in `{{ }}` is taken without them."""
    return syntax_of(parse_expression(text), len(text))


def parse_template(text: str) -> tuple[nodes.Template, int]:
    """The checked syntax tree of a template, and its number of tokens."""
    _refuse_nul(text)
    tokens = _count_tokens(text)
    tree = _guarded(lambda: _environment().parse(text))
    _check_allowed(tree)
    return tree, tokens


def parse_expression(text: str) -> nodes.Expr:
    """The checked syntax tree of a bare expression."""
    source = bare_expression(text)

    def parse() -> nodes.Expr:
        from jinja2.parser import Parser

        parser = Parser(_environment(), source, state="variable")
        tree = parser.parse_expression()
        if not parser.stream.eos:
            raise TemplateProblem(f"the expression {_short(source)} goes on after its end")
        return tree

    tree = _guarded(parse)
    _check_allowed(tree)
    return tree


def bare_expression(text: str) -> str:
    """The expression without `{{ }}` around it. Raises TemplateProblem where it is empty, too long or holds NUL."""
    _refuse_nul(text)
    if len(text) > EXPRESSION_CHARS_MAX:
        raise TemplateProblem(
            f"an expression may have {EXPRESSION_CHARS_MAX:,} characters, this one has {len(text):,}"
        )
    source = text.strip()
    if source.startswith("{{") and source.endswith("}}") and source.count("{{") == 1:
        source = source[2:-2].strip()
    if not source:
        raise TemplateProblem("the expression is empty")
    return source


def syntax_of(tree: nodes.Node, tokens: int) -> TemplateSyntax:
    """The references of a checked tree. Raises TemplateProblem where one cannot be told before the run."""
    roots: set[str] = set()
    inputs: set[str] = set()
    node_fields: set[tuple[str, str]] = set()
    run: set[str] = set()
    for chain in _chains(tree):
        root, rest = chain[0], chain[1:]
        roots.add(root)
        if root == "inputs" and rest and isinstance(rest[0], str):
            inputs.add(rest[0])
        elif root == "run" and rest and isinstance(rest[0], str):
            run.add(rest[0])
        elif root == "nodes":
            node_fields.add(_node_reference(rest))
    return TemplateSyntax(
        frozenset(roots),
        frozenset(inputs),
        frozenset(node_fields),
        frozenset(run),
        tokens,
        _starts_with(tree),
    )


def _node_reference(rest: tuple[Any, ...]) -> tuple[str, str]:
    if not rest or not isinstance(rest[0], str):
        raise TemplateProblem("nodes must be followed by the id of a node, such as nodes.lint.output")
    if len(rest) < 2 or rest[1] not in NODE_FIELDS:
        raise TemplateProblem(
            f"nodes.{_short(rest[0], '')} must be followed by .output, .status or .artifacts"
        )
    return rest[0], rest[1]


def _chains(tree: nodes.Node) -> Iterator[tuple[Any, ...]]:
    """Every name with what is taken from it in constant words: ("nodes", "lint", "output"); None stands for a
    part that is worked out."""
    from jinja2 import nodes as n

    stack: list[tuple[n.Node, tuple[Any, ...]]] = [(tree, ())]
    while stack:
        node, tail = stack.pop()
        if isinstance(node, n.Getattr):
            stack.append((node.node, (node.attr, *tail)))
        elif isinstance(node, n.Getitem):
            key = node.arg.value if isinstance(node.arg, n.Const) else None
            stack.append((node.node, (key, *tail)))
            stack.append((node.arg, ()))
        elif isinstance(node, n.Name):
            yield (node.name, *tail)
        elif isinstance(node, n.Call):
            stack.extend((child, ()) for child in node.iter_child_nodes(exclude=("node",)))
        else:
            stack.extend((child, ()) for child in node.iter_child_nodes())


def _starts_with(tree: nodes.Node) -> bool:
    from jinja2 import nodes as n

    first = next(iter(tree.find_all(n.Output)), None)
    if first is None or not first.nodes:
        return False
    head = first.nodes[0]
    return not (isinstance(head, n.TemplateData) and head.data)


def _check_allowed(tree: nodes.Node) -> None:
    from jinja2 import nodes as n

    stack: list[n.Node] = [tree]
    while stack:
        node = stack.pop()
        _check_node(node)
        if isinstance(node, n.TemplateData):
            _refuse_statement(node.data, node.lineno)
        stack.extend(node.iter_child_nodes())


def _check_node(node: nodes.Node) -> None:
    from jinja2 import nodes as n

    kind = type(node).__name__
    if kind not in _ALLOWED:
        raise TemplateProblem(f"an expression cannot hold {kind.lower()}", node.lineno)
    if isinstance(node, n.Call) and not (isinstance(node.node, n.Name) and node.node.name in FUNCTIONS):
        raise TemplateProblem(
            "an expression cannot call anything but range(…); use a filter such as | upper", node.lineno
        )
    if isinstance(node, n.Filter) and node.name not in FILTERS:
        raise TemplateProblem(
            f"there is no filter {_short(node.name)}; there are {_list(FILTERS)}", node.lineno
        )
    if isinstance(node, n.Test) and node.name not in TESTS:
        raise TemplateProblem(f"there is no test {_short(node.name)} after `is`", node.lineno)
    if isinstance(node, n.Getattr) and node.attr.startswith("_"):
        raise TemplateProblem(
            f"{_short(node.attr)} begins with _ and cannot be reached with a dot", node.lineno
        )
    if isinstance(node, n.Call | n.Filter | n.Test) and (node.dyn_args or node.dyn_kwargs):
        raise TemplateProblem("* and ** cannot stand before an argument", node.lineno)


def _count_tokens(text: str) -> int:
    """Counts lazily, so that a hostile template costs no more than the limit."""
    count = 0

    def run() -> int:
        nonlocal count
        for _, kind, _ in _environment().lexer.tokeniter(text, None):
            if kind not in ("data", "whitespace"):
                count += 1
            if count > TEMPLATE_TOKENS_MAX:
                raise TemplateProblem(f"a template may have {TEMPLATE_TOKENS_MAX:,} words in its expressions")
        return count

    return _guarded(run)


def _guarded(act: Callable[[], Result]) -> Result:
    """Turns everything that reading a hostile template can raise into one sentence."""
    import jinja2

    try:
        return act()
    except jinja2.TemplateSyntaxError as error:
        message = (error.message or "cannot be read").replace("\x00", "")
        raise TemplateProblem(f"the template cannot be read: {_plain(message)}", error.lineno) from None
    except (RecursionError, MemoryError):
        raise TemplateProblem("the template is nested too deeply") from None
    except (ValueError, OverflowError) as error:  # numbers with too many digits
        raise TemplateProblem(f"the template cannot be read: {_short(str(error), '')}") from None


def _plain(message: str) -> str:
    if message.startswith("unexpected end of template"):
        return "it ends before its }}"
    said = message.replace("end of print statement", "}}")
    return _short(said[:1].lower() + said[1:].rstrip("."), "")


def _refuse_nul(text: str) -> None:
    if "\x00" in text:
        raise TemplateProblem("a template cannot hold the NUL character")


def _refuse_statement(text: str, line: int = 1) -> None:
    at = text.find("{%")
    if at >= 0:
        raise TemplateProblem(
            "a template holds expressions in {{ }} only; {% begins a statement (as plain text write {{ '{%' }})",
            line + text.count("\n", 0, at),
        )


def _short(text: str, quote: str = "“”") -> str:
    cut = text if len(text) <= 120 else text[:117] + "…"
    return f"{quote[0]}{cut}{quote[1]}" if quote else cut


def _list(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))
