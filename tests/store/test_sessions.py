"""Sessions and their locks (ruling 18), machine identities, attempt folders and leases."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.ids import AttemptId, SessionId
from quarterdeck.store import machine
from quarterdeck.store.attempts import AttemptFolder
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreDown
from quarterdeck.store.lines import frame
from quarterdeck.store.locks import HeldLock, try_lock
from quarterdeck.store.sessions import SessionIdentity
from tests.store.builders import new_run, run_id

MakeStore = Callable[..., Store]
ROOT = Path(__file__).parents[2]
A1 = AttemptId("a-1")


def identity() -> SessionIdentity:
    return SessionIdentity.of_this_process("window")


def dying_session(folder: Path, then: str) -> SessionId:
    """A session of another process, which lists one run and then does `then`."""
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom quarterdeck.store.data_folder import Store\n"
        "from quarterdeck.store.sessions import SessionIdentity\n"
        "store = Store.open(Path(sys.argv[1]))\n"
        "session = store.sessions.begin(SessionIdentity.of_this_process('terminal'))\n"
        f"session.list_run({run_id()!r})\nprint(session.session_id, flush=True)\n{then}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "app")},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    assert done.returncode in (0, -signal.SIGKILL)
    return SessionId(done.stdout.strip())


def test_a_living_session_is_not_dead_and_a_clean_one_needs_no_settling(store: Store) -> None:
    session = store.sessions.begin(identity())
    session.list_run(run_id())
    assert store.sessions.dead() == ()
    assert store.sessions.is_alive(session.session_id)
    assert store.sessions.kind_of_owner(run_id()) == "window"
    session.forget_run(run_id())
    session.end_clean()
    session.end_clean()
    assert not store.sessions.is_alive(session.session_id)
    assert store.sessions.dead() == ()
    assert store.sessions.tidy() == 1
    assert list((store.folder / "sessions").iterdir()) == []


def test_a_killed_session_is_dead_with_its_runs_and_settled_once(store: Store, make_store: MakeStore) -> None:
    session_id = dying_session(store.folder, "os.kill(os.getpid(), signal.SIGKILL)")
    assert store.sessions.kind_of_owner(run_id()) == "", "what died owns nothing"
    (dead,) = store.sessions.dead()
    assert (dead.session_id, dead.runs, dead.clean) == (session_id, (run_id(),), False)
    assert dead.identity is not None
    assert (dead.identity.kind, dead.identity.boot) == ("terminal", machine.boot_id())
    assert machine.process_identity(dead.identity.pid) != (dead.identity.start_ticks, dead.identity.pid_ns)
    other = make_store()
    taken = store.sessions.take(dead)
    assert taken is not None
    assert other.sessions.take(dead) is None
    taken.release()
    again = other.sessions.take(dead)
    assert again is not None
    again.finish()
    assert store.sessions.take(dead) is None
    assert store.sessions.dead() == ()
    assert list((store.folder / "sessions").iterdir()) == []


def test_a_session_that_ended_by_intent_but_left_runs_is_to_be_settled(store: Store) -> None:
    dying_session(store.folder, "session.end_clean()")
    (dead,) = store.sessions.dead()
    assert dead.clean
    assert dead.runs == (run_id(),)
    assert store.sessions.tidy() == 0


def test_a_session_file_that_cannot_be_read_counts_as_dead_with_unknown_runs(store: Store) -> None:
    dying_session(store.folder, "os.kill(os.getpid(), signal.SIGKILL)")
    (path,) = (store.folder / "sessions").glob("*.json")
    path.write_bytes(b"")
    (dead,) = store.sessions.dead()
    assert dead.identity is None


def test_the_socket_lies_beside_the_session(store: Store) -> None:
    session = store.sessions.begin(identity())
    assert session.socket_path == store.folder / "sessions" / f"{session.session_id}.sock"
    assert store.sessions.socket_path(session.session_id) == session.socket_path
    session.end_clean()


# ---------------------------------------------------------------------------- looking and taking

LOOKER = """
import sys
from pathlib import Path
from quarterdeck.store.locks import is_locked
print("looks", flush=True)
while True:
    is_locked(Path(sys.argv[1]))
