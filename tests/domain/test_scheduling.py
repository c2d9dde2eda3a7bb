"""Scheduling and the outcome of a run (rulings 1–4, C10, cases 17 and 142)."""

from __future__ import annotations

from random import Random
from typing import Any

from quarterdeck.domain.events import (
    ApprovalAnswered,
    ApprovalAsked,
    ClaimRefused,
    Event,
    RunStopRequested,
    SlotCancelled,
    SlotFailed,
)
from quarterdeck.domain.guards import ClaimGrant, judge_claim
from quarterdeck.domain.ids import NodeId, SlotId, WorkflowId
from quarterdeck.domain.outcome import judge_outcome
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.scheduling import (
    AskStep,
    ClaimStep,
    FailSlotStep,
    Graph,
    SkipStep,
    Step,
    deps_done,
    has_capacity,
    is_settled,
    never,
    next_steps,
    next_wakeup,
    node_request_id,
)
from quarterdeck.domain.states import AttemptStatus, EndReason, Hold, LeaseStatus, Outcome, SlotState
from quarterdeck.domain.workflow import Edge, Loop, Node, Workflow
from tests.domain import naive_scheduler
from tests.domain.build import (
    OWNER,
    TENANT,
    claimed,
    ended,
    history,
    launched,
    reassigned,
    run_ended,
    sitting,
    then,
)
from tests.domain.test_claim_guard import ask


def graph_of(nodes: list[str], edges: list[tuple[str, str, str]], approvals: tuple[str, ...] = ()) -> Graph:
    made = tuple(Node(NodeId(n), n, kind="approval" if n in approvals else "agent") for n in nodes)
    joined = tuple(Edge(NodeId(s), NodeId(t), when) for s, t, when in edges)
    return Graph.of(Workflow(WorkflowId("w"), "w", "w", (), {}, made, joined))


def failed_for_now(slot: str, number: int, epoch: int = 1, **changes: Any) -> Event:
    return ended(slot, number, epoch, AttemptStatus.FAILED, **{"lease": LeaseStatus.RELEASED, **changes})


def steps(graph: Graph, state: RunState, now_ms: int = 0) -> list[Step]:
    return list(next_steps(graph, state, now_ms))


CHAIN = graph_of(["a", "b"], [("a", "b", "success")])


class Runner:
    """Drives a run by the product's steps alone; each claimed node ends as `results` says."""

    def __init__(
        self, nodes: list[str], edges: list[naive_scheduler.Edge], results: dict[str, str], limit: int | None
    ):
        self.graph = graph_of(nodes, [(s, t, w) for s, t, w, _ in edges])
        self.holds = {(s, t): holds for s, t, _, holds in edges}
        self.results, self.number = results, 0
        self.state = history(launched(nodes, max_parallel=limit))
        self.running: list[tuple[str, int]] = []
        self.most = 0

    def condition(self, edge: Edge) -> bool:
        return self.holds[edge.source, edge.target]

    def run(self, random: Random) -> None:
        while True:
            todo = next_steps(self.graph, self.state, 0, self.condition)
            for step in todo:
                self.take(step)
            self.most = max(self.most, len(self.running))
            if not todo and not self.running:
                break
            assert todo or not is_settled(self.graph, self.state, self.condition)
            if self.running and (not todo or random.random() < 0.5):
                self.end(*self.running.pop(random.randrange(len(self.running))))
        assert is_settled(self.graph, self.state, self.condition)

    def take(self, step: Step) -> None:
        if isinstance(step, SkipStep):
            then(self.state, SlotCancelled(step.slot_id))
        elif isinstance(step, FailSlotStep):
            then(self.state, SlotFailed(step.slot_id))
        else:
            assert isinstance(step, ClaimStep)
            assert deps_done(self.graph, self.state, step.slot_id, self.condition)
            self.number += 1
            then(self.state, claimed(step.slot_id, self.number))
            self.running.append((step.slot_id, self.number))

    def end(self, slot: str, number: int) -> None:
        result = self.results[slot]
        if result == "ok":
            then(self.state, ended(slot, number))
        elif result == "fail":
            then(self.state, failed_for_now(slot, number))
        else:
            then(self.state, ended(slot, number, status=AttemptStatus.STOPPED))

    def became(self) -> dict[str, str]:
        return {slot.node_id: self.word(slot.state, slot.exhausted) for slot in self.state.slots.values()}

    @staticmethod
    def word(state: SlotState, exhausted: bool) -> str:
        if state is SlotState.RETRY_WAIT:
            return "failed_for_now" if exhausted else "stopped"
        return state.value


def random_dag(random: Random) -> tuple[list[str], list[naive_scheduler.Edge], dict[str, str]]:
    nodes = [f"n{i}" for i in range(random.randrange(1, 9))]
    edges = []
    for i, target in enumerate(nodes):
        for source in nodes[:i]:
            if random.random() < 0.3:
                when = random.choice(["success", "success", "failure", "always", "expr"])
                edges.append((source, target, when, random.random() < 0.6))
    order = nodes[:]
    random.shuffle(order)
    results = {n: random.choices(["ok", "fail", "stop"], [6, 3, 1])[0] for n in nodes}
    return order, edges, results


