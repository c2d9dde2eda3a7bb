"""One short life of a store, step by step, for sweeps over faults and kills.

Each step says what it acknowledged; after a crash the acknowledged part is compared with what the files say
(`judge`). Run as a program, it forks one child for every operation and lets each be killed there:
`python -m tests.store.short_life FOLDER` prints one JSON document `[[k, torn, survived, acknowledged…], …]`.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreDown
from quarterdeck.store.sessions import SessionIdentity
from tests.store import naive
from tests.store.builders import AT, event, header, record, run_id
from tests.store.faulty_io import KillingIO, UnsyncedIO

Say = Callable[[str, object], None]
RUN = run_id()
ATTEMPT = AttemptId("a-1")
CONTENT = b"pinned content" * 50


def live(folder: Path, io: DurableIO, say: Say) -> None:
    """The whole life; raises StoreDown where the disk refuses."""
    store = Store.open(folder, io)
    try:
        say("tenant", store.tenant)
        say("launch_seq", store.next_launch_seq())
        session = store.sessions.begin(SessionIdentity.of_this_process("terminal"))
        say("session", session.session_id)
        say("object", store.objects.put(CONTENT))
        session.list_run(RUN)
        say("listed", RUN)
        journal = store.runs.create(RUN, header())
        say("run", RUN)
        owner = store.runs.own(RUN)
        assert owner is not None
        say("entry", journal.append(event("claim"), AT, sync=True).result(20).event.message)  # type: ignore[union-attr]
        attempt = store.attempts.create(RUN, ATTEMPT, {"schema": 1, "prompt": "x" * 300})
        attempt.write_file("context.json", b"{}")
        os.close(attempt.create_lease())
        say("attempt", ATTEMPT)
        for text in ("turn", "usage"):
            journal.append(event(text), AT, sync=False).result(20)
            say("entry", text)
        journal.append(event("end"), AT, sync=True).result(20)
        say("entry", "end")
        say("end_seq", store.next_end_seq())
        made = record(1, 5, 500)
        store.records.publish(RUN, made)
        say("record", RUN)
        store.index.append(made)
        store.ledger.append([{"run": RUN, "attempt": ATTEMPT, "model": "m", "hour": "h", "upto": 3}])
        say("ledger", ATTEMPT)
        journal.close()
        owner.release()
        session.end_clean()
        say("clean", session.session_id)
    finally:
        store.close()


def judge(folder: Path, acknowledged: list[tuple[str, object]], *, power_cut: bool = False) -> None:
    """Asserts, without the product, that everything acknowledged is there and nothing is half visible.

    power_cut: entries that were acknowledged as written but not as synced may be gone, and so may the lease.
    """
    said: dict[str, list[object]] = {}
    for what, value in acknowledged:
        said.setdefault(what, []).append(value)
    for path in folder.rglob("*"):
        if path.suffix == ".json" and not path.name.startswith(".") and path.name != "context.json":
            assert naive.is_good(path.read_bytes()[:-1]), f"half visible: {path}"
    for path in (folder / "objects").glob("[!.]*") if folder.exists() else ():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == path.name
    run = folder / "runs" / RUN
    entries = naive.journal_of(run) if run.exists() else []
    told = ["claim", "turn", "usage", "end"]
    found = [entry.get("message") for entry in entries[1:]]
    assert found == told[: len(found)], "not a prefix"
    entry_acks = said.get("entry", [])
    while power_cut and entry_acks and entry_acks[-1] not in ("claim", "end"):
        entry_acks = entry_acks[:-1]
    assert len(found) >= len(entry_acks)
    assert bool(entries) >= ("run" in said)
    if power_cut and "attempt" in said:
        (run / "attempts" / ATTEMPT / "lease").touch()
    _judge_rest(folder, said, entries)


def _judge_rest(folder: Path, said: dict[str, list[object]], entries: list[dict[str, object]]) -> None:
    run = folder / "runs" / RUN
    stored = json.loads((folder / "store.json").read_bytes()) if (folder / "store.json").exists() else {}
    for name in ("tenant", "launch_seq", "end_seq"):
        assert name not in said or stored[name] == said[name][0]
    for revision in said.get("object", []):
        assert (folder / "objects" / str(revision)).read_bytes() == CONTENT
    for session_id in said.get("session", []):
        session = json.loads((folder / "sessions" / f"{session_id}.json").read_bytes())
        assert session["pid"]
        if entries or "listed" in said:  # ruling 18: listed before the journal was made
            assert session["runs"] == [RUN]
        assert session["clean"] >= ("clean" in said)
    if "attempt" in said:
        assert (run / "attempts" / ATTEMPT / "lease").exists()
        assert json.loads((run / "attempts" / ATTEMPT / "launch.json").read_bytes())["prompt"] == "x" * 300
    if "record" in said:
        assert json.loads((run / "record.json").read_bytes())["covers_seq"] == 5
    if (run / "record.json").exists():
        assert len(entries) == 5, "a record of what is not in the journal"
    if "ledger" in said:
        assert [line["attempt"] for line in naive.good_prefix((folder / "ledger.jsonl").read_bytes())] == [
            ATTEMPT
        ]


def stale_temps(folder: Path) -> list[Path]:
    """Temp files of processes other than this one."""
    return [path for path in folder.rglob("*.tmp") if path.name.split(".")[-3] != str(os.getpid())]


def take_up(folder: Path) -> list[str]:
    """What a next process does: open, settle, carry on; returns the messages that the run then has."""
    store = Store.open(folder, UnsyncedIO())
    try:
        store.sweep()
        for dead in store.sessions.dead():
            taken = store.sessions.take(dead)
            assert taken is not None
            taken.finish()
        store.index.load()
        if RUN not in store.runs.ids():
            assert not [p for p in stale_temps(folder) if "runs" not in p.parts]
            return []
        journal = store.runs.open(RUN)
        journal.append(event("carried on"), AT, sync=True).result(20)
        journal.close()
        read = store.runs.read(RUN)
        assert read.is_whole
        assert not stale_temps(folder), "stale temp files stay"
        return [entry.event.message for entry in read.entries[1:]]  # type: ignore[union-attr]
    finally:
        store.close()


def _child(folder: Path, at: int, torn: bool, pipe: int) -> None:
    def say(what: str, value: object) -> None:
        os.write(pipe, json.dumps([what, value]).encode() + b"\n")

    try:
        live(folder, KillingIO(at, torn=torn), say)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _killed_at(folder: Path, at: int, torn: bool) -> tuple[bool, list[tuple[str, object]]]:
    """Whether the child was killed, and what it had said."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _child(folder, at, torn, write)
    os.close(write)
    with os.fdopen(read, "rb") as told:
        lines = told.read().splitlines()
    status = os.waitpid(pid, 0)[1]
    assert status in (0, signal.SIGKILL), status
    return status != 0, [tuple(json.loads(line)) for line in lines]


def main(folder: Path) -> None:
    results = []
    for torn in (False, True):
        for at in range(1, 1000):
            home = folder / f"{at}-{torn}"
            killed, said = _killed_at(home, at, torn)
            judge(home, said)
            carried = take_up(home)
            results.append([at, torn, killed, len(said), len(carried)])
            if not killed:
                break
    print(json.dumps(results))


def live_with_faults(folder: Path, io: DurableIO) -> list[tuple[str, object]]:
    """The life until the disk refuses; what was acknowledged by then. Its process is then over: nothing holds a lock."""
    said: list[tuple[str, object]] = []
    try:
        live(folder, io, lambda what, value: said.append((what, value)))
    except StoreDown:
        pass  # the test is about what is on disk now
    finally:
        _close_all_below(folder)
    return said


def _close_all_below(folder: Path) -> None:
    """As the system does at the end of a process: nothing is written, every lock is free."""
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:
            continue  # that of this listing
        if target.startswith(f"{folder}/"):
            os.close(int(name))


__all__ = ["RunId", "judge", "live", "live_with_faults", "take_up"]

if __name__ == "__main__":
    main(Path(sys.argv[1]))
