"""Which secrets the agents of a run were given, the values that are known of them now, and which are not. Blocking.

No file holds a secret or anything made of one, so a value is known only while its source still has it. What was given to an agent
by this process is known as well, whatever became of its source. Nothing here claims more than that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from quarterdeck.agents.environment import passed_secrets
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.sign_ins import ENV_PREFIX
from quarterdeck.domain.workflow import AgentSpec, Workflow
from quarterdeck.engine.disk_views import read_state
from quarterdeck.engine.entry_fit import variable_of
from quarterdeck.engine.pinning import PinMissing, read_workflow
from quarterdeck.engine.programs import used_agents
from quarterdeck.engine.recovery import UnsoughtSecret
from quarterdeck.engine.redacting import SHORTEST_SECRET
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError

NOT_SET = "its variable is not set here"
NOT_THERE = "its entry or the secret of it is not there now"
TOO_SHORT = "it is too short to be told from other text"
NAMES_UNKNOWN = "the pinned workflow cannot be read, so it is not known which secrets its agents were given"


Named = tuple[tuple[str, str], ...]
"""(variable of the agent, source)."""


@dataclass(frozen=True, slots=True)
class KeptSecrets:
    """of_entries: {name: secret} of those entries of the credentials list that can be read now; None: a program's own login,
    of which nothing is held here. handed: secrets that agents got from this process.
    """

    of_entries: Callable[[Iterable[str]], Mapping[str, str | None]]
    handed: Callable[[], Iterable[str]] = tuple
    unasked: Callable[[Iterable[str]], Mapping[str, str | None]] = lambda names: {}
    """As of_entries, of those that can be read without asking a keyring: nobody is to unlock one for a look at a run."""


@dataclass(frozen=True, slots=True)
class SoughtSecrets:
    """values: {name: secret}. sought: what they are of, as (variable of the agent, source). unsought: all others."""

    values: Mapping[str, str]
    sought: tuple[tuple[str, str], ...] = ()
    unsought: tuple[UnsoughtSecret, ...] = ()


def secrets_to_seek(store: Store, run: RunId, kept: KeptSecrets | None) -> SoughtSecrets:
    """Of every agent that a node of the run may have been given to; a run whose pins are gone has one that nothing is known of."""
    handed = _handed(kept)
    named = named_secrets(store, run)
    if named is None:
        return SoughtSecrets(handed, unsought=(UnsoughtSecret("", "", NAMES_UNKNOWN),))
    found = _found(named, kept)
    sought, unsought = [], []
    for variable, source in named:
        value = found.get(source, "")
        if value is None:
            continue
        if len(value) >= SHORTEST_SECRET:
            sought.append((variable, source))
        else:
            unsought.append(UnsoughtSecret(variable, source, _why(source, value)))
    return SoughtSecrets({**handed, **_by_name(found)}, tuple(sought), tuple(unsought))


def named_secrets(store: Store, run: RunId) -> Named | None:
    """As the pinned workflow names them, which never changes; None where that cannot be read now."""
    try:
        return tuple(
            dict.fromkeys(_named(read_workflow(store.objects.get, read_state(store, run).pins.workflow)))
        )
    except (PinMissing, StoreError, ValueError):
        return None


def known_values(named: Named | None, kept: KeptSecrets) -> frozenset[str]:
    """Those values that are known without asking a keyring; what cannot be read now is not among them."""
    found = _found(named or (), KeptSecrets(kept.unasked, kept.handed))
    return frozenset({**_handed(kept), **_by_name(found)}.values())


def _by_name(found: Mapping[str, str | None]) -> dict[str, str]:
    """{name: value}: a variable by its name alone, unless an entry has the same."""
    named: dict[str, str] = {}
    for source, value in sorted(found.items()):
        name = source.removeprefix(ENV_PREFIX)
        if value:
            named[source if name in named else name] = value
    return named


def _handed(kept: KeptSecrets | None) -> dict[str, str]:
    """By names that tell nothing: which of them a value was given as is not remembered."""
    values = sorted(kept.handed()) if kept is not None else []
    return {f"given here, {number}": value for number, value in enumerate(values, start=1)}


def _found(named: Named, kept: KeptSecrets | None) -> dict[str, str | None]:
    """{source: its value now}; a source without one is absent."""
    sources = dict.fromkeys(source for _, source in named)
    entries = sorted(source for source in sources if not source.startswith(ENV_PREFIX))
    found: dict[str, str | None] = {}
    if entries and kept is not None:
        found.update(kept.of_entries(entries))
    for source in sources:
        if source.startswith(ENV_PREFIX) and (value := os.environ.get(source.removeprefix(ENV_PREFIX))):
            found[source] = value
    return found


def _named(workflow: Workflow) -> Iterator[tuple[str, str]]:
    """(variable of the agent, source): as the workflow names them."""
    for name in used_agents(workflow):
        agent: AgentSpec = workflow.agents[name]
        yield from agent.secrets
        yield from ((name, ENV_PREFIX + name) for name in passed_secrets(agent))
        if agent.credential is not None:
            yield variable_of(agent, None), agent.credential


def _why(source: str, value: str) -> str:
    if value:
        return TOO_SHORT
    return NOT_SET if source.startswith(ENV_PREFIX) else NOT_THERE
