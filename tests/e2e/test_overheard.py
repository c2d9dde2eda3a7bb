"""The ear of the force-quits hears what is forbidden after a restart, and is silent about what is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTEN = """
import os, sys
from pathlib import Path
from tests.e2e.overheard import overhear
overhear(lambda words: os.write(1, words.encode() + b"\\n"), Path("own"))
"""
FORBIDDEN = {
    "started: subprocess": "import subprocess; subprocess.run(['true'])",
    "started: fork": "if os.fork() == 0: os._exit(0)\nos.wait()",
    "started: exec": "os.execv('/bin/true', ['true'])",
    "signalled": "os.kill(os.getpid(), 10)",
    "connected": "import socket; socket.socket().connect_ex(('127.0.0.1', 9))",
    "changed: new": "open('elsewhere/new', 'w').close()",
    "changed: renamed": "os.rename('own/old', 'elsewhere/old')",
    "changed: removed": "os.unlink('elsewhere/there')",
    "changed: by descriptor": "os.open('elsewhere/new', os.O_WRONLY | os.O_CREAT)",
}
ALLOWED = "open('own/new', 'w').close(); os.rename('own/new', 'own/newer'); open('elsewhere/there').read(); os.kill(os.getpid(), 0)"


def heard(folder: Path, source: str) -> list[str]:
    (folder / "own").mkdir()
    (folder / "elsewhere").mkdir()
    (folder / "own" / "old").touch()
    (folder / "elsewhere" / "there").touch()
    said = subprocess.run(
        [sys.executable, "-c", LISTEN + "import signal; signal.signal(10, signal.SIG_IGN)\n" + source],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return said.stdout.decode().splitlines()


@pytest.mark.parametrize("name", FORBIDDEN)
def test_it_hears_what_is_forbidden(tmp_path: Path, name: str) -> None:
    said = heard(tmp_path, FORBIDDEN[name])
    assert said
    assert {line.split(" ")[0].rstrip(":") for line in said} == {name.split(":")[0]}


def test_it_is_silent_about_what_is_allowed(tmp_path: Path) -> None:
    assert heard(tmp_path, ALLOWED) == []