def test_random_workflows_end_as_a_naive_scheduler_says_in_any_order_of_ends(sweep: int) -> None:
    """Every node of 2,000 random graphs; with any limit of parallel agents, which is never passed."""
    for seed in range(2_000 * sweep):
        random = Random(seed)
        nodes, edges, results = random_dag(random)
        limit = random.choice([None, 1, 2])
        runner = Runner(nodes, edges, results, limit)
        runner.run(random)
        assert runner.became() == naive_scheduler.settle(nodes, edges, results), f"seed {seed}"
        assert limit is None or runner.most <= limit
        outcome, code, _ = judge_outcome(runner.state)
        assert (outcome.value, code) == naive_scheduler.outcome(runner.became()), f"seed {seed}"


def test_a_node_starts_when_all_it_depends_on_is_done() -> None:
    state = history()
    assert steps(CHAIN, state) == [ClaimStep(SlotId("a"), "schedule")]
    then(state, claimed("a", 1))
    assert steps(CHAIN, state) == []
    assert not is_settled(CHAIN, state)
    then(state, ended("a", 1))
    assert steps(CHAIN, state) == [ClaimStep(SlotId("b"), "schedule")]


def test_a_failure_edge_fails_its_source_for_good_and_a_joining_node_runs_whatever_happened() -> None:
    """Ruling 2."""
    graph = graph_of(["a", "b"], [("a", "b", "failure")])
    state = history(claimed("a", 1), failed_for_now("a", 1))
    assert steps(graph, state) == [FailSlotStep(SlotId("a")), ClaimStep(SlotId("b"), "schedule")]
    then(state, SlotFailed(SlotId("a")), claimed("b", 2), ended("b", 2))
    assert judge_outcome(state)[:2] == (Outcome.COMPLETED, 0)


def test_an_exhausted_slot_without_such_an_edge_stays_for_a_person_and_fails_the_run() -> None:
    """Rulings 1 and 2: what is behind it stays pending."""
    state = history(claimed("a", 1), failed_for_now("a", 1, message="exit 3"))
    assert steps(CHAIN, state) == []
    assert is_settled(CHAIN, state)
    assert judge_outcome(state) == (Outcome.FAILED, 1, "A: exit 3")
    assert state.slots[SlotId("b")].state is SlotState.PENDING


def test_stop_is_sticky() -> None:
    """Case 17: after Stop nothing starts, not even a retry that is due."""
    timed = failed_for_now("a", 1, hold=Hold.TIMER, retry_at_ms=5)
    state = history(claimed("a", 1), timed)
    assert steps(CHAIN, state, now_ms=4) == []
    assert next_wakeup(state) == 5
    assert steps(CHAIN, state, now_ms=5) == [ClaimStep(SlotId("a"), "retry")]
    then(state, RunStopRequested(OWNER, EndReason.PERSON))
    assert steps(CHAIN, state, now_ms=10**9) == []
    assert next_wakeup(state) is None
    assert is_settled(CHAIN, state)
    assert judge_outcome(state) == (Outcome.STOPPED, 3, "stopped by you")
    assert state.slots[SlotId("b")].state is SlotState.PENDING


def test_after_recovery_nothing_starts_by_itself() -> None:
    """I8, SLT18: with every clock of the future."""
    timed = failed_for_now("a", 1, hold=Hold.TIMER, retry_at_ms=5)
    state = history(claimed("a", 1), timed, run_ended(Outcome.INTERRUPTED))
    assert steps(CHAIN, state, now_ms=10**15) == []
    assert next_wakeup(state) is None


def test_a_sitting_without_going_on_runs_one_slot_and_leaves_the_rest() -> None:
    """C10, ruling 3: later nodes wait; the run ends stopped, exit 4."""
    state = history(claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED), run_ended())
    then(state, reassigned("a", 1, "k"), sitting(2), claimed("a", 2, 2, token="k", cause="person"))
    then(state, ended("a", 2, 2))
    assert steps(CHAIN, state) == []
    assert is_settled(CHAIN, state)
    outcome, code, message = judge_outcome(state)
    assert (outcome, code) == (Outcome.STOPPED, 4)
    assert message.startswith("waits for a person")


def test_a_sitting_that_goes_on_starts_what_follows() -> None:
    state = history(claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED), run_ended())
    then(
        state, reassigned("a", 1, "k"), sitting(2, go_on=True), claimed("a", 2, 2, token="k", cause="person")
    )
    then(state, ended("a", 2, 2))
    assert steps(CHAIN, state) == [ClaimStep(SlotId("b"), "schedule")]


