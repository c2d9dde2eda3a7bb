"""Looking for the known agent programs, and asking each for its version. Blocking; only on a person's click (ruling 25).

First where agents are started from, then in the PATH of the person's login shell; what only that one has is told as such.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from quarterdeck.agents.registry import programs_looked_for
from quarterdeck.engine.bounded_program import ask
from quarterdeck.engine.household import AgentProgram, AgentsLooked
from quarterdeck.engine.login_path import login_path
from quarterdeck.engine.look_environment import look_environment
from quarterdeck.engine.programs import agent_path, host_path

AGENT_PROGRAMS = programs_looked_for()
VERSION_WAIT_S = 5.0
VERSION_SHOWN_MAX = 60
_NUMBERS = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")


def look_for_agents() -> AgentsLooked:
    """All programs at once, each in a thread of its own, after the login shell has told its PATH."""
    login = login_path()
    with ThreadPoolExecutor(len(AGENT_PROGRAMS)) as pool:
        found = tuple(pool.map(partial(look_for_agent, login=login.folders), AGENT_PROGRAMS))
    return AgentsLooked(found, login.fault)


def look_for_agent(name: str, login: Sequence[str] = ()) -> AgentProgram:
    """Where a program is, and what it answers to `--version` within some seconds. login: folders of the login shell."""
    own = _absolute(agent_path(host_path()))
    path = shutil.which(name, path=own)
    is_from_login = path is None
    if path is None:
        path = shutil.which(name, path=os.pathsep.join(login)) if login else None
        own = os.pathsep.join(login)
    if path is None:
        return AgentProgram(name)
    answer = ask((path, "--version"), look_environment(os.environ, PATH=own), VERSION_WAIT_S)
    found = AgentProgram(name, path, only_in_login=is_from_login)
    return _with_version(found, answer.code, answer.out[:4000].decode("utf-8", "replace"), answer.fault)


def _with_version(found: AgentProgram, code: int | None, said: str, fault: str) -> AgentProgram:
    _, is_start, why = fault.partition(" did not start: ")
    if is_start:
        return replace(found, fault=f"It did not start: {why}.")
    if code is None:
        return replace(found, fault=f"It did not tell its version within {VERSION_WAIT_S:g} s.")
    first = said.strip().split("\n", 1)[0].strip()
    if code != 0 or not first:
        return replace(found, fault=f"It did not tell its version (exit {code}).")
    number = _NUMBERS.search(first)
    return replace(found, version=(number.group() if number else first)[:VERSION_SHOWN_MAX])


def _absolute(path: str) -> str:
    """What starts must not depend on the current folder (ADR 0010)."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part))
