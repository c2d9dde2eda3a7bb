"""REC5, ruling 25, case 46: after a kill, a restart starts nothing, connects to nothing and changes nothing of others.

Traced by strace: the terminal's looks, and the real window (offscreen) two seconds long, then all its views.
Caches of Qt, fontconfig and Mesa lie in a folder of their own here and are let be.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.real import document, quarterdeck, running
from tests.e2e import traced
from tests.e2e.seen import marked, tree, wait_until
from tests.e2e.works import logs_of, python, shell, write_workflow

ROOT = Path(__file__).parents[2]
SPENDS = 'say("turn")\nsay("usage", cost_usd="0.07")\nnote("spent")\nwhile True: time.sleep(0.05)\n'
NAMES = {"DATA": "quarterdeck-data", "CONFIG": "quarterdeck-config", "LOG": "quarterdeck-log"}
pytestmark = [
    pytest.mark.skipif(bool(traced.can_trace()), reason=traced.can_trace() or "it can be traced"),
    pytest.mark.timeout(900),
]


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The workspace of two runs whose terminal was killed; nothing of them lives any more."""
    home = tmp_path / "workspace"
    home.mkdir()
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    file = write_workflow(home, {"a": python(SPENDS, home), "b": shell("touch ran")}, ("a", "b"))
    for number in (1, 2):
        (tmp_path / f"{number}").mkdir()
        with running(tmp_path / f"{number}", "run", file, "--json") as run:
            wait_until(lambda n=number: spent(home) == n, 30)
            run.process.kill()
            run.process.wait()
    wait_until(lambda: not marked(str(tmp_path).encode() + b"/"), 8, "agents outlive the app")
    return home


def spent(home: Path) -> int:
    """How many agents have said what they spent."""
    return sum(line["what"] == "spent" for log in logs_of(home).values() for line in log)


def own_folders(tmp_path: Path) -> list[Path]:
    """Ours, and the one for caches."""
    caches = tmp_path / "caches"
    caches.mkdir(exist_ok=True)
    return [caches, *(Path(os.environ.get(f"QUARTERDECK_{n}_DIR", tmp_path / p)) for n, p in NAMES.items())]


def environment(tmp_path: Path) -> dict[str, str]:
    caches = tmp_path / "caches"
    return {
        **os.environ,
        **{f"XDG_{name}": str(caches) for name in ("CACHE_HOME", "RUNTIME_DIR")},
        **{f"QUARTERDECK_{n}_DIR": str(p) for n, p in zip(NAMES, own_folders(tmp_path)[1:], strict=True)},
        "PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "1",  # the interpreter's own cache of programs is not the program's doing
        "QT_QPA_PLATFORM": "offscreen",
        "QUARTERDECK_TRACED": str(tmp_path),
    }


@pytest.mark.parametrize("verb", [("recover",), ("recover", "--json"), ("runs",), ("status",)])
def test_a_look_from_the_terminal_starts_nothing(tmp_path: Path, killed: Path, verb: tuple[str, ...]) -> None:
    log, before = tmp_path / "trace", tree(killed)
    process = traced.trace(
        log,
        *(sys.executable, "-m", "quarterdeck", *verb),
        env=environment(tmp_path),
        cwd=killed,
        stdout=subprocess.DEVNULL,
    )
    assert process.wait(120) == 0
    assert traced.faults_of(log, killed, *own_folders(tmp_path)) == []
    assert tree(killed) == before
    assert not marked(str(tmp_path).encode() + b"/")
    assert len(document("recover")["runs"]) == 2


@contextmanager
def window(tmp_path: Path, killed: Path, seconds: float) -> Iterator[Path]:
    """The real window, traced and left alone. Ended by SIGTERM."""
    log = tmp_path / "trace"
    process = traced.trace(
        log,
        *(sys.executable, "-m", "quarterdeck", str(killed)),
        env=environment(tmp_path),
        cwd=killed,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: _settled(tmp_path), 60, "the store is open")
        select.select([], [], [], seconds)  # what is shown to be absent needs its time
        yield log
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _settled(tmp_path: Path) -> bool:
    """The dead sessions were settled: both runs have their end in the journal."""
    (data,) = [p for p in own_folders(tmp_path) if p.name == NAMES["DATA"]]
    journals = list(data.glob("runs/*/journal.jsonl"))
    return len(journals) == 2 and all(b'"run_ended"' in path.read_bytes() for path in journals)


