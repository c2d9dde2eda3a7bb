"""Processes that outlived their run, or that none was found: in words (REC9, ruling 24). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.shown import EVIDENCE_WORDS
from quarterdeck.domain.states import Evidence
from quarterdeck.engine.recovery import InterruptedAgent, InterruptedRun, UnnamedAttempt
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import one_line, short_id

tr = Texts("PresentLeftovers")

COMMAND_SHOWN_MAX = 100
Watched = InterruptedAgent | UnnamedAttempt


@dataclass(frozen=True, slots=True)
class Leftover:
    """One process; `command` is foreign text, `words` say the rest. pid and start_ticks are its identity."""

    run_id: RunId
    attempt_id: AttemptId
    pid: int
    start_ticks: int
    command: str
    words: str
    how: str


@dataclass(frozen=True, slots=True)
class Leftovers:
    """`heading` stands above what is alive; `checked` says what was looked for and not found, or could not be looked for."""

    heading: str
    alive: tuple[Leftover, ...]
    checked: str
    is_sure: bool
    """False: `checked` tells of something that is not known, or not over."""


def leftovers(runs: Iterable[InterruptedRun]) -> Leftovers:
    """Of all interrupted agents."""
    pairs = [(run, one) for run in runs for one in _watched(run)]
    alive = tuple(_leftover(run, agent, at) for run, agent in pairs for at in range(len(agent.survivors)))
    heading = ""
    if alive:
        heading = tr.count(
            "{n} agent processes outlived the app and may still be spending:",
            "{n} agent process outlived the app and may still be spending:",
            len(alive),
        )
    checked, is_sure = _checked([agent for _, agent in pairs])
    return Leftovers(heading, alive, checked, is_sure)


def _watched(run: InterruptedRun) -> tuple[Watched, ...]:
    return (*run.agents, *run.unnamed)


def _leftover(run: InterruptedRun, agent: Watched, place: int) -> Leftover:
    one = agent.survivors[place]
    title = (
        tr("of an agent that no record names")
        if isinstance(agent, UnnamedAttempt)
        else one_line(agent.title, 80)
    )
    words = tr("pid {pid} · {agent} · {run}", pid=one.pid, agent=title, run=short_id(run.run_id))
    command = one_line(one.command, COMMAND_SHOWN_MAX) or tr("its command is not known")
    return Leftover(
        run.run_id,
        agent.attempt_id,
        one.pid,
        one.start_ticks,
        command,
        words,
        one_line(in_words(one.how), COMMAND_SHOWN_MAX),
    )


def _checked(agents: list[Watched]) -> tuple[str, bool]:
    """The weakest that holds of all: where no witness of an end was found, no more is said than that none was seen."""
    ending = sum(a.still_ending for a in agents)
    unsure = sum(a.end_first and not a.survivors and not a.still_ending for a in agents)
    if ending:
        return tr.count(
            "{n} agent processes are still ending; their agents can be resumed when they have.",
            "{n} agent process is still ending; its agent can be resumed when it has.",
            ending,
        ), False
    if unsure:
        return tr.count(
            "Could not check whether {n} agent processes have ended.",
            "Could not check whether {n} agent process has ended.",
            unsure,
        ), False
    dead = [a for a in agents if a.evidence and a.evidence != EVIDENCE_WORDS[Evidence.NEVER_STARTED]]
    if not dead:
        return "", True
    if all(a.evidence != EVIDENCE_WORDS[Evidence.NO_TRACE] for a in dead):
        return tr.count(
            "Checked: the {n} agent processes have ended.",
            "Checked: the agent process has ended.",
            len(dead),
        ), True
    return tr.count(
        "Checked: no trace of the {n} agent processes was found.",
        "Checked: no trace of the agent process was found.",
        len(dead),
    ), True
