"""Sessions: one app or terminal process each, its lock, and the runs that it answers for.

`sessions/<id>.json` holds the identity of the process, its runs and whether it ended cleanly; `<id>.lock` is held while
the process lives; `<id>.sock` is where it listens (bound by the engine, only named here). A run is listed before its
journal is made (ruling 18), so recovery opens only what a dead session left. A lock that is free says that the session
is dead, and nothing about its agents.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId, SessionId
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import OF_THE_DISK, StoreDamaged, StoreDown, StoreTooNew, disk_errors
from quarterdeck.store.lines import DamagedLine, frame, unframe
from quarterdeck.store.locks import HeldLock, is_locked, try_lock
from quarterdeck.store.machine import now, own_identity, process_identity
from quarterdeck.store.quarantine import Quarantine
from quarterdeck.store.regular import read_regular

log = logging.getLogger(__name__)
SESSION_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class SessionIdentity:
    """Who a session is. kind: `window` or `terminal`; times are Unix milliseconds."""

    session_id: SessionId
    kind: str
    boot: str
    pid: int
    start_ticks: int
    pid_ns: int
    started_wall_ms: int

    @staticmethod
    def of_this_process(kind: str, session_id: SessionId | None = None) -> SessionIdentity:
        """A new identity for the calling process."""
        own = own_identity()
        minted = session_id or SessionId(f"s-{os.urandom(16).hex()}")
        return SessionIdentity(minted, kind, own.boot, own.pid, own.start_ticks, own.pid_ns, now().wall_ms)


@dataclass(frozen=True, slots=True)
class DeadSession:
    """A session whose lock is free and that ended uncleanly or left runs.

    identity is None where its file cannot be read; then its runs are unknown and every unowned live run may be its.
    """

    session_id: SessionId
    identity: SessionIdentity | None
    runs: tuple[RunId, ...]
    clean: bool


class Session:
    """This process's own session; holds its lock until the end of the process or `end_clean`."""

    def __init__(self, io: DurableIO, path: Path, identity: SessionIdentity, lock: HeldLock) -> None:
        self._io, self._path, self._lock = io, path, lock
        self.identity = identity
        self._runs: list[RunId] = []

    @property
    def session_id(self) -> SessionId:
        """The session's id."""
        return self.identity.session_id

    @property
    def socket_path(self) -> Path:
        """Where the session listens; the engine binds it and unlinks a stale one."""
        return self._path.with_suffix(".sock")

    @property
    def runs(self) -> tuple[RunId, ...]:
        """Runs that the session answers for."""
        return tuple(self._runs)

    def list_run(self, run_id: RunId) -> None:
        """Durable when this returns; to be called before the run's journal is made or opened."""
        if run_id not in self._runs:
            self._write([*self._runs, run_id], clean=False)
            self._runs.append(run_id)

    def forget_run(self, run_id: RunId) -> None:
        """The run has ended and its record is durable. Written with the next change: forgetting late is harmless."""
        if run_id in self._runs:
            self._runs.remove(run_id)

    def end_clean(self) -> None:
        """Says that the process ends by intent; runs still listed stay listed. Releases the lock. Idempotent."""
        if self._lock.is_held:
            try:
                self._write(self._runs, clean=True)
            finally:
                self._lock.release()

    def look_at(self, runs: Iterable[RunId]) -> None:
        """Says which runs somebody looks at here, so that no process evicts them (ruling 16). Not synced: it ends with
        this process.
        """
        path = self._path.with_suffix(".views")
        with disk_errors(path):
            replace_file(self._io, path, frame({"runs": sorted(runs)}), folder_sync=False)

    def begin_file(self) -> None:
        """Writes the session's file for the first time. For `Sessions.begin` only."""
        self._write([], clean=False)

    def _write(self, runs: list[RunId], *, clean: bool) -> None:
        _write_session(self._io, self._path, self.identity, runs, clean=clean)


class TakenSession:
    """A dead session whose lock is now ours, for settling. The lock ends with `finish`, `release` or the process."""

    def __init__(
        self, io: DurableIO, path: Path, dead: DeadSession, lock: HeldLock, quarantine: Quarantine
    ) -> None:
        self._io, self._path, self._lock, self._quarantine = io, path, lock, quarantine
        self.dead = dead

    @property
    def runs(self) -> tuple[RunId, ...]:
        """Runs to be settled, as they stand in the file under the lock."""
        return self.dead.runs

    def finish(self) -> None:
        """Everything it left is settled: its files are removed, the lock last. A damaged file is set aside instead."""
        if self.dead.identity is None and self._path.exists():
            self._quarantine.take(self._path)
        with disk_errors(self._path):
            for path in (*map(self._path.with_suffix, (".sock", ".views")), self._path):
                try:
                    self._io.unlink(path)
                except FileNotFoundError:
                    continue
        self._lock.remove(self._io)

    def keep(self, runs: Collection[RunId]) -> None:
        """Only these are left to be settled. Nothing changes where that is so already, or where its runs are unknown."""
        kept = [run for run in self.dead.runs if run in runs]
        if self.dead.identity is not None and len(kept) < len(self.dead.runs):
            _write_session(self._io, self._path, self.dead.identity, kept, clean=self.dead.clean)

    def release(self) -> None:
        """Gives the lock back; the session stays dead and unsettled."""
        self._lock.release()


