"""What holds for every test: a data folder of its own, and nothing left behind.

Isolation: each test has its own QUARTERDECK_DATA_DIR and QUARTERDECK_CONFIG_DIR, and no display.
Leak checks (style rule 33), after the test's own fixtures have been torn down: threads, child processes, processes that
carry the test's folder in their environment (a daemon that left the tree), open descriptors of files in that folder, active
QTimers, top-level widgets, and tasks that were still pending when their loop closed. A leaked process is ended, so that the next test is judged fairly.
A test that uses a fixture of wider scope than "function" out of tests/ is judged at the end of the session.
"""

from __future__ import annotations

import asyncio
import asyncio.runners
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import psutil
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_API", "pyside6")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

hypothesis.settings.register_profile(
    "quarterdeck",
    deadline=None,  # the machine may be busy; time is not what a property is about
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("quarterdeck")

LEAK_DEADLINE_S = 2.0
PROCESS_DEADLINE_S = 8.0  # a shim that lost its app may use its grace of 4 s

# ------------------------------------------------------------------------------------------- isolation


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith("QUARTERDECK_") and n != "QUARTERDECK_SWEEP"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("QUARTERDECK_DATA_DIR", str(tmp_path / "quarterdeck-data"))
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(tmp_path / "quarterdeck-config"))


@pytest.fixture(autouse=True)
def _garbage_stays_on_this_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """A Qt object in a cycle must not be collected by a worker thread (ADR 0031)."""
    if request.node.get_closest_marker("window") is None:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.enable()


@pytest.fixture
def sweep() -> int:
    """The factor by which sweeps are longer than usual (QUARTERDECK_SWEEP, at least 1)."""
    return max(1, int(os.environ.get("QUARTERDECK_SWEEP", "1")))


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Coroutines run on asyncio's own loop; those marked ``qt_loop`` on Qt's, through qasync."""
    if item.get_closest_marker("qt_loop") is None:
        return {"asyncio": asyncio.new_event_loop}
    return {"qasync": _new_qt_loop}


def _new_qt_loop() -> asyncio.AbstractEventLoop:
    from PySide6.QtWidgets import QApplication

    from quarterdeck.ui.loop import new_loop

    app = QApplication.instance() or QApplication([])
    if isinstance(app, QApplication):
        app.setQuitOnLastWindowClosed(False)
    return new_loop(app)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collecting makes a million objects and hardly any garbage: looking for it meanwhile is two thirds of the work.

    What it has made stays to the end. Frozen, it is looked through no more, neither by Python's collector nor by
    `_active_timers`: both together would take two seconds for each test.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("display"):  # one X server has one focus: one process at a time
            item.add_marker(pytest.mark.xdist_group("display"))
        if _shows_windows(item):
            item.add_marker(pytest.mark.window)


def _shows_windows(item: pytest.Item) -> bool:
    """Whether Qt's application lives in the test's own process."""
    fixtures = getattr(item, "fixturenames", ())
    return "qapp" in fixtures or item.get_closest_marker("qt_loop") is not None


# ------------------------------------------------------------------------------------------- leaks


@dataclass
class Traces:
    """What is alive at one moment, by identity."""

    threads: set[int] = field(default_factory=set)
    processes: set[tuple[int, float]] = field(default_factory=set)
    widgets: set[int] = field(default_factory=set)
    timers: set[int] = field(default_factory=set)


def _children() -> dict[tuple[int, float], psutil.Process]:
    found = {}
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                found[(child.pid, child.create_time())] = child
        except psutil.NoSuchProcess:
            continue
    return found


def _carriers(folder: Path) -> dict[tuple[int, float], psutil.Process]:
    """Processes with `folder` in their environment: those that left this process's tree are among them."""
    mark, found = os.fsencode(folder) + b"/", {}
    for entry in Path("/proc").glob("[0-9]*/environ"):
        pid = int(entry.parent.name)
        try:
            if pid != os.getpid() and mark in entry.read_bytes():
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    found[(pid, process.create_time())] = process
        except (OSError, psutil.NoSuchProcess):
            continue
    return found


