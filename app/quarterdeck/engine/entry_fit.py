"""Whether an agent may get the key of an entry: never one that would take it to another service than the entry is for.

Pure: judged by the workflow and the list alone, at the launch and again at each claim, before any secret is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quarterdeck.agents.sign_ins import (
    PROGRAMS,
    PROVIDERS,
    credential_variable,
    owner_of,
    provider_of,
    service_of,
)
from quarterdeck.domain.sign_ins import ENV_PREFIX, Credential, CredentialKind
from quarterdeck.domain.workflow import AgentSpec


class WrongEntry(ValueError):
    """The key of an entry would go to another service than it is for, or its endpoint to nobody; says so in words."""


def variable_of(agent: AgentSpec, entry: Credential | None) -> str:
    """In which variable an agent gets its credential; empty where nothing says so."""
    if agent.credential_env:
        return agent.credential_env
    if entry is not None and entry.variable:
        return entry.variable
    own = credential_variable(agent.kind, entry.program if entry is not None else "")
    if agent.credential is not None and agent.credential.startswith(ENV_PREFIX):
        named, known = agent.credential.removeprefix(ENV_PREFIX), PROGRAMS.get(agent.kind)
        return named if own is None or (known is not None and named in known.key_variables) else own
    return own or ""


def misfits(agent: AgentSpec, entries: Mapping[str, Credential]) -> Iterator[tuple[str, str]]:
    """(place in the agent, why it may not get that entry there, in a sentence)."""
    for variable, name in agent.secrets:
        if name in entries:
            for words in _faults(agent, entries[name], variable, signs_in=False):
                yield f"secrets.{variable}", words
    entry = entries.get(agent.credential or "")
    if entry is not None:
        for words in _faults(agent, entry, variable_of(agent, entry), signs_in=True):
            yield "credential", words


def _faults(agent: AgentSpec, entry: Credential, variable: str, *, signs_in: bool) -> Iterator[str]:
    service, owner, known = service_of(entry.program), owner_of(variable), PROGRAMS.get(agent.kind)
    one = known.provider if known is not None else ""
    if signs_in and service and one and service != one:
        yield (
            f"Agent “{agent.name}” is of the kind “{agent.kind}”, whose key goes to {one}; the entry “{entry.name}” is for "
            f"“{entry.program}”. Name another entry, or say in this one what it is for."
        )
    if service in PROVIDERS and owner is not None and owner.name != service:
        yield (
            f"Agent “{agent.name}” wants the entry “{entry.name}” in {variable}, which takes it to {owner.name}; the entry is for "
            f"“{entry.program}”."
        )
    if signs_in and service in PROVIDERS and not entry.endpoint and _is_led_elsewhere(agent, entry):
        yield (
            f"Agent “{agent.name}” would take the key of the entry “{entry.name}” to an address of its own; the entry is for "
            f"“{entry.program}”. Write the address as the endpoint of an entry."
        )
    if signs_in and entry.endpoint and not _hands_over(agent, entry, variable):
        yield (
            f"Agent “{agent.name}” cannot be told where the entry “{entry.name}” is to be used ({entry.endpoint}): "
            f"{_why_not(agent, entry)}"
        )


def _is_led_elsewhere(agent: AgentSpec, entry: Credential) -> bool:
    """Whether the workflow gives the program another base URL than that of the service."""
    known = PROGRAMS.get(agent.kind)
    if known is None or not known.endpoint_variable or entry.kind is CredentialKind.OWN_LOGIN:
        return False
    named = {name for name, _ in (*agent.env, *agent.secrets)} | set(agent.pass_env)
    return known.endpoint_variable in named


def _hands_over(agent: AgentSpec, entry: Credential, variable: str) -> bool:
    """Whether the agent is told the endpoint: by a variable, by its launch, or by the workflow itself."""
    known = PROGRAMS.get(agent.kind)
    if known is not None and known.endpoint_variable:
        return True
    if known is not None and known.is_led:
        is_key = entry.kind is not CredentialKind.OWN_LOGIN
        return is_key and (bool(known.provider) or provider_of(entry.program, variable) is not None)
    return any(entry.endpoint in text for text in (*agent.argv, *(value for _, value in agent.env)))


def _why_not(agent: AgentSpec, entry: Credential) -> str:
    known = PROGRAMS.get(agent.kind)
    if known is not None and entry.kind is CredentialKind.OWN_LOGIN:
        return "its own login is for the service where it signed in."
    if known is not None:
        return "say in the entry which provider it is for."
    return "write the endpoint in its `env` or `argv` as well, as only the workflow knows how the program takes it."
