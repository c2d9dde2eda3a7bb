"""A scenario played through the product: its folds, join, views, feed, link, and what its window would show.

Everything is the product's own but three things that stand for what cannot be in a test of a second: `Files` for the
disk, `House` for the door over it, and a clock moved by hand. Nothing here judges; `shown` gives plain values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from quarterdeck.domain import events as e
from quarterdeck.domain.budget import pinned_budgets
from quarterdeck.domain.canonical import content_revision
from quarterdeck.domain.figures_json import figures_to_json
from quarterdeck.domain.fold_check import check
from quarterdeck.domain.ids import AttemptId, NodeId, Revision, RunId, SessionId, SlotId, TenantId, WorkflowId
from quarterdeck.domain.join import run_view, summary
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.overlays import with_refused
from quarterdeck.domain.pins import NodeBinding, Pins, SpecRef
from quarterdeck.domain.record import run_from_record
from quarterdeck.domain.reports import SENT_ONE_BY_ONE
from quarterdeck.domain.reports_fold import AttemptFold, Baseline, baseline_of
from quarterdeck.domain.run_fold import advance, fold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.shared_limits import SharedSpending
from quarterdeck.domain.show import record_of
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.disk_views import read_folds, read_state, read_view, shown_view
from quarterdeck.engine.door import Door
from quarterdeck.engine.feed import ChangeFeed, Publisher
from quarterdeck.engine.pinning import read_workflow
from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.engine.report_folds import SILENT_KINDS
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.run_plan import RunPlan
from quarterdeck.store.attempts import Printed
from quarterdeck.store.data_folder import Store
from quarterdeck.store.journal import Journal, JournalRead
from quarterdeck.store.workflow_file import WorkflowFile, parse_workflow
from quarterdeck.ui.asked import RunLaunched, WorkspaceLoaded
from quarterdeck.ui.link import Link
from quarterdeck.ui.present import WindowFacts, present
from quarterdeck.ui.watching import Shown, Watching
from tests.scenarios.event_of import event_of, report_of
from tests.scenarios.naive_runs import PRINTS, Fact
from tests.ui.fake_sign_ins import FakeSignIns

BOOT, OWNER = "boot-1", "ada"


def at(fact: Fact) -> Moment:
    return Moment(BOOT, fact["ms"], fact["wall"])


@dataclass
class Files:
    """What lies on disk, as `disk_views` reads it."""

    entries: dict[str, list[e.Entry]] = field(default_factory=dict)
    reports_of: dict[str, list[Fact]] = field(default_factory=dict)
    launches: dict[str, Fact] = field(default_factory=dict)
    objects_of: dict[str, bytes] = field(default_factory=dict)
    printed_at: dict[str, int] = field(default_factory=dict)
    """When each transcript was written last, by the wall clock."""

    def store(self) -> Store:
        parts = SimpleNamespace(
            runs=SimpleNamespace(read=lambda run: JournalRead(tuple(self.entries[run]), 0, ())),
            attempts=SimpleNamespace(
                each_report=lambda _, attempt: iter(self.reports_of[attempt]),
                launch=lambda _, attempt: self.launches.get(attempt),
                exit_file=lambda *_: None,
                printed=lambda _, attempt, __: self._printed(attempt),
                has_printed=lambda _, attempt: attempt in self.printed_at,
                is_odd=lambda *_: False,
                can_be_listed=lambda _: True,
            ),
            sessions=SimpleNamespace(kind_of_owner=lambda _: ""),
            objects=SimpleNamespace(get=lambda revision: self.objects_of[revision]),
        )
        return cast(Store, parts)

    def _printed(self, attempt: str) -> Printed | None:
        return Printed(self.printed_at[attempt], b"", True) if attempt in self.printed_at else None


class NoSecrets:
    """No agent of a scenario got any."""

    async def known_secrets(self, run: RunId) -> frozenset[str]:
        return frozenset()


class House:
    """The door to the runs of a scenario: those of this process from memory, all others from files and records."""

    def __init__(self, files: Files, clock: Callable[[], Moment]) -> None:
        self.files, self.publisher, self._clock = files, Publisher(), clock
        self.books: dict[RunId, RunBook] = {}
        self.records: dict[RunId, RunView] = {}
        self.foreign: set[RunId] = set()
        self._looked: dict[RunId, RunView] = {}
        self.sign_ins, self.recovery = FakeSignIns(), NoSecrets()

    def subscribe(self) -> ChangeFeed:
        return self.publisher.subscribe()

    def touch(self, run: RunId) -> None:
        """A run that no book of this process speaks for has changed on disk."""
        self._looked.pop(run, None)
        if run in self.foreign or run in self.records:
            self.publisher.mark(run)

    async def launched_workflow(self, revision: Revision) -> Workflow | None:
        return read_workflow(self.files.store().objects.get, revision)

    def closed(self) -> tuple[RunSummary, ...]:
        return ()

    def pinned(self) -> frozenset[RunId]:
        return frozenset()

    def runs(self) -> tuple[RunSummary, ...]:
        found = [summary(self.view(run)) for run in self.books]
        return tuple(sorted(found, key=lambda r: -r.launch_seq))

    def view(self, run: RunId) -> RunView:
        if run in self.records:
            return self.records[run]
        if run not in self.foreign:
            return self.books[run].view()
        if run not in self._looked:
            store = self.files.store()
            state, seen_at = read_state(store, run), self._clock()
            self._looked[run] = shown_view(store, state, foreign=True, recording=None, seen_at=seen_at)
        return self._looked[run]

    def live_run(self, run: RunId) -> RunView | None:
        return None if run in self.foreign or run in self.records else self.books[run].view()

    async def shared_spending(self) -> SharedSpending:
        return SharedSpending()

    def last_saved_ms(self) -> int | None:
        return None

    async def run(self, run: RunId) -> RunView | None:
        return self.view(run)


class Played:
    """The product, hearing of one fact after the other. `shown` is what its window shows after the last one."""

    def __init__(self, flows: list[Fact]) -> None:
        self.files = Files()
        self.now = Moment(BOOT, 0, 0)
        self.house = House(self.files, lambda: self.now)
        self.loaded: dict[str, LoadedWorkflow] = {}
        self.plans: dict[str, RunPlan] = {}
        self.pins: dict[str, Revision] = {}
        for flow in flows:
            self._load(flow)
        self.shims: dict[AttemptId, AttemptFold] = {}
        self.baselines: dict[AttemptId, Baseline] = {}
        self.shown: Shown | None = None
        self._open()

    def _load(self, flow: Fact) -> None:
        content = json.dumps(flow).encode()
        read = parse_workflow(content, None)
        assert isinstance(read, WorkflowFile), read
        pin = self.pins[flow["id"]] = content_revision(content)
        self.files.objects_of[pin] = content
        self.loaded[flow["id"]] = LoadedWorkflow(Path(f"/flows/{flow['id']}.workflow.json"), read.workflow)
        kinds = {name: agent.kind for name, agent in read.workflow.agents.items()}
        self.plans[flow["id"]] = cast(
            RunPlan, SimpleNamespace(kinds=kinds, budgets=pinned_budgets(read.workflow))
        )

    # -------------------------------------------------------------- the window

    def _open(self) -> None:
        """A window that was just opened: link, watching, and a subscription of its own."""
        self.link = Link()
        self.link.bind(cast(Door, self.house))
        self.feed = self.house.subscribe()
        self.watching = Watching(self.link, lambda: self.now)
        self.watching._tick = cast(Any, StoodStill())
        self.watching.shown_changed.connect(self._on_shown)
        self._read_folder()

    def _read_folder(self) -> None:
        folder = WorkspaceLoaded(Path("/flows"), tuple(self.loaded.values()), None)
        self.link.workspace_loaded.emit(folder)

    def _on_shown(self, shown: Shown) -> None:
        self.shown = shown

    def drain(self) -> None:
        """What the link does each frame in which something was told."""
        finish(self.link._refresh(self.feed.take()))
        while self.link._nudged.is_set():
            self.link._nudged.clear()
            finish(self.link._refresh(frozenset()))

    # -------------------------------------------------------------- facts

    def take(self, fact: Fact) -> None:
        """Hear of a fact; the window follows unless it is quiet."""
        if fact["what"] == "look":
            self.drain()
        self.now = at(fact)
        getattr(self, f"_take_{fact['what']}")(fact)
        if not fact["quiet"]:
            self.drain()

    def _take_tick(self, fact: Fact) -> None:
        for run in self.house.foreign:
            self.house.touch(run)  # a look at the files, as each second
        self.watching._on_tick()

    def _take_look(self, fact: Fact) -> None:
        match fact["act"]:
            case "reopen":
                self.feed.close()
                self._open()
            case "flow":
                self.watching.choose_file(self.loaded[fact["flow"]].path)
            case "row":
                self.watching.choose_run(RunId(fact["run"]))
            case "switch":
                self.watching.pick(fact["run"])
            case "next":
                self.watching.next_waiting()
            case "edit":
                self._load(fact["now"])
                self._read_folder()
            case "launched":
                view = self.house.view(RunId(fact["run"]))
                request = SimpleNamespace(path=self.loaded[view.workflow_id].path)
                self.link.run_launched.emit(RunLaunched(cast(Any, request), view.run_id))
            case _:
                raise AssertionError(fact)

    def _take_report(self, fact: Fact) -> None:
        run, attempt = RunId(fact["run"]), AttemptId(fact["attempt"])
        report = report_of(fact)
        self.files.reports_of[attempt].append(report)
        if fact["kind"] in PRINTS:
            self.files.printed_at[attempt] = fact["wall"]
        state = self.house.books[run].state
        if attempt in self.shims and not state.attempts[attempt].is_terminal:
            self.shims[attempt].apply(report)
        self._send(run, fact)

    def _take_printed(self, fact: Fact) -> None:
        self.files.printed_at[fact["attempt"]] = fact["wall"]
        self.house.touch(RunId(fact["run"]))

    def _take_totals(self, fact: Fact) -> None:
        self._send(RunId(fact["run"]), fact)

    def _take_again(self, fact: Fact) -> None:
        self._send(RunId(fact["to"]), fact["of"])

    def _send(self, run: RunId, fact: Fact) -> None:
        """What the shim's socket brings to a run's book."""
        book, attempt = self.house.books[run], AttemptId(fact["attempt"])
        if run in self.house.records:
            return self.house.touch(run)
        if fact["what"] == "report":
            if fact["kind"] in SENT_ONE_BY_ONE:
                book.take_fact(attempt, report_of(fact))
        elif attempt in self.shims:
            told = AttemptFold(self.baselines[attempt], reports_cost=self._tells_cost(fact))
            for report in self.files.reports_of[attempt][: fact["upto"]]:
                told.apply(report)
            said = {"figures": figures_to_json(told.totals()), "last_output_boot_ms": fact["last_output_ms"]}
            book.take_totals(attempt, said)
        return self.house.touch(run)

    def _tells_cost(self, fact: Fact) -> bool:
        book = self.house.books[RunId(fact["run"])]
        return book.plan.kinds[book.state.attempts[AttemptId(fact["attempt"])].agent] not in SILENT_KINDS

    # -------------------------------------------------------------- decisions

    def _take_journal(self, fact: Fact) -> None:
        run, kind = RunId(fact["run"]), fact["kind"]
        if kind == "run_launched":
            self._launch(fact)
            return
        if kind == "sitting_opened":
            self._take_up(run)
        book = self.house.books[run]
        shim = self.shims.get(AttemptId(fact.get("attempt_id") or ""))
        event = event_of(book.state, fact, shim.totals() if shim is not None else None)
        check(book.state, event, self.now)
        entry = e.Entry(book.state.seq + 1, self.now, event)
        self.files.entries[run].append(entry)
        book.state = advance(book.state, entry)
        if isinstance(event, e.AttemptClaimed):
            self._begin(book, event)
        book.changed()
        if kind == "run_ended":
            self.house.records[run] = run_from_record(json.loads(json.dumps(record_of(book.view()))))
        self.house.touch(run)

    def _launch(self, fact: Fact) -> None:
        run, plan = RunId(fact["run"]), self.plans[fact["workflow_id"]]
        specs = tuple(SpecRef(agent, kind, Revision("a" * 64)) for agent, kind in plan.kinds.items())
        nodes = dict.fromkeys(slot["node"] for slot in fact["slots"])
        event = e.RunLaunched(
            run, TenantId("t-1"), fact["launch_seq"], WorkflowId(fact["workflow_id"]), fact["workflow_name"], "/flows", "done",
            SessionId("s-1"), OWNER, Pins(Revision("b" * 64), self.pins[fact["workflow_id"]], Revision("c" * 64)),
            tuple(e.SlotSeed(SlotId(s["slot"]), NodeId(s["node"]), s["title"]) for s in fact["slots"]),
            tuple(NodeBinding(NodeId(node), specs) for node in nodes),
        )  # fmt: skip
        entry = e.Entry(1, self.now, event)
        self.files.entries[run] = [entry]
        self.house.books[run] = self._book(plan, advance(None, entry))
        if fact["foreign"]:
            self.house.foreign.add(run)
        self.house.touch(run)

    def _book(self, plan: RunPlan, state: RunState) -> RunBook:
        return RunBook(plan, cast(Journal, None), state, self.house.publisher, lambda: self.now)

    def _take_up(self, run: RunId) -> None:
        """An ended run enters this process again, from its files."""
        plan, store = self.house.books[run].plan, self.files.store()
        book = self._book(plan, fold(self.files.entries[run]))
        book.folds = read_folds(store, book.state)
        self.house.books[run] = book
        self.house.records.pop(run, None)

    def _begin(self, book: RunBook, event: e.AttemptClaimed) -> None:
        """A shim for the attempt, with what earlier ones counted; as launch and supervision do it."""
        tells = book.plan.kinds[event.agent] not in SILENT_KINDS
        self.files.reports_of[event.attempt_id] = []
        earlier = read_folds(self.files.store(), book.state) if event.epoch > 1 else {}
        of_slot = set(book.state.slots[event.slot_id].attempts[:-1])
        baseline = baseline_of(folded for attempt, folded in earlier.items() if attempt in of_slot)
        self.baselines[event.attempt_id] = baseline
        kind = book.plan.kinds[event.agent]
        self.files.launches[event.attempt_id] = {"kind": kind, "baseline": baseline.to_json()}
        self.shims[event.attempt_id] = AttemptFold(baseline, reports_cost=tells)
        book.folds[event.attempt_id] = AttemptFold(reports_cost=tells)

    # -------------------------------------------------------------- made anew

    def fresh_facts(self) -> WindowFacts:
        """What is shown, worked out without anything that was kept."""
        assert self.shown is not None
        return present(self.shown.known, self.watching._looking(), self.shown.now)

    def fresh_view(self, run: RunId) -> RunView:
        """The view of a run of this process, worked out without anything that was kept."""
        book = self.house.books[run]
        plan = book.plan
        view = run_view(
            book.state, book.folds, book.live, plan.kinds, budgets=plan.budgets, recording=book.recording
        )
        return with_refused(view, book.refused)

    def disk_views(self) -> list[RunView]:
        """Every run as its files say now."""
        return [read_view(self.files.store(), run) for run in self.house.books]


class StoodStill:
    """In the place of the window's timer: scenarios tick by themselves."""

    def __init__(self) -> None:
        self.is_active = False

    def isActive(self) -> bool:
        return self.is_active

    def start(self) -> None:
        self.is_active = True

    def stop(self) -> None:
        self.is_active = False


def finish(asked: Coroutine[Any, Any, None]) -> None:
    """Run to its end what never has to wait here."""
    try:
        asked.send(None)
    except StopIteration:
        return
    raise AssertionError("it waits for something")
