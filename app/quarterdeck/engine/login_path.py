"""The PATH of the person's login shell (case 131): a window that a desktop starts often has a shorter one. Blocking.

The shell is started only when a person asks to look (ruling 25): with an argument list, no input, and bounded in time.
It reads the person's own start files, as each of their terminals does.
"""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.engine.bounded_program import ask
from quarterdeck.engine.look_environment import look_environment

WAIT_S = 10.0
MARK = "quarterdeck-path"
SAY_PATH = f"printf '\\n{MARK}=%s\\n' \"$PATH\""
"""Understood by each shell below; its start files may print before and after."""
FLAGS = {
    "bash": "-ilc",
    "zsh": "-ilc",
    "fish": "-ilc",
    "ksh": "-ilc",
    "mksh": "-ilc",
    "sh": "-lc",
    "dash": "-lc",
}
"""Interactive where that reads more: nvm and its like stand in `.bashrc` and `.zshrc`."""


@dataclass(frozen=True, slots=True)
class LoginPath:
    """shell: its path, empty where the person has none. folders: absolute, in order. fault: why there are none, in words."""

    shell: str
    folders: tuple[str, ...] = ()
    fault: str = ""


def login_path(shell: str | None = None) -> LoginPath:
    """Ask the login shell of this person. shell: another one instead."""
    shell = shell or os.environ.get("SHELL") or _shell_of_account()
    flags = FLAGS.get(Path(shell).name) if os.path.isabs(shell) else None
    if flags is None:
        return LoginPath(shell, fault=f"The login shell “{shell}” is not one that can be asked for its PATH.")
    answer = ask(
        (shell, flags, SAY_PATH), look_environment(os.environ, TERM="dumb"), WAIT_S, bytes_max=200_000
    )
    said = [
        line.partition("=")[2]
        for line in answer.out.decode("utf-8", "surrogateescape").splitlines()
        if line.startswith(f"{MARK}=")
    ]
    if not said:
        why = answer.fault or f"it ended with exit {answer.code}"
        return LoginPath(shell, fault=f"The login shell {shell} did not tell its PATH: {why}.")
    parts = (part for part in said[-1].split(os.pathsep) if os.path.isabs(part))
    return LoginPath(shell, tuple(dict.fromkeys(parts)))


def _shell_of_account() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return ""
