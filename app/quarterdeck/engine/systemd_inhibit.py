"""Keeping a Linux machine awake by `systemd-inhibit`: a child process that lives as long as a pipe of ours is open.

It runs `cat`, which echoes a line once the lock is held, and ends at the end of its stdin. So the inhibitor dies with the
app however that ends, and with it the lock. Arguments are a list; there is no shell.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess

from quarterdeck.engine.keep_awake import CannotInhibit, Inhibitor
from quarterdeck.store.limits_file import keeps_awake
from quarterdeck.store.settings_part import FILE_NAME, config_folder

PROGRAM = "systemd-inhibit"
ANSWERS_WITHIN_S = 2.0
"""Longer than this no agent waits for the lock."""
ENDS_WITHIN_S = 2.0


class SystemdInhibitor:
    """One child, from `begin` to `end`."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Start it. Raises CannotInhibit."""
        program, cat = shutil.which(PROGRAM), shutil.which("cat")
        if program is None or cat is None:
            raise CannotInhibit(missing_program())
        what = ("--what=sleep:idle", "--mode=block", "--who=Quarterdeck", "--why=Agents are at work")
        try:
            child = subprocess.Popen(
                [program, *what, cat],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                cwd="/",
            )
        except OSError as error:
            raise CannotInhibit(f"{program} cannot be started: {error.strerror or error}.") from error
        if not _is_held(child):
            raise CannotInhibit(f"{PROGRAM} refused: {_last_words(child)}")
        self._child = child

    def end(self) -> None:
        """Close its pipe, and wait for its end."""
        child, self._child = self._child, None
        if child is not None:
            _end(child)


def missing_program() -> str:
    """Why this computer cannot be kept awake, in words, as far as is seen without a try; empty where it may be."""
    if all(shutil.which(name) for name in (PROGRAM, "cat")):
        return ""
    return f"there is no program {PROGRAM} on this computer."


def _is_held(child: subprocess.Popen[bytes]) -> bool:
    """Whether the line that was sent came back: the program that is started under the lock runs."""
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        os.write(child.stdin.fileno(), b"\n")
    except BrokenPipeError:
        return False
    ready, _, _ = select.select([child.stdout], [], [], ANSWERS_WITHIN_S)
    return bool(ready) and os.read(child.stdout.fileno(), 1) == b"\n"


def _last_words(child: subprocess.Popen[bytes]) -> str:
    assert child.stderr is not None
    stderr = os.dup(child.stderr.fileno())
    _end(child)
    ready, _, _ = select.select([stderr], [], [], 0)
    said = os.read(stderr, 2_000) if ready else b""
    os.close(stderr)
    lines = [line.strip() for line in said.decode(errors="replace").split("\n")]
    return next((line for line in lines if line), f"it said nothing, exit code {child.returncode}.")


def _end(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    try:
        child.wait(ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def wanted_inhibitor() -> Inhibitor | None:
    """The way of this system where the settings ask for it, else None; blocking."""
    return SystemdInhibitor() if keeps_awake(config_folder() / FILE_NAME) else None
