"""The real program in a process of its own: help, usage errors, and what it costs to import."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quarterdeck.__main__ import main
from quarterdeck.cli import exits
from quarterdeck.cli.program import run_program
from quarterdeck.cli.window_call import window_path
from tests.cli.call import MemorySink

HEAVY = (
    "PySide6",
    "shiboken6",
    "qasync",
    "acp",
    "mcp",
    "genai_prices",
    "jinja2",
    "pydantic",
    "rich",
    "orjson",
    "psutil",
)
VERBS = [
    "run",
    "runs",
    "show",
    "logs",
    "status",
    "pause",
    "continue",
    "stop",
    "answer",
    "withdraw",
    "reassign",
    "claim",
    "resume",
    "recover",
    "probe",
    "settle",
    "export",
    "check",
]


def quarterdeck(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return subprocess.run(
        [sys.executable, "-m", "quarterdeck", *arguments],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def loaded_by(code: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {name.split(".")[0] for name in told.stdout.splitlines()}


def test_importing_the_terminal_loads_neither_qt_nor_an_sdk() -> None:
    verbs = "acting checking detail history launching questions reopening supervise transcripts program"
    everything = "; ".join(f"import quarterdeck.cli.{name}" for name in verbs.split())
    assert not loaded_by(everything) & set(HEAVY)


def test_help_loads_neither_qt_nor_an_sdk() -> None:
    code = (
        "import contextlib, io, quarterdeck.__main__\n"
        "sys.argv = ['quarterdeck', '--help']\n"
        "with contextlib.redirect_stdout(io.StringIO()): assert quarterdeck.__main__.main() == 0"
    )
    assert not loaded_by(code) & set(HEAVY)


@pytest.mark.parametrize("arguments", [["show", "r-none"], ["runs"], ["stop", "r-none"]])
def test_a_verb_that_reads_no_workflow_file_loads_no_pydantic(arguments: list[str]) -> None:
    """A quarter of what such a call costs; typer 0.29 loads it for every option."""
    code = (
        "import contextlib, io, quarterdeck.__main__\n"
        f"sys.argv = ['quarterdeck', *{arguments}]\n"
        "with contextlib.redirect_stdout(io.StringIO()): quarterdeck.__main__.main()"
    )
    assert "pydantic" not in loaded_by(code)


def test_help_names_every_verb_and_every_exit_code() -> None:
    told = quarterdeck("--help")
    assert told.returncode == 0
    assert all(f"\n  {verb} " in told.stdout for verb in VERBS)
    assert "130 Ctrl+C" in told.stdout
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", "--bogus"),
        ("run", "x.workflow.json", "--input", "noequals"),
        ("run", "x.workflow.json", "--input", "a=1", "--input", "a=2"),
        ("pause", "r-1"),
        ("runs", "--state", "sleeping"),
        ("logs", "r-1", "--follow", "--json"),
        ("reassign", "r-1", "lint"),
        ("reassign", "r-1", "lint", "--reason", "x", "--agent", "a", "--class", "b"),
        ("resume", "r-1", "lint", "--reason", "x", "--budget", "much"),
        ("rnus",),
        ("--bogus",),
    ],
)
def test_a_wrong_command_line_is_one_sentence_and_exit_2(arguments: tuple[str, ...]) -> None:
    out, err = MemorySink(), MemorySink()
    code = call_in_process(arguments, out, err)
    assert code == exits.USAGE
    assert (out.text != "") == ("--json" in arguments)
    assert len(err.text.splitlines()) == 1
    assert err.text.rstrip().endswith((".", "`.", "?"))


def test_a_wrong_command_line_with_json_is_a_document_with_a_code() -> None:
    out, err = MemorySink(), MemorySink()
    assert call_in_process(("show", "--json"), out, err) == exits.USAGE
    document = json.loads(out.text)
    assert document["code"] == "E_USAGE"
    assert document["message"] == err.text.rstrip("\n")


def test_a_mistyped_verb_is_answered_with_the_right_one() -> None:
    out, err = MemorySink(), MemorySink()
    call_in_process(("rnus",), out, err)
    assert "Did you mean `quarterdeck runs`?" in err.text


def test_a_path_opens_the_window_and_nothing_else_does(tmp_path: Path) -> None:
    opened: list[Path | None] = []
    out, err = MemorySink(), MemorySink()
    assert call_in_process((str(tmp_path),), out, err, opened) == 0
    assert call_in_process((), out, err, opened) == 0
    assert call_in_process((str(tmp_path), "more"), out, err, opened) == exits.USAGE
    assert opened == [tmp_path, None]


def test_without_a_display_the_window_says_what_to_do() -> None:
    told = quarterdeck()
    assert told.returncode == exits.USAGE
    assert "no display" in told.stderr
    assert len(told.stderr.splitlines()) == 1


def test_what_opens_the_window_loads_no_verb_before_it() -> None:
    """P8: typer, and what the verbs load, would hold up the first paint."""
    code = (
        "import quarterdeck.__main__ as program\n"
        "sys.argv = ['quarterdeck', '.']\n"
        "program._open_window = lambda path: 2\n"
        "assert program.main() == 2"
    )
    assert not loaded_by(code) & {"typer", "asyncio", "pydantic"}


@pytest.mark.parametrize(
    ("argv", "opened"),
    [
        ([], ""),
        (["."], "."),
        (["/"], "/"),
        (["--help"], None),
        (["runs"], None),
        (["--", "."], None),
        ([".", "."], None),
        (["./nothing-here"], None),
        (["a.workflow.json"], None),
    ],
)
def test_a_path_that_is_there_and_can_be_no_verb_is_for_the_window(
    argv: list[str], opened: str | None
) -> None:
    assert window_path(argv) == opened


def test_a_fault_while_the_window_opens_is_told_as_any_other(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(path: Path | None) -> int:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("quarterdeck.__main__._open_window", broken)
    monkeypatch.setattr(sys, "argv", ["quarterdeck"])
    monkeypatch.setattr(gc, "set_threshold", lambda *_: None)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    assert main() == exits.INTERNAL
    told = capfd.readouterr().err
    assert "Traceback" not in told
    assert str(tmp_path / "quarterdeck-data" / "log" / "quarterdeck.log") in told


def test_a_fault_of_our_own_is_one_sentence_with_the_place_of_the_log(tmp_path: Path) -> None:
    def broken(path: Path | None) -> int:
        raise ZeroDivisionError("on purpose")

    out, err = MemorySink(), MemorySink()
    code = run_program([], open_window=broken, console=_console(out, err))
    log = tmp_path / "quarterdeck-data" / "log" / "quarterdeck.log"
    assert code == exits.INTERNAL
    assert str(log) in err.text
    assert "Traceback" not in err.text
    assert "on purpose" in log.read_text()


def _console(out: MemorySink, err: MemorySink):  # type: ignore[no-untyped-def]
    from quarterdeck.cli.console import Console

    return Console(out, err, None)


class NoEngine:
    """A usage error must be found before an engine is asked for."""

    def __init__(self, starts_agents: bool) -> None:
        return

    def prepare(self) -> None:
        return

    async def open(self, *, read_only: bool) -> object:
        from tests.cli.fake_door import FakeDoor

        return FakeDoor()

    def close(self) -> None:
        return


def call_in_process(
    arguments: tuple[str, ...], out: MemorySink, err: MemorySink, opened: list[Path | None] | None = None
) -> int:
    def open_window(path: Path | None) -> int:
        (opened if opened is not None else []).append(path)
        return 0

    return run_program(
        arguments,
        open_window=open_window,
        new_source=NoEngine,
        console=_console(out, err),  # type: ignore[arg-type]
    )


def test_a_verb_that_only_looks_loads_no_runs_and_reads_no_journal(tmp_path: Path) -> None:
    """P17: what `runs` costs is mostly what it loads."""
    code = (
        "import sys; sys.argv = ['quarterdeck', 'runs', '--json']\n"
        "from quarterdeck.__main__ import main\n"
        "assert main() == 0\n"
        "print(*sorted(name for name in sys.modules if name.startswith('quarterdeck.')), file=sys.stderr)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "QUARTERDECK_DATA_DIR": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.removeprefix("quarterdeck.") for name in told.stderr.split()}
    assert "engine.service" in loaded
    heavy = {"engine.live_runs", "engine.foreign", "engine.launching", "engine.settling", "engine.door"}
    heavy |= {"engine.disk_views", "domain.join", "domain.events", "domain.run_fold", "store.workflow_file"}
    assert not loaded & heavy
