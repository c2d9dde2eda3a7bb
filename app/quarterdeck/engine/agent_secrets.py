"""What is missing of the secrets that agents need: judged at a launch by names alone, without reading any secret.

The secrets themselves are read at each claim (`sign_in_reading`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from quarterdeck.domain.sign_ins import ENV_PREFIX, Credential, CredentialKind
from quarterdeck.domain.workflow import AgentSpec, Workflow
from quarterdeck.engine.entry_fit import misfits
from quarterdeck.engine.programs import ProgramProblem, used_agents


class SecretMissing(LookupError):
    """A secret that an agent needs is not there. The message names both, and never a secret."""


def missing_secrets(
    workflow: Workflow, environ: Mapping[str, str], entries: Callable[[], Mapping[str, Credential]]
) -> Iterator[ProgramProblem]:
    """One problem for each variable or entry that is not there, or not for it, of the agents to which a node may be given.

    entries: reads the credentials list, called only where an agent names an entry of it. Raises what that raises.
    """
    listed: Mapping[str, Credential] | None = None
    for name in used_agents(workflow):
        agent = workflow.agents[name]
        for place, text in _wanted(agent):
            if text.startswith(ENV_PREFIX):
                variable = text.removeprefix(ENV_PREFIX)
            else:
                listed = entries() if listed is None else listed
                entry = listed.get(text)
                if entry is None:
                    yield ProgramProblem(no_entry_words(agent.name, text), f"$.agents.{name}.{place}")
                    continue
                if entry.kind is not CredentialKind.ENVIRONMENT:
                    continue
                variable = entry.variable
            if variable not in environ:
                yield ProgramProblem(missing_words(agent.name, variable), f"$.agents.{name}.{place}")
        for place, words in misfits(agent, listed or {}):
            yield ProgramProblem(words, f"$.agents.{name}.{place}")


def _wanted(agent: AgentSpec) -> Iterator[tuple[str, str]]:
    """(place in the agent, what is named there)."""
    for variable, text in agent.secrets:
        yield f"secrets.{variable}", text
    if agent.credential is not None:
        yield "credential", agent.credential


def missing_words(agent: str, source: str) -> str:
    """A variable is not set."""
    if not agent:
        return f"The variable {source} is not set; set it before Quarterdeck is started."
    return f"Agent “{agent}” needs the variable {source}, which is not set; set it before Quarterdeck is started."


def no_entry_words(agent: str, name: str) -> str:
    """The list has no such entry."""
    return (
        f"Agent “{agent}” needs the credential “{name}”, which is not in the list; add it under Sign-ins, "
        "or with `quarterdeck credentials set`."
    )


def no_secret_words(agent: str, name: str) -> str:
    """The entry is there and its secret is not."""
    needs = f"Agent “{agent}” needs the secret of" if agent else "There is no secret of"
    which = f"{needs} “{name}”"
    return (
        f"{which}, which is not in the keyring; save it under Sign-ins."
        if agent
        else f"{which} here; save it."
    )