def test_a_claim_refused_for_its_sign_in_is_not_asked_again_and_fails_the_run() -> None:
    """AUT9, ruling 1; a passing refusal is asked again."""
    dead = history(ClaimRefused(SlotId("a"), "E_CRED_REMEMBERED", "its sign-in failed before"))
    assert steps(CHAIN, dead) == []
    assert judge_outcome(dead)[:2] == (Outcome.FAILED, 1)
    passing = history(ClaimRefused(SlotId("a"), "E_CAPACITY", "wait"))
    assert steps(CHAIN, passing) == [ClaimStep(SlotId("a"), "schedule")]


def test_an_approval_node_asks_once_keeps_the_run_live_and_goes_on_by_its_answer() -> None:
    """Ruling 6."""
    graph = graph_of(["a", "b"], [("a", "b", "success")], approvals=("a",))
    for choice, follows in (
        ("Approve", [ClaimStep(SlotId("b"), "schedule")]),
        ("Reject", [SkipStep(SlotId("b"))]),
    ):
        state = history()
        assert steps(graph, state) == [AskStep(SlotId("a"))]
        request = node_request_id(SlotId("a"))
        then(state, ApprovalAsked(SlotId("a"), request, "Go?", ("Approve", "Reject")))
        assert steps(graph, state) == []
        assert not is_settled(graph, state)
        answer = judge_claim(state, TENANT, ask(), deps_done=True)
        assert not isinstance(answer, ClaimGrant)
        then(state, ApprovalAnswered(SlotId("a"), None, 0, request, choice, OWNER))
        assert steps(graph, state) == follows


def test_an_answer_in_an_ended_run_is_kept_and_starts_nothing() -> None:
    """Ruling 6."""
    graph = graph_of(["a", "b"], [("a", "b", "success")], approvals=("a",))
    request = node_request_id(SlotId("a"))
    state = history(ApprovalAsked(SlotId("a"), request, "Go?", ()), run_ended(Outcome.INTERRUPTED))
    then(state, ApprovalAnswered(SlotId("a"), None, 0, request, "Approve", OWNER))
    assert state.slots[SlotId("a")].state is SlotState.DONE
    assert steps(graph, state) == []


def test_no_more_agents_run_than_the_workflow_allows() -> None:
    graph = graph_of(["a", "b", "c"], [])
    state = history(launched(["a", "b", "c"], max_parallel=2))
    assert len(steps(graph, state)) == 2
    then(state, claimed("a", 1), claimed("b", 2))
    assert not has_capacity(state)
    assert steps(graph, state) == []
    then(state, ended("a", 1))
    assert steps(graph, state) == [ClaimStep(SlotId("c"), "schedule")]


def test_edges_that_go_back_hold_nothing_up() -> None:
    nodes = (Node(NodeId("a"), "A"), Node(NodeId("b"), "B"))
    back = Edge(NodeId("b"), NodeId("a"), loop=Loop("x", 3))
    graph = Graph.of(Workflow(WorkflowId("w"), "w", "w", (), {}, nodes, (back,)))
    assert len(steps(graph, history())) == 2


def test_an_expression_that_is_not_worked_out_yet_leaves_its_target_waiting() -> None:
    graph = graph_of(["a", "b"], [("a", "b", "output.ok")])
    state = history(claimed("a", 1), ended("a", 1))
    assert next_steps(graph, state, 0, never) == ()
    assert next_steps(graph, state, 0, lambda edge: True) == (ClaimStep(SlotId("b"), "schedule"),)
    assert next_steps(graph, state, 0, lambda edge: False) == (SkipStep(SlotId("b")),)


def test_outcomes_are_the_first_that_fits() -> None:
    """Ruling 1: a person's stop, then recovery, then failure, then the run's budget."""
    failure = (claimed("a", 1), failed_for_now("a", 1))
    for reason, with_failure, expected in (
        (EndReason.PERSON, True, (Outcome.STOPPED, 3)),
        (EndReason.APP_CLOSED, True, (Outcome.INTERRUPTED, 3)),
        (EndReason.RUN_BUDGET, True, (Outcome.FAILED, 1)),
        (EndReason.RUN_BUDGET, False, (Outcome.STOPPED, 4)),
    ):
        events = failure if with_failure else ()
        state = history(*events, RunStopRequested(OWNER, reason))
        assert judge_outcome(state)[:2] == expected
    assert judge_outcome(history(SlotCancelled(SlotId("a")), SlotCancelled(SlotId("b"))))[:2] == (
        Outcome.COMPLETED,
        0,
    )
    assert judge_outcome(history(claimed("a", 1), ended("a", 1)))[:2] == (Outcome.STOPPED, 4)


def test_a_persons_claim_through_a_failure_edge_finds_what_it_depends_on_done() -> None:
    """Ruling 2: the edge is followed whoever starts its target."""
    graph = graph_of(["a", "b"], [("a", "b", "always")])
    state = history(claimed("a", 1), failed_for_now("a", 1), run_ended(Outcome.FAILED, exit_code=1))
    assert deps_done(graph, state, SlotId("b"))
