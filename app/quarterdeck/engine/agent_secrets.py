"""The secrets of agents: which variable gets which, read from the app's own environment (`env:NAME`). Values go nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quarterdeck.agents.registry import credential_variable
from quarterdeck.domain.workflow import AgentSpec, Workflow
from quarterdeck.engine.programs import ProgramProblem, used_agents


class SecretMissing(LookupError):
    """A variable that an agent needs is not set. The message names both."""


def read_secrets(agent: AgentSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """{variable of the agent: value}. Raises SecretMissing."""
    found = {}
    for variable, (_, source) in _wanted(agent).items():
        if source not in environ:
            raise SecretMissing(_missing_words(agent, source))
        found[variable] = environ[source]
    return found


def missing_secrets(workflow: Workflow, environ: Mapping[str, str]) -> Iterator[ProgramProblem]:
    """One problem for each variable that is not set and that an agent needs to which a node may be given."""
    for name in used_agents(workflow):
        agent = workflow.agents[name]
        for place, source in _wanted(agent).values():
            if source not in environ:
                yield ProgramProblem(_missing_words(agent, source), f"$.agents.{name}.{place}")


def _wanted(agent: AgentSpec) -> dict[str, tuple[str, str]]:
    """{variable of the agent: (place in the agent, variable of the app)}."""
    wanted = {
        variable: (f"secrets.{variable}", text.removeprefix("env:")) for variable, text in agent.secrets
    }
    if agent.credential is not None:
        source = agent.credential.removeprefix("env:")
        wanted[agent.credential_env or credential_variable(agent.kind) or source] = ("credential", source)
    return wanted


def _missing_words(agent: AgentSpec, source: str) -> str:
    return f"Agent “{agent.name}” needs the variable {source}, which is not set; set it before Quarterdeck is started."
