"""Runs that are damaged, in the prompt: why nobody can carry one on, and attempts that no record names (JNL6). Pure."""

from __future__ import annotations

from dataclasses import replace

from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import RunView, SlotView
from quarterdeck.engine.recovery import UnnamedAttempt
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_effects import EffectLine, effect_phrase
from quarterdeck.ui.words import money_text, one_line

tr = Texts("PresentDamage")

NAME_SHOWN_MAX, PHRASE_SHOWN_MAX = 80, 160
LINES_MAX, EFFECTS_MAX = 20, 5
IN_GENERAL = "its journal is damaged"
"""The engine's words for a damage, where it is not told which one."""
ODD_FILES = frozenset(
    (
        "its files are damaged (attempts is no folder)",
        "its files are damaged (attempts is missing)",
        "its files are damaged (owner.lock is no file)",
    )
)
"""Its words where the journal is whole, and something else lies in the place of what it needs beside it."""


def damage_at(view: RunView, slot: SlotView) -> str:
    """Why an agent that is not done cannot be taken up; empty in a run that is sound."""
    if not view.damaged or slot.state is SlotState.DONE:
        return ""
    return damage_words(view.reason if view.reason in ODD_FILES else IN_GENERAL)


def unsettled(lines: tuple[EffectLine, ...]) -> tuple[EffectLine, ...]:
    """Effects of a run of which nothing more can be recorded: nobody can say what became of them."""
    return tuple(replace(line, can_settle=False) for line in lines)


def damage_words(damage: str) -> str:
    """Why no agent of a run can be resumed, and what can be done; empty for a run that is sound."""
    if not damage:
        return ""
    return tr(
        "No agent of this run can be resumed: {why}. Launch its workflow anew; discard the run, or keep it as it is.",
        why=one_line(in_words(damage), PHRASE_SHOWN_MAX),
    )


def unnamed_lines(attempts: tuple[UnnamedAttempt, ...]) -> tuple[str, ...]:
    """What is known of attempts of which nothing says whose they were; their figures are in no sum."""
    lines = [_line(one) for one in attempts[:LINES_MAX]]
    if (more := len(attempts) - LINES_MAX) > 0:
        lines.append(tr("and {count} more", count=f"{more:,}"))
    return tuple(lines)


def _line(one: UnnamedAttempt) -> str:
    told = [
        tr.count("at least {n} turns", "at least {n} turn", one.turns),
        tr("cost unknown")
        if one.cost_usd is None
        else money_text(one.cost_usd, False, one.figures.cost_source),
    ]
    told += [tr("Unknown: {effect}", effect=effect_phrase(effect)) for effect in one.effects[:EFFECTS_MAX]]
    if (more := len(one.effects) - EFFECTS_MAX) > 0:
        told.append(tr("and {count} more", count=f"{more:,}"))
    return tr(
        "Attempt {attempt}, of which no record names the agent: {told} · {end}. Its files: {folder}",
        attempt=one_line(one.attempt_id, NAME_SHOWN_MAX),
        told=" · ".join(told),
        end=_end(one),
        folder=str(one.folder),
    )


def _end(one: UnnamedAttempt) -> str:
    if one.evidence:
        return one_line(in_words(one.evidence), PHRASE_SHOWN_MAX)
    if one.still_ending:
        return tr("Still ending")
    return tr("Its old process may be alive")
