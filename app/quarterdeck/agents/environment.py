"""Which variables of the host an agent sees (design §6). Pure: the host's environment comes in as an argument."""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.agents.sign_ins import PROGRAMS, PROVIDERS
from quarterdeck.domain.mcp_servers import variables_of
from quarterdeck.domain.sign_ins import SECRET_NAME
from quarterdeck.domain.workflow import AgentSpec

PASSED = frozenset({"HOME", "PATH", "USER", "LANG", "TZ", "TMPDIR", "TERM", "SHELL"})
PASSED_PREFIXES = ("LC_", "XDG_")
OWN_PREFIX = "QUARTERDECK_"


def agent_environment(
    host_env: Mapping[str, str], spec: AgentSpec, switches: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What every agent sees of the host, then the switches of its program, then the plain values of `env`, which win.

    It stands in a file, so what `pass_env` names is not in it: that goes the way of secrets (`passed_values`). Secrets and the
    QUARTERDECK_ variables of the attempt are added by the shim. `spec.env` must hold rendered values.
    """
    passed = {name: value for name, value in host_env.items() if _is_for_all(name)}
    own = {name: value for name, value in spec.env if not name.startswith(OWN_PREFIX)}
    return {**passed, **(switches or {}), **own}


def passed_values(host_env: Mapping[str, str], spec: AgentSpec) -> dict[str, str]:
    """{variable: value} of what `pass_env` lets through: any of them may hold a key, so they lie in no file (case 140).

    It outranks the switches of a program; what `env` says outranks it. The QUARTERDECK_ variables of the host never pass.
    """
    own = {name for name, _ in spec.env}
    return {
        name: host_env[name]
        for name in spec.pass_env
        if name in host_env and name not in own and not _is_for_all(name) and not name.startswith(OWN_PREFIX)
    }


def passed_secrets(spec: AgentSpec) -> tuple[str, ...]:
    """The variables of `pass_env` that are taken for secrets: keys of known services, those that MCP servers refer to, names such as X_TOKEN."""
    keys = {name for one in PROGRAMS.values() for name in one.key_variables}
    keys |= {name for one in PROVIDERS.values() for name in one.variables}
    keys |= set(variables_of(spec.mcp_servers))
    return tuple(
        name
        for name in spec.pass_env
        if not _is_for_all(name) and (name in keys or SECRET_NAME.fullmatch(name) is not None)
    )


def _is_for_all(name: str) -> bool:
    return name in PASSED or name.startswith(PASSED_PREFIXES)