def _descriptors(folder: Path) -> dict[int, str]:
    """Open files below `folder`, removed ones too: a thousand of them, and `select` fails in a test that did nothing."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:
            continue  # that of this listing itself, or closed meanwhile
        if target.startswith(f"{folder}/"):
            found[int(name)] = target
    return found


def _threads() -> list[threading.Thread]:
    """Python's own. Of a thread that Qt started (qasync's pool) Python keeps a dummy for ever, also once it has ended."""
    return [t for t in threading.enumerate() if not isinstance(t, threading._DummyThread)]


def _qt_application() -> Any:
    widgets = sys.modules.get("PySide6.QtWidgets")
    return widgets.QApplication.instance() if widgets else None


def _widgets() -> dict[int, Any]:
    app = _qt_application()
    if app is None or not hasattr(app, "topLevelWidgets"):
        return {}
    # Qt keeps one tooltip label of its own for the whole application.
    return {id(w): w for w in app.topLevelWidgets() if w.objectName() != "qtooltip_label"}


def _active_timers() -> dict[int, Any]:
    if _qt_application() is None:
        return {}
    core, shiboken = sys.modules["PySide6.QtCore"], sys.modules["shiboken6"]
    timers = [o for o in gc.get_objects() if issubclass(type(o), core.QTimer)]
    return {id(t): t for t in timers if shiboken.isValid(t) and t.isActive()}


def _look() -> Traces:
    return Traces(
        threads={t.ident or 0 for t in _threads()},
        processes=set(_children()),
        widgets=set(_widgets()),
        timers=set(_active_timers()),
    )


def _flush_deferred_deletes() -> None:
    if _qt_application() is not None:
        core = sys.modules["PySide6.QtCore"]
        core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete)
        core.QCoreApplication.processEvents()


def _wait_gone(look: Callable[[], dict[Any, Any]], deadline_s: float) -> dict[Any, Any]:
    """What `look` still finds once it found nothing, or once the deadline passed."""
    end = time.monotonic() + deadline_s
    while left := look():
        if time.monotonic() > end:
            return left
        time.sleep(0.01)  # this is a condition with a deadline, polled: threads and processes send no signal
    return {}


def _end(processes: list[psutil.Process]) -> None:
    for process in processes:
        try:
            process.kill()  # psutil compares the start time first: a reused pid is left alone
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(processes, timeout=2)


def _leaks(before: Traces, folder: Path | None) -> list[str]:
    def threads() -> dict[int, threading.Thread]:
        return {t.ident or 0: t for t in _threads() if (t.ident or 0) not in before.threads}

    def processes() -> dict[tuple[int, float], psutil.Process]:
        alive = _children() | (_carriers(folder) if folder else {})
        return {key: p for key, p in alive.items() if key not in before.processes}

    said = [f"thread {t.name!r}" for t in _wait_gone(threads, LEAK_DEADLINE_S).values()]
    left = list(_wait_gone(processes, PROCESS_DEADLINE_S).values())
    said += [f"process {_describe(p)}" for p in left]
    _end(left)
    if folder is not None:
        said += [
            f"open {path!r}" for path in _wait_gone(lambda: _descriptors(folder), LEAK_DEADLINE_S).values()
        ]
    return said + _qt_leaks(before)


def _describe(process: psutil.Process) -> str:
    try:
        return f"{process.pid} {' '.join(process.cmdline())[:160]!r}"
    except psutil.Error:
        return str(process.pid)


def _qt_leaks(before: Traces) -> list[str]:
    if _qt_application() is None:
        return []
    _flush_deferred_deletes()
    new = [w for key, w in _widgets().items() if key not in before.widgets]
    if new or any(key not in before.timers for key in _active_timers()):
        gc.collect()  # a window in a reference cycle is slow to go, not leaked
        _flush_deferred_deletes()
    said = [f"widget {w!r}" for key, w in _widgets().items() if key not in before.widgets]
    return said + [f"active timer {t!r}" for key, t in _active_timers().items() if key not in before.timers]


def _shares_fixtures(item: pytest.Item) -> bool:
    info = getattr(item, "_fixtureinfo", None)
    definitions = [d for ds in info.name2fixturedefs.values() for d in ds] if info else []
    return any(
        d.scope != "function" and "/tests/" in (d.func.__code__.co_filename) for d in definitions if _plain(d)
    )


def _plain(definition: Any) -> bool:
    return hasattr(definition.func, "__code__")


BEFORE = pytest.StashKey[Traces]()
_pending_tasks: list[str] = []


def pytest_sessionstart(session: pytest.Session) -> None:
    session.stash[BEFORE] = _look()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    item.stash[BEFORE] = _look()
    _pending_tasks.clear()
    yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    yield
    said = [] if item.get_closest_marker("leaves_tasks") else [f"pending {t}" for t in _pending_tasks]
    if nextitem is None:
        said += _leaks(item.session.stash[BEFORE], folder)
    elif not _shares_fixtures(item):
        said += _leaks(item.stash[BEFORE], folder)
    if said:
        item.session.stash[BEFORE] = _look()  # told once
        pytest.fail("left behind: " + "; ".join(said), pytrace=False)


def _remember_pending_tasks() -> None:
    """Look at each loop as it closes, before asyncio cancels what is left in it.

    There is no public hook for it; `asyncio.Runner` (asyncio.run, pytest-asyncio, our own) calls this one function.
    """
    cancel_all = asyncio.runners._cancel_all_tasks  # type: ignore[attr-defined]

    def look_first(loop: asyncio.AbstractEventLoop) -> None:
        _pending_tasks.extend(repr(task) for task in asyncio.all_tasks(loop))
        cancel_all(loop)

    asyncio.runners._cancel_all_tasks = look_first  # type: ignore[attr-defined]


_remember_pending_tasks()