"""


def test_who_only_looks_at_a_lock_keeps_nobody_from_taking_it(tmp_path: Path) -> None:
    """A run must not wait for a later look, nor a person be refused, because a list was read at that instant."""
    path = tmp_path / "lock"
    path.touch()
    lookers = [
        subprocess.Popen([sys.executable, "-c", LOOKER, str(path)], stdout=subprocess.PIPE) for _ in range(2)
    ]
    try:
        for looker in lookers:
            assert looker.stdout is not None
            assert looker.stdout.readline() == b"looks\n"
        for number in range(2_000):
            lock = try_lock(DurableIO(), path)
            assert lock is not None, f"try {number}"
            lock.release()
    finally:
        for looker in lookers:
            looker.kill()
            looker.communicate()


def test_a_lock_that_another_holds_is_told_at_once_and_one_that_a_looker_hangs_on_before_long(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lock"
    held = try_lock(DurableIO(), path)
    assert held is not None
    assert try_lock(DurableIO(), path) is None
    held.release()
    with open(path, "rb") as hangs:
        fcntl.flock(hangs, fcntl.LOCK_SH)
        assert try_lock(DurableIO(), path) is None
    again = try_lock(DurableIO(), path)
    assert again is not None
    again.release()


def test_tidying_takes_the_lock_of_no_session_that_is_to_be_settled(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks just then would take it for alive and pass it over."""
    dead = store.sessions.begin(identity())
    dead.list_run(run_id())
    dead._lock.release()
    over = store.sessions.begin(identity())
    over.end_clean()
    taken: list[Path] = []

    def watched(io: DurableIO, path: Path) -> HeldLock | None:
        taken.append(path)
        return try_lock(io, path)

    monkeypatch.setattr("quarterdeck.store.sessions.try_lock", watched)
    assert store.sessions.tidy() == 1
    assert [path.stem for path in taken] == [over.session_id]


def test_a_session_that_tidying_cannot_look_at_is_left_and_told_in_the_log(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its errors are the file's, not the disk's: the others are tidied all the same."""
    odd, over = store.sessions.begin(identity()), store.sessions.begin(identity())
    odd.end_clean()
    over.end_clean()

    def failing(io: DurableIO, path: Path) -> HeldLock | None:
        if path.stem == odd.session_id:
            raise StoreDown(errno.ENXIO, str(path))
        return try_lock(io, path)

    monkeypatch.setattr("quarterdeck.store.sessions.try_lock", failing)
    assert store.sessions.tidy() == 1
    assert f"session {odd.session_id} is left for later: " in caplog.text


# ---------------------------------------------------------------------------- machine


def test_the_identity_of_a_process_ends_with_it() -> None:
    own = machine.own_identity()
    assert machine.process_identity(os.getpid()) == (own.start_ticks, own.pid_ns)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        found = machine.process_identity(child.pid)
        assert found is not None
        assert found.start_ticks >= own.start_ticks
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert machine.process_identity(child.pid) is None, "a zombie is gone"
    assert machine.process_identity(child.pid) is None


def test_a_moment_has_both_clocks() -> None:
    one, two = machine.now(), machine.now()
    assert one.boot == two.boot == machine.boot_id() != ""
    assert two.boot_ms >= one.boot_ms > 0
    assert one.wall_ms > 1_600_000_000_000


# ---------------------------------------------------------------------------- attempts


@pytest.fixture
def attempt(store: Store) -> AttemptFolder:
    new_run(store).close()
    return store.attempts.create(run_id(), A1, {"schema": 1, "argv": ["größe"]})


def test_an_attempt_folder_holds_its_launch_and_files(store: Store, attempt: AttemptFolder) -> None:
    assert store.attempts.launch(run_id(), A1) == {"schema": 1, "argv": ["größe"]}
    assert attempt.write_file("context.json", b"{}").read_bytes() == b"{}"
    with pytest.raises(ValueError, match="plain file name"):
        attempt.write_file("../x", b"")
    with pytest.raises(StoreDown):
        store.attempts.create(run_id(), A1, {"schema": 1})
    assert store.attempts.ids(run_id()) == (A1,)


def test_a_lease_is_held_until_its_last_copy_is_closed(store: Store, attempt: AttemptFolder) -> None:
    """SCM_RIGHTS and inheritance share one open file description; the engine's own close changes nothing."""
    assert store.attempts.lease_is_free(run_id(), A1)
    fd = attempt.create_lease()
    assert not os.get_inheritable(fd)
    here, there = socket.socketpair()
    with here, there:
        socket.send_fds(here, [b"x"], [fd])
        _, (copy,), _, _ = socket.recv_fds(there, 1, 1)
    os.close(fd)
    assert not store.attempts.lease_is_free(run_id(), A1)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(copy,))
    os.close(copy)
    assert not store.attempts.lease_is_free(run_id(), A1)
    child.communicate(b"\n")
    assert store.attempts.lease_is_free(run_id(), A1)
    with pytest.raises(StoreDown):
        attempt.create_lease()


