"""jinja2's sandbox, narrowed: values are reached by key only, operators and filters are those of `template_steps`.

Loads jinja2, so `templates` imports it on first use (import budget).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from quarterdeck.engine.template_steps import (
    HIDDEN_FILTERS,
    OWN_FILTERS,
    bounded_range,
    cut,
    metered,
    missing_words,
    operation,
    to_text,
)
from quarterdeck.store.template_syntax import DELIMITERS, FILTERS, TESTS


class Missing(jinja2.StrictUndefined):
    """Says what is missing in the words of the workflow."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        return f"there is no “{cut(str(self._undefined_name))}” here"


class Sandbox(ImmutableSandboxedEnvironment):
    """Operators are bounded; no attribute of any object is ever reached."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """One operator, within bounds."""
        return operation(operator, left, right, self.binop_table[operator])

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`a.b` is `a["b"]`."""
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """A key of a mapping or an index of a list; otherwise undefined, with a hint in words."""
        if isinstance(obj, jinja2.Undefined):
            return obj[argument]  # raises, with what is missing first
        if isinstance(obj, Mapping | list | tuple | str | range):
            try:
                return obj[argument]
            except (TypeError, LookupError):
                pass  # said below, in words
        return self.undefined(hint=missing_words(obj, argument), obj=obj, name=argument)


class Metered(NodeTransformer):
    """Turns `~` and slices into filters of ours: the sandbox cannot intercept them."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 – jinja2 finds it by this name
        """`a ~ b`."""
        self.generic_visit(node)
        joined = nodes.List(node.nodes, lineno=node.lineno)
        return nodes.Filter(joined, "_concat", [], [], None, None, lineno=node.lineno)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        """`a[b:c]`."""
        self.generic_visit(node)
        if not isinstance(node.arg, nodes.Slice):
            return node
        parts = (node.arg.start, node.arg.stop, node.arg.step)
        arguments = [nodes.Const(None, lineno=node.lineno) if part is None else part for part in parts]
        return nodes.Filter(node.node, "_slice", arguments, [], None, None, lineno=node.lineno)


def new_sandbox() -> Sandbox:
    """The environment in which every template of a workflow is rendered."""
    environment = Sandbox(
        autoescape=False,  # prompts and arguments are no HTML
        undefined=Missing,
        finalize=to_text,
        optimized=False,  # nothing is worked out while compiling, so nothing escapes the bounds
        cache_size=0,
        **DELIMITERS,
    )
    builtin_filters, builtin_tests = environment.filters, environment.tests
    named = {name: OWN_FILTERS.get(name) or builtin_filters[name] for name in FILTERS}
    environment.filters = {name: metered(act) for name, act in {**named, **HIDDEN_FILTERS}.items()}
    environment.tests = {name: builtin_tests[name] for name in TESTS}
    environment.globals = {"range": bounded_range}
    return environment
