"""`runs --json` without the engine: the same bytes as with it, or nothing at all (P17, STO3)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.cli import run_list
from quarterdeck.cli.console import Console, FdSink
from quarterdeck.cli.program import run_program
from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.show import record_of
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.store.data_folder import Store
from quarterdeck.store.sessions import SessionIdentity
from tests.cli.builders import ended, moment, run_view, slot
from tests.store.builders import AT, event, finish_run, new_run, run_id

COUNT = 6


def view(number: int) -> RunView:
    outcome = Outcome.INTERRUPTED if number % 3 == 0 else Outcome.COMPLETED
    name = ("Größe", 'a "quoted"\\name\n', "plain")[number % 3]
    made = ended(run_view(slot("a", "Done")), outcome, pins=Pins("p" * 64, "w" * 64, "b" * 64))  # type: ignore[arg-type]
    return replace(
        made,
        run_id=run_id(number),
        workflow_id=WorkflowId(f"w-{number % 2}"),
        workflow_name=name,
        launch_seq=COUNT + 1 - number if number > 2 else number + 100,
        end_seq=number,
        accepted_by="me",
        accepted_at=moment(),
        seq=2,
    )


def finish(store: Store, number: int) -> None:
    journal = new_run(store, number)
    journal.append(event("done"), AT, sync=True).result(20)
    journal.close()
    made = record_of(view(number))
    store.records.publish(run_id(number), made)
    store.index.append(made)


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("QUARTERDECK_DATA_DIR", str(tmp_path / "data"))
    store = Store.open(tmp_path / "data")
    for number in range(1, COUNT + 1):
        finish(store, number)
    yield store
    store.close()


def written(do: Callable[[int], int | None], tmp_path: Path) -> bytes | None:
    """What a call writes on its descriptor; None where it was not for it."""
    path = tmp_path / "out"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    try:
        code = do(fd)
        content = path.read_bytes()
    finally:
        os.close(fd)
    if code is None:
        assert content == b""
        return None
    assert code == 0
    return content


def light(tmp_path: Path, *argv: str) -> bytes | None:
    return written(lambda fd: run_list.printed(argv, fd), tmp_path)


def usual(tmp_path: Path, *argv: str) -> bytes | None:
    def call(fd: int) -> int:
        console = Console(FdSink(fd, "utf-8"), FdSink(2, "utf-8"), None)
        return run_program(argv, open_window=lambda _path: 0, console=console)

    return written(call, tmp_path)


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("--workflow", "w-1"),
        ("--workflow", "GRÖSSE"),
        ("--workflow", 'a "quoted"\\name\n'),
        ("--state", "interrupted"),
        ("--state", "ended", "--workflow", "plain"),
        ("--state", "live"),
    ],
)
def test_the_light_list_is_the_usual_one_byte_for_byte(
    filled: Store, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    told = light(tmp_path, "runs", "--json", *argv)
    assert told == usual(tmp_path, "runs", "--json", *argv)
    assert told == light(tmp_path, "runs", *argv, "--json")


def live_journal(store: Store) -> None:
    new_run(store, 50).close()


def resumed_journal(store: Store) -> None:
    journal = store.runs.open(run_id(4))
    journal.append(event("resumed"), AT, sync=True).result(20)
    journal.close()


def replaced_record(store: Store) -> None:
    store.records.publish(run_id(2), record_of(replace(view(2), reason="another")))


def emptied_record(store: Store) -> None:
    (store.runs.folder(run_id(1)) / "record.json").write_bytes(b"")


def torn_index(store: Store) -> None:
    path = store.folder / "index.jsonl"
    os.truncate(path, path.stat().st_size - 5)


def damaged_index(store: Store) -> None:
    path = store.folder / "index.jsonl"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(bytes(content))


def newer_store(store: Store) -> None:
    path = store.folder / "store.json"
    path.write_bytes(path.read_bytes().replace(b'"schema":1', b'"schema":2'))


def dead_session(store: Store) -> None:
    session = store.sessions.begin(SessionIdentity.of_this_process("terminal"))
    session._lock.release()


def no_index(store: Store) -> None:
    (store.folder / "index.jsonl").unlink()


def run_of_another_shape(store: Store) -> None:
    finish_run(store, 9)


CHANGES = [
    live_journal, resumed_journal, replaced_record, emptied_record, torn_index, damaged_index, newer_store,
    dead_session, no_index, run_of_another_shape,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_needs_a_look_into_a_run_is_left_to_the_engine(
    filled: Store, tmp_path: Path, change: Callable[[Store], None]
) -> None:
    change(filled)
    assert light(tmp_path, "runs", "--json") is None


def test_a_living_session_and_a_run_that_was_discarded_change_nothing(filled: Store, tmp_path: Path) -> None:
    import shutil

    shutil.rmtree(filled.runs.folder(run_id(3)))
    session = filled.sessions.begin(SessionIdentity.of_this_process("window"))
    told = light(tmp_path, "runs", "--json")
    session.end_clean()
    assert told is not None
    assert told.count(b'"run_id"') == COUNT - 1
    assert told == usual(tmp_path, "runs", "--json")


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("runs",),
        ("show", "--json"),
        ("runs", "--json", "--help"),
        ("runs", "--json", "more"),
        ("runs", "--json", "--state", "asleep"),
        ("runs", "--json", "--workflow"),
        ("runs", "--json", "--workflow=x"),
    ],
)
def test_every_other_call_is_left_to_the_program(
    filled: Store, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    assert light(tmp_path, *argv) is None


def test_a_reader_who_has_seen_enough_is_no_error(filled: Store) -> None:
    r, w = os.pipe()
    os.close(r)
    try:
        assert run_list.printed(("runs", "--json"), w) == 0
    finally:
        os.close(w)
