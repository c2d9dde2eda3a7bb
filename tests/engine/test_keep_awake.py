"""The machine is kept awake exactly while an agent lives, where the person asked for it (case 128, ruling 25).

The inhibitor is a program named `systemd-inhibit` on PATH that writes down when it held the lock; agents write down when
they lived. The clock of both is the machine's monotonic one.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from quarterdeck.engine.keep_awake import CannotInhibit, Inhibitor, KeepAwake
from quarterdeck.engine.service import Engine
from tests.e2e.seen import wait_until
from tests.engine.works import FOREVER, PYTHON, launch, python, shows, to_end, until, write

HOLDS = """#!{python} -ISu
import json, os, subprocess, sys, time
if "--refuse" in {more!r}:
    sys.exit("Failed to inhibit: no bus")
def note(what):
    with open({log!r}, "a") as log:
        log.write(json.dumps({{"at": time.monotonic(), "what": what, "pid": os.getpid(), "argv": sys.argv[1:]}}) + "\\n")
at = next(n for n, word in enumerate(sys.argv) if n and not word.startswith("--"))
note("held")
code = subprocess.call(sys.argv[at:])
note("let go")
sys.exit(code)
"""
LIVES = """
open("life.%s" % os.environ["QUARTERDECK_ATTEMPT"], "w").write(str(time.monotonic()))
time.sleep(0.2)
open("death.%s" % os.environ["QUARTERDECK_ATTEMPT"], "w").write(str(time.monotonic()))
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the program writes; the setting is on."""
    return install(tmp_path, monkeypatch)


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str = "", setting: str = "true") -> Path:
    log, programs, settings = tmp_path / "held.jsonl", tmp_path / "programs", tmp_path / "settings"
    programs.mkdir()
    settings.mkdir()
    program = programs / "systemd-inhibit"
    program.write_text(HOLDS.format(python=PYTHON, log=str(log), more=more))
    program.chmod(0o755)
    (settings / "settings.toml").write_text(f"[power]\nkeep_awake = {setting}\n")
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(settings))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return log


def told(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def spans(log: Path) -> list[tuple[float, float]]:
    """From when to when the lock was held."""
    lines = told(log)
    assert [line["what"] for line in lines] == ["held", "let go"] * (len(lines) // 2)
    return [(float(str(a["at"])), float(str(b["at"]))) for a, b in zip(lines[::2], lines[1::2], strict=True)]


async def test_it_is_held_exactly_while_an_agent_lives(engine: Engine, tmp_path: Path, log: Path) -> None:
    """Case 128: two agents at once and one after them; nothing before the launch, nothing after the end."""
    assert not log.exists(), "nothing is started before a person acts (ruling 25)"
    agents = {name: python(LIVES) for name in "abc"}
    await to_end(engine, write(tmp_path / "work", agents, ("a", "c"), ("b", "c")))
    held = spans(log)
    for life in (tmp_path / "work").glob("life.*"):
        began, ended = (
            float(life.with_name(life.name.replace("life", n)).read_text()) for n in ("life", "death")
        )
        assert any(start <= began and ended <= end for start, end in held), (began, ended, held)
    assert 1 <= len(held) <= 3
    assert all("--what=sleep:idle" in str(line["argv"]) for line in told(log))


async def test_it_is_not_held_while_a_run_waits_for_a_person(
    engine: Engine, tmp_path: Path, log: Path
) -> None:
    """A live run without a living agent keeps nothing awake."""
    ask = {"ask": {"kind": "approval", "question": "Go on?"}}
    run = await launch(engine, write(tmp_path / "work", {"a": python(LIVES)}, ("a", "ask"), nodes=ask))
    view = await until(engine, run, shows("ask", "Needs you"))
    assert view.is_live
    wait_until(lambda: len(told(log)) == 2, 5, "it is let go")
    assert len(spans(log)) == 1


async def test_without_the_setting_it_is_never_started(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = install(tmp_path, monkeypatch, setting="false")
    await to_end(engine, write(tmp_path / "work", {"a": python(LIVES)}))
    assert not log.exists()


@pytest.mark.parametrize("why", ["refuses", "missing"])
async def test_where_it_cannot_be_had_that_is_said_once_and_agents_work(
    engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    why: str,
) -> None:
    install(tmp_path, monkeypatch, more="--refuse")
    if why == "missing":
        (tmp_path / "programs" / "systemd-inhibit").unlink()
        monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            view = await to_end(engine, write(tmp_path / "work", {"a": python("say('output', value=1)")}))
            assert view.slots[0].display == "Done"
    (said,) = [record.getMessage() for record in caplog.records if "kept awake" in record.getMessage()]
    assert ("no bus" in said) is (why == "refuses")


@pytest.mark.parametrize(
    "error", [CannotInhibit("no bus"), OSError("no such pipe"), ValueError("a bad setting")]
)
@pytest.mark.parametrize("where", ["make", "begin"])
async def test_what_was_refused_is_asked_for_again_only_once_no_agent_lives(
    error: Exception, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Twenty agents never queue for a refusal each; no error of it reaches an agent."""
    asked: list[str] = []

    class Refuses:
        def begin(self) -> None:
            raise error

        def end(self) -> None:
            raise AssertionError("it never began")

    def make() -> Inhibitor:
        asked.append("make")
        if where == "make":
            raise error
        return Refuses()

    awake = KeepAwake(make)
    for times in (1, 2):
        async with AsyncExitStack() as agents:
            for _ in range(20):
                await agents.enter_async_context(awake.while_alive())
        assert len(asked) == times
    assert len(caplog.records) == 1, "said once"


async def test_an_inhibitor_that_cannot_be_ended_harms_no_agent(caplog: pytest.LogCaptureFixture) -> None:
    class Sticks:
        def begin(self) -> None:
            pass

        def end(self) -> None:
            raise OSError("it does not go")

    async with KeepAwake(Sticks).while_alive():
        pass
    assert "kept awake until" in caplog.text


def test_the_inhibitor_dies_with_the_app(tmp_path: Path, log: Path) -> None:
    """SIGKILL: the pipe ends with the app, and with it the lock."""
    file = write(tmp_path / "work", {"a": python(FOREVER)})
    app = subprocess.Popen(
        [sys.executable, "-m", "quarterdeck", "run", str(file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "QUARTERDECK_DATA_DIR": str(tmp_path / "data")},
    )
    try:
        wait_until(lambda: told(log), 30, "it holds the lock")
    finally:
        app.send_signal(signal.SIGKILL)
        app.wait()
    wait_until(lambda: [line["what"] for line in told(log)] == ["held", "let go"], 5, "the lock is let go")
    wait_until(lambda: not Path(f"/proc/{told(log)[0]['pid']}").exists(), 5, "the program is gone")
