"""What the window asks of this computer: programs by their own word, sizes, the practice copy, exports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.looks import Scheme
from quarterdeck.domain.preferences import Preferences
from quarterdeck.engine import agent_look
from quarterdeck.engine.agent_look import look_for_agent
from quarterdeck.engine.local_household import (
    LocalHousehold,
    bundled_examples,
    copy_practice,
)
from quarterdeck.store.machine import process_identity


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Put a shell script of a name into an otherwise empty PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setenv("HOME", str(tmp_path))

    def put(name: str, body: str) -> Path:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return put


def household(tmp_path: Path) -> LocalHousehold:
    return LocalHousehold(tmp_path / "data", bundled_examples(), tmp_path / "config")


async def test_agent_programs_are_listed_with_path_and_version(
    program: Callable[[str, str], Path], tmp_path: Path
) -> None:
    path = program("claude", "echo '2.1.277 (Claude Code)'")
    program("codex", "echo codex-cli 0.58.0-alpha.1")
    program("gemini", "exit 3")
    looked = await household(tmp_path).look_for_agents()
    found = {p.name: p for p in looked.programs}
    assert found["claude"].path == str(path)
    assert found["claude"].version == "2.1.277"
    assert found["codex"].version == "0.58.0-alpha.1"
    assert (found["gemini"].version, found["gemini"].fault) == ("", "It did not tell its version (exit 3).")
    assert found["opencode"].path == found["qwen"].path == ""


def test_a_program_that_does_not_answer_is_ended_with_what_it_started(
    program: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(agent_look, "VERSION_WAIT_S", 0.3)
    told = tmp_path / "pids"
    program("qwen", f"/bin/sleep 60 & echo $! $$ > {told}; wait")
    found = look_for_agent("qwen")
    assert "did not tell its version within 0.3 s" in found.fault
    left = [int(pid) for pid in told.read_text().split()]
    assert len(left) == 2
    end = time.monotonic() + 10
    while any(
        process_identity(pid) is not None for pid in left
    ):  # KILL was sent; the kernel takes its moment
        assert time.monotonic() < end, f"still alive: {left}"
        time.sleep(0.01)


def test_the_practice_copy_is_made_once_and_never_written_over(tmp_path: Path) -> None:
    folder = copy_practice(bundled_examples(), tmp_path / "examples")
    file = folder / "practice-night.workflow.json"
    assert file.read_bytes() == (bundled_examples() / file.name).read_bytes()
    file.write_text("mine")
    copy_practice(bundled_examples(), tmp_path / "examples")
    assert file.read_text() == "mine"
    assert [p.name for p in folder.iterdir()] == [file.name]


async def test_settings_that_cannot_be_kept_are_told(tmp_path: Path) -> None:
    house = household(tmp_path)
    assert await house.keep_preferences(Preferences(scheme=Scheme.DARK)) == ""
    assert (await house.preferences()).preferences.scheme is Scheme.DARK
    (tmp_path / "config" / "settings.toml").write_text("[")
    assert "settings.toml is not a TOML file" in await house.keep_preferences(Preferences())


async def test_a_program_of_the_person_gets_its_arguments_as_they_are(tmp_path: Path) -> None:
    """No shell: what an agent is called cannot start anything."""
    script = tmp_path / "tell"
    script.write_text(
        f'#!/bin/sh\nprintf "%s|" "$@" > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/told\n'
    )
    script.chmod(0o755)
    assert await household(tmp_path).start_program((str(script), "$(touch x); `id`", "a b")) == ""
    for _ in range(500):
        if (tmp_path / "told").exists():
            break
        await asyncio.sleep(0.01)
    assert (tmp_path / "told").read_text() == "$(touch x); `id`|a b|"
    assert "did not start" in await household(tmp_path).start_program((str(tmp_path / "none"),))
    assert "NUL" in (said := await household(tmp_path).start_program(("\x00",))) or "did not start" in said


async def test_a_program_that_did_not_start_is_told_by_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A desktop without `notify-send` shows no notice: somewhere it is said."""
    await household(tmp_path).start_program((str(tmp_path / "notify-send"), "--", "3 runs need you"))
    (record,) = [record for record in caplog.records if "did not start" in record.getMessage()]
    assert "notify-send" in record.getMessage()
    assert "need you" not in record.getMessage()


@pytest.mark.parametrize("bus", ["", "address", "socket"])
async def test_no_notice_starts_a_message_bus_where_the_desktop_has_none(
    program: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bus: str
) -> None:
    """`notify-send` would start one by itself, and nobody would ever end it."""
    program("notify-send", f': > "{tmp_path}/started"')
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    if bus == "address":
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    elif bus == "socket":
        (tmp_path / "bus").touch()
    said = await household(tmp_path).start_program(("notify-send", "--", "3 runs need you"))
    assert ("no message bus" in said) is (bus == "")
    while bus and not (tmp_path / "started").exists():
        await asyncio.sleep(0.01)
    assert (tmp_path / "started").exists() is (bus != "")


async def test_an_export_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    assert await household(tmp_path).write_text(tmp_path / "runs.csv", "a\r\n") == ""
    assert (tmp_path / "runs.csv").read_bytes() == b"a\r\n"
    assert "cannot be written" in await household(tmp_path).write_text(tmp_path / "no" / "runs.csv", "a")
