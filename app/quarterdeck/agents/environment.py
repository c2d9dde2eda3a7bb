"""Which variables of the host an agent sees (design §6). Pure: the host's environment comes in as an argument."""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.domain.workflow import AgentSpec

PASSED = frozenset({"HOME", "PATH", "USER", "LANG", "TZ", "TMPDIR", "TERM", "SHELL"})
PASSED_PREFIXES = ("LC_", "XDG_")
OWN_PREFIX = "QUARTERDECK_"


def agent_environment(
    host_env: Mapping[str, str], spec: AgentSpec, switches: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What is let through from the host, then the switches of its program, then the plain values of `env`, which win.

    Secrets and the QUARTERDECK_ variables of the attempt are added by the shim; those of the host never pass, not even
    by `pass_env`. `spec.env` must hold rendered values.
    """
    wanted = PASSED | set(spec.pass_env)
    passed = {
        name: value
        for name, value in host_env.items()
        if (name in wanted or name.startswith(PASSED_PREFIXES)) and not name.startswith(OWN_PREFIX)
    }
    own = {name: value for name, value in spec.env if not name.startswith(OWN_PREFIX)}
    return {**passed, **(switches or {}), **own}