class Sessions:
    """All sessions of a store. Blocking: call it on a worker thread; each write is durable by itself."""

    def __init__(self, io: DurableIO, folder: Path, quarantine: Quarantine) -> None:
        self._io, self._folder, self._quarantine = io, folder, quarantine

    def begin(self, identity: SessionIdentity) -> Session:
        """Lock first, then the file, so that nobody ever sees a living session with a free lock."""
        path = self._path(identity.session_id)
        lock = try_lock(self._io, path.with_suffix(".lock"))
        if lock is None:
            raise StoreDamaged(str(path), "another process holds this session's lock")
        session = Session(self._io, path, identity, lock)
        try:
            session.begin_file()
        except BaseException:
            lock.release()
            raise
        return session

    def socket_path(self, session_id: SessionId) -> Path:
        """Where a session listens."""
        return self._path(session_id).with_suffix(".sock")

    def is_alive(self, session_id: SessionId) -> bool:
        """Whether the session's lock is held."""
        path = self._path(session_id).with_suffix(".lock")
        with disk_errors(path):
            return is_locked(path)

    def living(self) -> tuple[SessionId, ...]:
        """Sessions whose lock is held."""
        return tuple(session for session in self._ids() if self.is_alive(session))

    def is_gone(self, session_id: SessionId) -> bool:
        """Whether its process is known to be: its lock is free, or another process has it, to settle what it left."""
        return not self._may_be_held(session_id) or self.is_surely_gone(session_id)

    def being_settled(self) -> tuple[SessionId, ...]:
        """Sessions whose process is gone and whose lock another process has: it is settling what they left."""
        return tuple(one for one in self._ids() if self._may_be_held(one) and self.is_surely_gone(one))

    def _may_be_held(self, session_id: SessionId) -> bool:
        """As `is_alive`; a lock that the system does not let us see may be."""
        try:
            return self.is_alive(session_id)
        except StoreDown as error:
            if error.errno in OF_THE_DISK:
                raise
            return True

    def is_surely_gone(self, session_id: SessionId) -> bool:
        """Whether who began it is gone, whoever has its lock. Not where its file does not tell: a missing one proves nothing."""
        try:
            told = self._look(session_id)
        except StoreTooNew:
            return False
        return told is not None and told.identity is not None and is_process_gone(told.identity)

    def looked_at(self) -> frozenset[RunId]:
        """Runs that somebody looks at, in any living session."""
        found: set[RunId] = set()
        for session_id in self._ids():
            path = self._path(session_id).with_suffix(".views")
            if path.exists() and self.is_alive(session_id):
                try:
                    found.update(map(RunId, unframe(read_regular(path))["runs"]))
                except (OSError, StoreDamaged, DamagedLine, KeyError, TypeError):
                    continue  # its session ended, or wrote none
        return frozenset(found)

    def kind_of_owner(self, run_id: RunId) -> str:
        """`window` or `terminal`: what the living session is that lists the run; empty where none can be read that does."""
        for session_id in self._ids():
            told = self._look(session_id)
            if told is None or told.identity is None or run_id not in told.runs:
                continue
            if self.is_alive(session_id):
                return told.identity.kind
        return ""

    def may_list(self, run_id: RunId) -> bool:
        """Whether any session answers for the run, living or dead; also where one's file does not tell its runs."""
        for session_id in self._ids():
            try:
                told = self._look(session_id)
            except StoreTooNew:
                return True
            if told is not None and (told.identity is None or run_id in told.runs):
                return True
        return False

    def dead(self) -> tuple[DeadSession, ...]:
        """Sessions to be settled: lock free, and not clean or with runs left. Writes nothing.

        One that cannot be looked at, or that a newer version wrote, is among them, as one whose file cannot be read: `take`
        tells what is the matter.
        """
        found = (self._look_if_dead(session) for session in self._ids())
        return tuple(dead for dead in found if dead is not None and (not dead.clean or dead.runs))

    def take(self, dead: DeadSession) -> TakenSession | None:
        """The right to settle it; None where another process has it, or has settled it already.

        Raises StoreTooNew where only a newer version can, StoreDown.
        """
        path = self._path(dead.session_id)
        lock = try_lock(self._io, path.with_suffix(".lock"))
        if lock is None:
            return None
        fresh = self._look_under(lock, dead.session_id)
        if fresh is None:
            lock.remove(self._io)
            return None
        return TakenSession(self._io, path, fresh, lock, self._quarantine)

    def tidy(self) -> int:
        """Removes the files of sessions that ended cleanly and left nothing; returns how many."""
        tidied = 0
        for session_id in self._ids():
            try:
                if not self._is_over(session_id):
                    continue
                lock = try_lock(self._io, self._path(session_id).with_suffix(".lock"))
            except StoreDown as error:
                if error.errno in OF_THE_DISK:
                    raise
                log.warning("session %s is left for later: %s", session_id, error)
                continue
            except StoreTooNew:
                continue  # it stays for that version
            if lock is None:
                continue
            try:
                fresh = self._look_under(lock, session_id)
            except StoreTooNew:
                continue  # it stays for that version
            if fresh is not None and _is_over(fresh):
                TakenSession(self._io, self._path(session_id), fresh, lock, self._quarantine).finish()
                tidied += 1
            else:
                lock.release()
        return tidied

    def _is_over(self, session_id: SessionId) -> bool:
        """Asked before its lock is taken: who holds that of a session to be settled keeps it from being found dead."""
        seen = self._look(session_id)
        return seen is not None and _is_over(seen)

    def _ids(self) -> list[SessionId]:
        with disk_errors(self._folder):
            try:
                names = os.listdir(self._folder)
            except FileNotFoundError:
                return []
        return [
            SessionId(n.removesuffix(".json")) for n in sorted(names) if n.endswith(".json") and n[0] != "."
        ]

    def _path(self, session_id: SessionId) -> Path:
        if os.sep in session_id or session_id.startswith("."):
            raise ValueError(f"{session_id!r} is no session id")
        return self._folder / f"{session_id}.json"

    def _look_if_dead(self, session_id: SessionId) -> DeadSession | None:
        try:
            return None if self.is_alive(session_id) else self._look(session_id)
        except StoreDown as error:
            if error.errno in OF_THE_DISK:
                raise
        except StoreTooNew:
            pass  # passed over like a run of that version, and told by who would settle it
        return DeadSession(session_id, None, (), clean=False)

    def _look_under(self, lock: HeldLock, session_id: SessionId) -> DeadSession | None:
        """As `_look`; an error gives the lock back."""
        try:
            return self._look(session_id)
        except BaseException:
            lock.release()
            raise

    def _look(self, session_id: SessionId) -> DeadSession | None:
        path = self._path(session_id)
        with disk_errors(path):
            try:
                content = read_regular(path)
            except FileNotFoundError:
                return None
            except PermissionError:  # its runs are as unknown as those of a file that is torn
                return DeadSession(session_id, None, (), clean=False)
            except StoreDamaged:  # something else lies there: no session that can be settled or ended
                return None
        try:
            return _parse(session_id, unframe(content), path)
        except (DamagedLine, KeyError, TypeError):
            return DeadSession(session_id, None, (), clean=False)


