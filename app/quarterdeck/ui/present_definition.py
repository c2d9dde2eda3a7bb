"""What the inspector shows of a node that no shown run has: its definition, as it is drawn. Pure, no Qt."""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.domain.ids import NodeId
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.workflow import AgentSpec, Edge, Node, Workflow
from quarterdeck.ui.badges import NEVER_RUN
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_agent import AgentFacts
from quarterdeck.ui.present_graph import Drawn
from quarterdeck.ui.present_process import Fact
from quarterdeck.ui.words import money_text, one_line, shown_plainly

tr = Texts("PresentDefinition")

PROMPT_SHOWN_MAX = 4_000
_ICONS = {"command": "terminal", PRACTICE: "graduation-cap"}


def definition_facts(drawn: Drawn, node_id: NodeId, *, has_runs: bool) -> AgentFacts | None:
    """The definition of a drawn node; None where it is not drawn. has_runs: the workflow was run before."""
    found = drawn.node(node_id)
    if found is None:
        return None
    node, spec = found.node, _spec_of(found.source, found.node)
    kind = tr("asks a person") if node.agent is None else _kind(spec)
    return AgentFacts(
        title=one_line(node.title or node.id, 120),
        subtitle=tr("{kind} · definition", kind=kind),
        badge=NEVER_RUN,
        icon="hand" if node.agent is None else _ICONS.get(spec.kind if spec else "", "bot"),
        reason=tr("No shown run has this node.") if has_runs else tr("It was never run."),
        facts=tuple(_facts(drawn, node, spec)),
    )


def _spec_of(source: Workflow, node: Node) -> AgentSpec | None:
    return source.agents.get(node.agent) if node.agent is not None else None


def _kind(spec: AgentSpec | None) -> str:
    if spec is None:
        return tr("agent")
    return tr("practice, no model") if spec.kind == PRACTICE else one_line(spec.kind, 60)


def _facts(drawn: Drawn, node: Node, spec: AgentSpec | None) -> Iterator[Fact]:
    if node.agent is not None:
        yield Fact(tr("Agent"), one_line(node.agent, 80))
    if spec is not None:
        yield Fact(tr("Kind"), one_line(spec.kind, 60))
        if spec.argv:
            yield Fact(tr("Command"), shown_plainly(" ".join(spec.argv))[:PROMPT_SHOWN_MAX], mono=True)
        if spec.model:
            yield Fact(tr("Model"), one_line(spec.model, 80))
        if spec.cwd:
            yield Fact(tr("Folder"), shown_plainly(spec.cwd)[:PROMPT_SHOWN_MAX], mono=True)
    if node.question:
        yield Fact(tr("Question"), shown_plainly(node.question)[:PROMPT_SHOWN_MAX])
    if node.kind != "approval":
        prompt = shown_plainly(node.prompt)[:PROMPT_SHOWN_MAX]
        yield Fact(tr("Prompt"), prompt or tr("none"))
    before = [_before(drawn, edge) for edge in drawn.edges if edge.target == node.id and edge.loop is None]
    yield Fact(tr("Comes after"), ", ".join(before) or tr("nothing: it begins at once"))
    if node.for_each:
        yield Fact(tr("Once for each of"), shown_plainly(node.for_each)[:200], mono=True)
    if node.retry.max_attempts > 1:
        yield Fact(tr("Attempts"), tr("at most {count}", count=node.retry.max_attempts))
    budgets = [b for b in (node.budget_usd, spec.budget_usd if spec else None) if b is not None]
    if budgets:
        yield Fact(tr("Budget"), money_text(min(budgets)))
    if node.alternatives:
        yield Fact(tr("Alternatives"), one_line(", ".join(node.alternatives), 200))
    yield Fact(tr("Node"), one_line(node.id, 80), mono=True)


def _before(drawn: Drawn, edge: Edge) -> str:
    source = drawn.node(edge.source)
    title = one_line((source.node.title if source else "") or edge.source, 80)
    match edge.when:
        case "success":
            return title
        case "failure":
            return tr("{node} (on failure)", node=title)
        case "always":
            return tr("{node} (whatever becomes of it)", node=title)
        case _:
            return tr("{node} (if {condition})", node=title, condition=one_line(edge.when, 80))