def test_the_window_starts_nothing_in_the_two_seconds_after_its_restart(tmp_path: Path, killed: Path) -> None:
    before = tree(killed)
    with window(tmp_path, killed, 2.0) as log:
        faults = traced.faults_of(log, killed, *own_folders(tmp_path))
        assert not marked(str(tmp_path).encode() + b"/")
    assert faults == []
    assert tree(killed) == before
    assert len(document("recover")["runs"]) == 2, "the prompt is still owed"


WINDOWS, AT_ONCE, OVER_VIEWS_S = 10, 5, 20.0


@dataclass
class Looker:
    """A traced window with a finger inside that goes over all views, on folders of its own."""

    home: Path
    process: subprocess.Popen[bytes]

    @property
    def own(self) -> list[Path]:
        return [self.home / "caches", *(self.home / place for place in NAMES.values())]

    def folders(self) -> dict[str, str]:
        return {f"QUARTERDECK_{n}_DIR": str(self.home / place) for n, place in NAMES.items()}


def looker(home: Path, data: Path, killed: Path, seconds: float) -> Looker:
    made = Looker(home, None)  # type: ignore[arg-type]
    (home / "caches").mkdir(parents=True)
    shutil.copytree(data, home / NAMES["DATA"], ignore=shutil.ignore_patterns("*.sock"))
    made.process = traced.trace(
        home / "trace",
        *(sys.executable, "-m", "tests.e2e.pressed_window", "look", str(killed), str(seconds)),
        env={
            **environment(home),
            **made.folders(),
            **{f"XDG_{name}": str(home / "caches") for name in ("CACHE_HOME", "RUNTIME_DIR")},
            "EVERY_MS": "250",
        },
        cwd=killed,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    return made


def wait_looked(one: Looker, killed: Path) -> list[str]:
    """Everything wrong that the trace shows once it has looked; the window is ended then."""
    assert one.process.stdout is not None
    try:
        ready, _, _ = select.select([one.process.stdout], [], [], 600)
        assert ready, "it never looked"
        assert one.process.stdout.readline() == b"looked\n"
        return traced.faults_of(one.home / "trace", killed, *one.own)
    finally:
        one.process.stdout.close()
        os.killpg(one.process.pid, signal.SIGTERM)
        try:
            one.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(one.process.pid, signal.SIGKILL)
            one.process.wait()


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.timeout(3000)
def test_no_view_of_ten_windows_starts_anything(tmp_path: Path, killed: Path, sweep: int) -> None:
    """Each twenty seconds over all views and dialogs, five at once: 200 seconds of windows."""
    before = tree(killed)
    (data,) = [p for p in own_folders(tmp_path) if p.name == NAMES["DATA"]]
    for wave in range(WINDOWS * min(sweep, 10) // AT_ONCE):
        homes = [tmp_path / f"w{wave}.{number}" for number in range(AT_ONCE)]
        lookers = [looker(home, data, killed, OVER_VIEWS_S) for home in homes]
        found = [wait_looked(one, killed) for one in lookers]
        assert found == [[]] * AT_ONCE
        for one in lookers:
            told = quarterdeck("recover", "--json", **one.folders())
            assert len(json.loads(told.stdout)["runs"]) == 2, "the prompt is still owed"
    assert not marked(str(tmp_path).encode() + b"/")
    assert tree(killed) == before


# ------------------------------------------------------------------------------------------- the oracle sees


FORBIDDEN = {
    "started": "import subprocess; subprocess.run(['true'])",
    "connected": "import socket; socket.socket().connect_ex(('127.0.0.1', 9))",
    "changed": "open('elsewhere/new', 'w').close()",
    "changed ": "import os; os.rename('elsewhere/old', 'elsewhere/older')",
    "changed  ": "import os; os.unlink('elsewhere/old')",
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_the_trace_shows_what_is_forbidden(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "old").touch()
    log = tmp_path / "trace"
    code = f"open('own/fine', 'w').close(); {FORBIDDEN[name]}"
    (tmp_path / "own").mkdir()
    process = traced.trace(log, sys.executable, "-I", "-S", "-c", code, cwd=tmp_path)
    assert process.wait(30) == 0
    (fault,) = {
        fault.split(" ")[0].rstrip(":") for fault in traced.faults_of(log, tmp_path, tmp_path / "own")
    }
    assert fault == name.strip()
