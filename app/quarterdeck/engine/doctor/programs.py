"""Agent programs: which are here, in which version, and where. Blocking; starts them and the login shell."""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.engine.agent_look import look_for_agents
from quarterdeck.engine.doctor.findings import Finding, Health
from quarterdeck.engine.household import AgentProgram, AgentsLooked

NONE_HERE = "None of the agent programs that Quarterdeck knows is installed here; commands and practice agents work without."


def examine_programs(looked: AgentsLooked | None = None) -> Iterator[Finding]:
    """One finding for each program that is here, then one that names the others. looked: a look that was taken already."""
    looked = looked if looked is not None else look_for_agents()
    for program in looked.programs:
        if program.path:
            yield _of(program)
    missing = [program.name for program in looked.programs if not program.path]
    if len(missing) == len(looked.programs):
        yield Finding("programs", "Agent programs", Health.NOTE, NONE_HERE, facts={"missing": missing})
    elif missing:
        said = f"Not found: {', '.join(missing)}."
        yield Finding("programs", "Other agent programs", Health.FINE, said, facts={"missing": missing})
    if looked.shell_fault:
        yield Finding("login-shell", "Login shell", Health.NOTE, looked.shell_fault)


def _of(program: AgentProgram) -> Finding:
    facts = {"path": program.path, "version": program.version, "only_in_login_shell": program.only_in_login}
    said = f"{program.version or 'Its version is not known'} at {program.path}."
    health, to_do = Health.FINE, ""
    if program.fault:
        health, said = Health.NOTE, f"{said} {program.fault}"
        to_do = f"Start it once by hand: {program.path} --version"
    if program.only_in_login:
        health = Health.NOTE
        said = f"{said} Only your login shell finds it: agents started here would not."
        to_do = f"Add {program.folder} to [programs] folders in the settings, or press *Look there too* in the window."
    return Finding(f"program.{program.name}", program.name, health, said, to_do, facts)
