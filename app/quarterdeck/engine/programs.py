"""Where the program of a command is found (ADR 0010), and the folder in which it starts. Executes nothing."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.agents.registry import program_name
from quarterdeck.domain.workflow import Workflow
from quarterdeck.store.limits_file import program_folders
from quarterdeck.store.settings_part import FILE_NAME, config_folder


@dataclass(frozen=True, slots=True)
class ProgramProblem:
    """Why a program or folder cannot be used: one sentence that names the path tried. Falsy.

    `place` is its JSON path in the workflow file, empty where it was asked for by itself.
    """

    message: str
    place: str = ""

    def __bool__(self) -> bool:
        return False


def interpreter_folder() -> Path:
    """Where programs lie that were installed together with Quarterdeck."""
    return Path(os.path.abspath(sys.executable)).parent


def host_path() -> str:
    """The PATH of this process, and before it the folders that the settings add to it (`[programs] folders`), as the person's
    login shell has them: a script of such a folder finds the interpreter that lies beside it. Blocking: reads the settings.
    """
    parts = [part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if part]
    added = [one for one in program_folders(config_folder() / FILE_NAME) if one not in parts]
    return os.pathsep.join((*added, *parts))


def agent_path(host_path: str | None) -> str:
    """The PATH that an agent gets: the host's, and last the folder of programs installed with Quarterdeck."""
    own = str(interpreter_folder())
    parts = [part for part in (host_path or os.defpath).split(os.pathsep) if part]
    return os.pathsep.join(parts if own in parts else [*parts, own])


def find_program(program: str, folder: Path, host_path: str | None) -> Path | ProgramProblem:
    """The absolute path of `argv[0]`.

    With a slash it is a path, relative to the workflow's `folder`; else a name that is looked for in the folders of
    `host_path` and then beside the running interpreter. Links are kept as they are: a virtual environment's python
    must be called by its own name.
    """
    if not program.strip() or "\x00" in program:
        return ProgramProblem("The command names no program; write one as the first item of “argv”.")
    if "/" in program or program.startswith("~"):
        return _at(Path(os.path.abspath(folder / Path(program).expanduser())), program)
    refused: ProgramProblem | None = None
    for place in agent_path(host_path).split(os.pathsep):
        found = _at(Path(place) / program, program) if os.path.isabs(place) else None
        if isinstance(found, Path):
            return found
        if found is not None and refused is None and (Path(place) / program).is_file():
            refused = found
    if refused is not None:
        return refused
    return ProgramProblem(
        f"The program “{program[:200]}” is not installed: it is neither in a folder of PATH ({_cut(host_path or '')}) "
        f"nor in {interpreter_folder()}. Install it, or name its full path."
    )


def find_folder(text: str, folder: Path) -> Path | ProgramProblem:
    """The absolute folder in which an agent starts; empty text is the workflow's own folder."""
    if "\x00" in text:
        return ProgramProblem("The name of the folder holds the NUL character.")
    try:
        path = Path(os.path.abspath(folder / Path(text).expanduser())) if text.strip() else folder.absolute()
        is_there, is_folder = path.exists(), path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        return ProgramProblem(
            f"The folder “{text[:200]}” cannot be used: {getattr(error, 'strerror', None) or error}."
        )
    if not is_there:
        return ProgramProblem(f"The folder {path} is not there.")
    if not is_folder:
        return ProgramProblem(f"{path} is no folder; an agent cannot start in it.")
    if not os.access(path, os.X_OK):
        return ProgramProblem(f"The folder {path} may not be entered (permission).")
    return path


def find_programs(
    workflow: Workflow, folder: Path, host_path: str | None
) -> tuple[Mapping[str, str], tuple[ProgramProblem, ...]]:
    """The programs of all agents that nodes use ({agent name: absolute path}), and what is wrong with the others."""
    found: dict[str, str] = {}
    problems: list[ProgramProblem] = []
    for name in used_agents(workflow):
        agent = workflow.agents[name]
        wanted = program_name(agent)
        if not wanted:
            continue
        program = find_program(wanted, folder, host_path)
        if isinstance(program, Path):
            found[name] = str(program)
        else:
            place = f"$.agents.{name}." + ("argv[0]" if agent.argv else "kind")
            problems.append(ProgramProblem(program.message, place))
    return found, tuple(problems)


def used_agents(workflow: Workflow) -> Iterator[str]:
    """Names of the agents that a node may be given to, each once, in the order of the nodes."""
    names = [name for node in workflow.nodes for name in (node.agent, *node.alternatives) if name is not None]
    return iter(dict.fromkeys(names))


def _at(path: Path, program: str) -> Path | ProgramProblem:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ProgramProblem(f"The program “{program[:200]}” is not there: {path}.")
    except (OSError, ValueError) as error:
        return ProgramProblem(
            f"The program {path} cannot be used: {getattr(error, 'strerror', None) or error}."
        )
    if not stat.S_ISREG(mode):
        return ProgramProblem(
            f"{path} is no program: it is {'a folder' if stat.S_ISDIR(mode) else 'no regular file'}."
        )
    if not os.access(path, os.X_OK):
        return ProgramProblem(f"{path} is not executable; allow it with: chmod +x {path}")
    return path


def _cut(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "…"
