"""Events, entries and stores for the tests of this room."""

from __future__ import annotations

from pathlib import Path

from quarterdeck.domain.events import ClaimRefused, Entry, RunLaunched, SlotSeed
from quarterdeck.domain.ids import NodeId, Revision, RunId, SessionId, SlotId, TenantId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import NodeBinding, Pins, SpecRef
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.journal import Journal

AT = Moment("boot-1", 1_000, 1_700_000_000_000)


def run_id(number: int = 1) -> RunId:
    return RunId(f"r-{number:032x}")


def header(number: int = 1, tenant: str = "t-1") -> Entry:
    event = RunLaunched(
        run_id=run_id(number),
        tenant=TenantId(tenant),
        launch_seq=number,
        workflow_id=WorkflowId("w-1"),
        workflow_name="Größe <b>1</b>",
        workflow_folder="/tmp/x y",
        outcome_asked="a report",
        session_id=SessionId("s-1"),
        actor="me",
        pins=Pins(Revision("a" * 64), Revision("b" * 64), Revision("c" * 64)),
        slots=(SlotSeed(SlotId("lint"), NodeId("lint"), "Lint"),),
        bindings=(NodeBinding(NodeId("lint"), (SpecRef("ruff", "command", Revision("d" * 64)),)),),
    )
    return Entry(1, AT, event)


def event(text: str) -> ClaimRefused:
    """A small event that is told from others by its message."""
    return ClaimRefused(SlotId("lint"), "E_TEST", text)


def messages(store: Store, number: int = 1) -> list[str]:
    """The messages of a run's entries after its header, as the store reads them."""
    return [entry.event.message for entry in store.runs.read(run_id(number)).entries[1:]]  # type: ignore[union-attr]


def new_run(store: Store, number: int = 1) -> Journal:
    return store.runs.create(run_id(number), header(number))


def record(number: int, covers_seq: int, size: int = 10) -> dict[str, object]:
    return {
        "run_id": run_id(number),
        "covers_seq": covers_seq,
        "workflow_name": "W",
        "launch_seq": number,
        "cost_usd": "0.13",
        "slots": [{"slot": "lint", "output": "x" * size}],
    }


def finish_run(store: Store, number: int, *, size: int = 10) -> None:
    """A whole short run: journal, record, index."""
    journal = new_run(store, number)
    journal.append(event("done"), AT, sync=True).result()
    journal.close()
    made = record(number, 2, size)
    store.records.publish(run_id(number), made)
    store.index.append(made)


def open_store(folder: Path, io: DurableIO | None = None) -> Store:
    return Store.open(folder, io)