def test_a_gap_in_reports_is_told_and_ends_the_reading(store: Store, attempt: AttemptFolder) -> None:
    content = frame({"seq": 1}) + frame({"seq": 2}) + frame({"seq": 4})
    attempt.reports_path.write_bytes(content)
    read = store.attempts.reports(run_id(), A1)
    assert [obj["seq"] for obj in read.objects] == [1, 2]
    assert read.damage[0].offset == len(frame({"seq": 1}) + frame({"seq": 2}))


def test_a_report_without_its_end_is_counted_not_given(store: Store, attempt: AttemptFolder) -> None:
    assert store.attempts.reports(run_id(), A1).objects == ()
    attempt.reports_path.write_bytes(frame({"seq": 1}) + b'{"seq":2')
    read = store.attempts.reports(run_id(), A1)
    assert (len(read.objects), read.torn_bytes, read.damage) == (1, 8, ())


def test_an_exit_file_proves_only_when_it_is_whole(store: Store, attempt: AttemptFolder) -> None:
    assert store.attempts.exit_file(run_id(), A1) is None
    attempt.exit_path.write_bytes(frame({"schema": 1, "tree_empty": True}))
    assert store.attempts.exit_file(run_id(), A1) == {"schema": 1, "tree_empty": True}
    attempt.exit_path.write_bytes(frame({"schema": 1, "tree_empty": True})[:-9])
    assert store.attempts.exit_file(run_id(), A1) is None


def test_a_transcript_is_read_in_pieces_also_from_its_end(store: Store, attempt: AttemptFolder) -> None:
    assert store.attempts.transcript(run_id(), A1, 0, 10) is None
    attempt.transcript_path.write_bytes(b"0123456789")
    assert store.attempts.transcript(run_id(), A1, 2, 3) == (2, b"234", 10)
    assert store.attempts.transcript(run_id(), A1, -4, 100) == (6, b"6789", 10)
    assert store.attempts.transcript(run_id(), A1, -400, 2) == (0, b"01", 10)
    assert store.attempts.transcript(run_id(), A1, 400, 2) == (10, b"", 10)


def test_folders_without_a_durable_claim_are_swept_unless_somebody_holds_their_lease(
    store: Store, attempt: AttemptFolder
) -> None:
    held = store.attempts.create(run_id(), AttemptId("a-2"), {"schema": 1})
    store.attempts.create(run_id(), AttemptId("a-3"), {"schema": 1})
    fd = held.create_lease()
    assert store.attempts.sweep(run_id(), {A1}) == ("a-3",)
    assert store.attempts.ids(run_id()) == ("a-1", "a-2")
    os.close(fd)
    assert store.attempts.sweep(run_id(), {A1}) == ("a-2",)
