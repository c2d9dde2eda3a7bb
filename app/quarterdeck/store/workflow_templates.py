"""Every template of a workflow file, read but not rendered: its syntax, and that what it refers to can be there.

A node may only use the outputs of nodes before it; `item` exists only with `for_each`.
"""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.store.template_syntax import (
    RUN_FIELDS,
    TemplateProblem,
    TemplateSyntax,
    read_expression,
    read_template,
)
from quarterdeck.store.workflow_checks import has_all_edges, raw_edges, raw_names
from quarterdeck.store.workflow_graph import Upstream
from quarterdeck.store.workflow_json import Fault, Path
from quarterdeck.store.workflow_schema import AgentPart, NodePart
from quarterdeck.store.workflow_shape import Shape

FILE_TOKENS_MAX = 200_000
"""Tokens of all templates of a file together: bounds the time of reading a hostile file."""
PLAIN_WHEN = ("success", "failure", "always")
EDGE_ROOTS = frozenset({"output", "status", "artifacts", "inputs", "nodes", "run"})


class _Budget(Exception):
    """The file's templates are too large together."""


class TemplateChecks:
    """One pass over a file."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._tokens = 0
        self._ids = raw_names(shape.document, "nodes", "id")
        self._upstream = Upstream(sorted(self._ids or ()), raw_edges(shape.document))
        self._has_all_edges = has_all_edges(shape)
        self._inputs = raw_names(shape.document, "inputs", "name")
        self._users: dict[str, list[NodePart]] = {}
        for _, node in shape.nodes:
            for name in dict.fromkeys((node.agent or "", *node.alternatives)):
                self._users.setdefault(name, []).append(node)

    def faults(self) -> Iterator[Fault]:
        """Every fault of every template."""
        try:
            if self._shape.outcome is not None:
                key = "outcome" if "outcome" in self._shape.document else "name"
                yield from self._template((key,), self._shape.outcome, [], frozenset({"inputs"}))
            for index, node in self._shape.nodes:
                yield from self._node(index, node)
            for name, agent in self._shape.agents.items():
                yield from self._agent(name, agent)
            yield from self._edges()
        except _Budget:
            yield Fault((), f"all templates together may have {FILE_TOKENS_MAX:,} words in their expressions")

    def _node(self, index: int, node: NodePart) -> Iterator[Fault]:
        path: Path = ("nodes", index)
        roots = frozenset({"inputs", "nodes", "run"})
        yield from self._template((*path, "prompt"), node.prompt, [node], roots | {"item"})
        yield from self._template((*path, "question"), node.question, [node], roots)
        if node.for_each is not None:
            yield from self._expression((*path, "for_each"), node.for_each, node, roots)

    def _agent(self, name: str, agent: AgentPart) -> Iterator[Fault]:
        path: Path = ("agents", name)
        roots = frozenset({"inputs", "nodes", "run", "item"})
        users = self._users.get(name, [])
        yield from self._template((*path, "cwd"), agent.cwd, users, roots)
        for index, item in enumerate(agent.argv[1:], 1):
            yield from self._template((*path, "argv", index), item, users, roots)
        for variable, value in agent.env.items():
            yield from self._template((*path, "env", variable), value, users, roots)

    def _edges(self) -> Iterator[Fault]:
        by_id = {node.id: node for _, node in self._shape.nodes}
        for index, edge in self._shape.edges:
            source = by_id.get(edge.source)
            if source is None:
                continue
            if edge.when not in PLAIN_WHEN:
                yield from self._expression(("edges", index, "when"), edge.when, source, EDGE_ROOTS, own=True)
            if edge.loop is not None:
                path: Path = ("edges", index, "loop", "until")
                yield from self._expression(path, edge.loop.until, source, EDGE_ROOTS, own=True)

    def _template(
        self, path: Path, text: str, users: list[NodePart], roots: frozenset[str]
    ) -> Iterator[Fault]:
        try:
            syntax = read_template(text)
        except TemplateProblem as problem:
            yield Fault(path, _with_line(problem, text))
            return
        self._spend(syntax)
        yield from (Fault(path, said) for said in self._references(syntax, users, roots, own=False))

    def _expression(
        self, path: Path, text: str, user: NodePart, roots: frozenset[str], own: bool = False
    ) -> Iterator[Fault]:
        try:
            syntax = read_expression(text)
        except TemplateProblem as problem:
            yield Fault(path, problem.message)
            return
        self._spend(syntax)
        yield from (Fault(path, said) for said in self._references(syntax, [user], roots, own))

    def _spend(self, syntax: TemplateSyntax) -> None:
        self._tokens += syntax.tokens
        if self._tokens > FILE_TOKENS_MAX:
            raise _Budget

    def _references(
        self, syntax: TemplateSyntax, users: list[NodePart], roots: frozenset[str], own: bool
    ) -> Iterator[str]:
        for name in sorted(syntax.roots - roots):
            yield f"there is no “{name[:80]}” here; there are {', '.join(sorted(roots))}"
        for name in sorted(syntax.inputs - self._inputs) if self._inputs is not None else ():
            yield f"there is no input “{name[:80]}”"
        for name in sorted(syntax.run - set(RUN_FIELDS)):
            yield f"there is no run.{name[:80]}; there are {', '.join(RUN_FIELDS)}"
        if "item" in syntax.roots and "item" in roots:
            for node in users:
                if node.for_each is None and not node.is_told("for_each"):
                    yield f"“item” exists only with “for_each”, and node “{node.id}” has none"
        for wanted in sorted({node_id for node_id, _ in syntax.nodes}):
            yield from self._node_reference(wanted, users, own)

    def _node_reference(self, wanted: str, users: list[NodePart], own: bool) -> Iterator[str]:
        if self._ids is None:
            return
        if wanted not in self._ids:
            yield f"there is no node “{wanted[:80]}”"
            return
        for node in users if self._has_all_edges else ():
            if (own and node.id == wanted) or node.id not in self._ids:
                continue
            if not self._upstream.is_before(wanted, node.id):
                yield f"nodes.{wanted} is not there yet: no edge leads from “{wanted}” to “{node.id}”"
                return


def _with_line(problem: TemplateProblem, text: str) -> str:
    return f"{problem.message} (line {problem.line} of the text)" if "\n" in text else problem.message
