"""Pinned contents leave when nothing needs them any more, and never before (C5, PIN5, REC13, rulings 15–17).

The model keeps, for each run that can still be read or brought back, the plain contents that it pinned. It knows nothing of
how a run names them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.events import RunEnded
from quarterdeck.domain.ids import Revision, RunId, WorkflowId
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.bounding import prune, tend
from quarterdeck.engine.closing import UNDO_MS, discard, tidy_asides, undo_discard
from quarterdeck.engine.context import default_actor
from quarterdeck.engine.disk_views import read_view
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.objects_kept import LOOK_EVERY_MS, collect_objects, is_due
from quarterdeck.engine.publishing import publish
from quarterdeck.store.data_folder import Store
from quarterdeck.store.machine import now
from tests.engine.kept import content_of, killed_at_each_operation, limits, open_with_list
from tests.store.builders import AT, header, run_id

ME = default_actor()
STEPS = int(os.environ.get("QUARTERDECK_SWEEP", "1")) * 300


def sha(content: bytes) -> Revision:
    return Revision(hashlib.sha256(content).hexdigest())


def on_disk(store: Store) -> set[Revision]:
    return {Revision(path.name) for path in (store.folder / "objects").iterdir()}


def put_all(store: Store, number: int, shared: Iterable[bytes]) -> tuple[Pins, set[Revision]]:
    """As a launch pins: attachments, specifications that name them, a binding that names these, package, workflow."""
    attachments = [store.objects.put(content) for content in shared]
    specs = [
        store.objects.put(
            json.dumps({"schema": 1, "agent": number % 4, "attach": [{"sha256": one}]}).encode()
        )
        for one in attachments
    ]
    binding = store.objects.put(
        json.dumps({"schema": 1, "nodes": {"a": [{"spec": s} for s in specs]}}).encode()
    )
    package = store.objects.put(json.dumps({"schema": 1, "inputs": {"n": number}}).encode())
    workflow = store.objects.put(json.dumps({"name": f"w-{number % 3}"}).encode())
    return Pins(package, workflow, binding), {*attachments, *specs, binding, package, workflow}


def launch(store: Store, number: int, shared: Iterable[bytes] = (), *, ends: bool = True) -> set[Revision]:
    with store.objects.pinning():
        pins, contents = put_all(store, number, shared)
        entry = header(number, store.tenant)
        event = replace(entry.event, workflow_id=WorkflowId(f"w-{number % 3}"), actor=ME, pins=pins)  # type: ignore[type-var]
        journal = store.runs.create(run_id(number), replace(entry, event=event))  # type: ignore[arg-type]
    if ends:
        journal.append(RunEnded(Outcome.COMPLETED, number, 0, ""), AT, sync=True).result(20)
    journal.close()
    if ends:
        publish(store, read_view(store, run_id(number)))
    return contents


def test_after_any_history_exactly_what_somebody_needs_is_left(tmp_path: Path) -> None:
    """Launches, ends, evictions, discards, their undo and their time, in any order; sums in the middle of it."""
    chance = random.Random(4)
    store = open_with_list(tmp_path / "d")
    pool = [f"# Attachment {n}\n".encode() for n in range(8)]
    needed: dict[RunId, set[Revision]] = {}
    discarded: set[RunId] = set()
    number, removed = 0, 0
    for _ in range(STEPS):
        act = chance.choice(("launch", "launch", "live", "discard", "undo", "expire", "prune", "collect"))
        kept = sorted(needed.keys() - discarded)
        if act in {"launch", "live"}:
            number += 1
            shared = chance.sample(pool, chance.randint(0, 3))
            needed[run_id(number)] = launch(store, number, shared, ends=act == "launch")
        elif act == "discard" and kept:
            run = chance.choice(kept)
            if isinstance(discard(store, run, ME, now), Discarded):
                discarded.add(run)
        elif act == "undo" and discarded:
            run = chance.choice(sorted(discarded))
            assert undo_discard(store, run, ME, now) == run
            discarded.remove(run)
        elif act == "expire" and chance.random() < 0.3:
            tidy_asides(store, replace(now(), wall_ms=now().wall_ms + UNDO_MS + 10_000))
            for run in discarded:
                del needed[run]
            discarded = set()
        elif act == "prune":
            gone = prune(store, limits(runs=chance.randint(3, 12)), now())
            for one in gone.leaving:
                del needed[one.kept.run]
            removed += gone.collected.count
        elif act == "collect":
            told = collect_objects(store, now(), dry_run=True)
            assert collect_objects(store, now()) == told
            removed += told.count
        wanted = set().union(*needed.values()) if needed else set()
        assert wanted <= on_disk(store), act
        if act in {"prune", "collect"}:
            assert on_disk(store) == wanted
    assert removed > 50
    store.close()


def test_a_dry_run_tells_what_would_go_with_the_runs_and_changes_nothing(tmp_path: Path) -> None:
    store = open_with_list(tmp_path / "d")
    for number in (3, 6, 9):
        launch(store, number, [f"only {number}".encode()])
    before = content_of(tmp_path / "d")
    told = prune(store, limits(runs=1), now(), dry_run=True)
    assert content_of(tmp_path / "d") == before
    done = prune(store, limits(runs=1), now())
    assert told.collected == done.collected
    assert done.collected.count >= 6, "package, binding, attachment of two runs at least"
    assert done.collected.size_bytes > 0
    store.close()


def test_a_run_of_which_the_pins_cannot_be_read_keeps_everything(tmp_path: Path) -> None:
    """One that cannot be understood may need anything; it is named."""
    store = open_with_list(tmp_path / "d")
    launch(store, 1, [b"kept"])
    store.objects.put(b"nobody's")
    (store.runs.folder(run_id(1)) / "record.json").unlink()
    (store.folder / "index.jsonl").unlink()
    journal = store.runs.folder(run_id(1)) / "journal.jsonl"
    journal.write_bytes(b"\0" * 40 + journal.read_bytes()[40:])
    before = on_disk(store)
    found = collect_objects(store, now())
    assert run_id(1) in found.why_not
    assert (found.count, on_disk(store)) == (0, before)
    store.close()


def test_while_somebody_pins_nothing_is_removed(tmp_path: Path) -> None:
    """A launch may be about to name a content that is there already and that no run names yet."""
    store = open_with_list(tmp_path / "d")
    old = store.objects.put(b"of a run that left")
    other = Store.open(tmp_path / "d")
    with other.objects.pinning():
        assert other.objects.put(b"of a run that left") == old
        assert collect_objects(store, now()).count == 0
        assert old in on_disk(store)
    assert collect_objects(store, now()).count == 1
    for one in (store, other):
        one.close()


def test_a_run_that_was_launched_while_the_runs_were_looked_through_keeps_its_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = open_with_list(tmp_path / "d"), open_with_list(tmp_path / "d")
    store.objects.put(b"shared")
    sizes, contents = store.objects.sizes, set[Revision]()

    def sizes_after_a_launch() -> dict[Revision, int]:
        found = sizes()
        contents.update(launch(other, 1, [b"shared"], ends=False))
        return found

    monkeypatch.setattr(store.objects, "sizes", sizes_after_a_launch)
    assert collect_objects(store, now()).count == 0
    assert contents <= on_disk(store)
    for one in (store, other):
        one.close()


def test_launches_and_removals_of_many_at_a_time_lose_nothing(tmp_path: Path) -> None:
    """Every run finds what it pinned, however often others removed what nobody needed meanwhile."""
    stores = [open_with_list(tmp_path / "d") for _ in range(3)]
    needed: list[set[Revision]] = []
    is_over = threading.Event()

    def launching(store: Store, first: int) -> None:
        for number in range(first, first + 12):
            needed.append(launch(store, number, [b"shared", f"own {number}".encode()], ends=False))

    def removing() -> None:
        while not is_over.is_set():
            stores[2].objects.put(b"nobody's")
            collect_objects(stores[2], now())

    threads = [threading.Thread(target=launching, args=(stores[i], 100 * (i + 1))) for i in range(2)]
    remover = threading.Thread(target=removing)
    for thread in (remover, *threads):
        thread.start()
    for thread in threads:
        thread.join(60)
    is_over.set()
    remover.join(60)
    assert len(needed) == 24
    assert set().union(*needed) <= on_disk(stores[0])
    for store in stores:
        store.close()


def test_a_kill_at_any_operation_leaves_what_is_needed_and_the_next_pass_does_the_rest(
    tmp_path: Path,
) -> None:
    template = tmp_path / "template"
    store = open_with_list(template)
    needed = launch(store, 1, [b"kept"]) | launch(store, 2, [b"kept", b"back"])
    assert isinstance(discard(store, run_id(2), ME, now), Discarded)
    for n in range(5):
        store.objects.put(b"nobody's %d" % n)
    store.close()
    for folder in killed_at_each_operation(
        template, tmp_path, lambda dying: collect_objects(dying, now()), least=5
    ):
        again = open_with_list(folder)
        assert needed <= on_disk(again)
        collect_objects(again, now())
        assert on_disk(again) == needed
        again.close()


def test_it_is_looked_for_once_a_day_and_when_runs_have_left(tmp_path: Path) -> None:
    store = open_with_list(tmp_path / "d")
    assert not is_due(store, now()), "nothing was ever pinned"
    for number in (3, 6):
        launch(store, number)
    assert not is_due(store, now())
    spare = store.objects.put(b"nobody's")
    tend(store, limits(), now())
    assert spare in on_disk(store), "a start looks through nothing"
    later = replace(now(), wall_ms=now().wall_ms + LOOK_EVERY_MS + 10_000)
    assert is_due(store, later)
    tend(store, limits(), later)
    assert spare not in on_disk(store)
    assert not is_due(store, later)
    store.objects.put(b"nobody's")
    (store.folder / "kept.json").unlink(missing_ok=True)
    tend(store, limits(runs=1), later)
    assert spare not in on_disk(store), "a run has left"
    store.close()