def is_process_gone(identity: SessionIdentity) -> bool:
    """Whether the process has ended for sure; one of another PID namespace cannot be looked at."""
    own = own_identity()
    if identity.boot != own.boot:
        return True
    if identity.pid_ns != own.pid_ns or not identity.start_ticks:
        return False
    found = process_identity(identity.pid)
    return found is None or found.start_ticks != identity.start_ticks


def _is_over(session: DeadSession) -> bool:
    return session.clean and not session.runs


def _write_session(
    io: DurableIO, path: Path, identity: SessionIdentity, runs: list[RunId], *, clean: bool
) -> None:
    obj = {"schema": SESSION_SCHEMA, **asdict(identity), "runs": list(runs), "clean": clean}
    with disk_errors(path):
        replace_file(io, path, frame(obj))


def _parse(session_id: SessionId, obj: dict[str, Any], path: Path) -> DeadSession:
    if obj["schema"] > SESSION_SCHEMA:
        raise StoreTooNew(str(path), obj["schema"], SESSION_SCHEMA)
    fields = ("kind", "boot", "pid", "start_ticks", "pid_ns", "started_wall_ms")
    identity = SessionIdentity(session_id, *(obj[name] for name in fields))
    return DeadSession(session_id, identity, tuple(RunId(run) for run in obj["runs"]), bool(obj["clean"]))
