"""What the inspector says of an attempt's process, of its time and of where its cost is from. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.program_versions import other_version_before
from quarterdeck.domain.run_time import is_time_at_least
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import AttemptView, SlotView
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present import RUNNING_PROCESS
from quarterdeck.ui.silence import silent_minutes
from quarterdeck.ui.words import duration_text, one_line, shown_plainly

tr = Texts("PresentAgent")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: what, and its value; `mono` for ids, commands, paths."""

    name: str
    value: str
    mono: bool = False


def time_fact(last: AttemptView, started_at: Moment, now: Moment) -> Fact:
    """How long it works or worked. Of one that was cut off or is lost no more is known than its last sign (REC6)."""
    told = duration_text(duration_ms(started_at, last.stood_at or now))
    if is_time_at_least(last):
        return Fact(tr("Took"), tr("at least {duration}", duration=told))
    return Fact(tr("Elapsed") if last.ended_at is None else tr("Took"), told)


def cost_name(attempt: AttemptView) -> str:
    """What its cost is called: by where the figure is from."""
    source = attempt.figures.cost_source
    if (
        source == "none" and attempt.started_at is None
    ):  # what never ran says nothing of what its agent reports
        return tr("Cost (never ran)") if attempt.ended_at is not None else tr("Cost")
    known = {
        "none": tr("Cost (reports no usage)"),
        "mixed": tr("Cost (partly estimated)"),
        "reported": tr("Cost (reported)"),
        "estimated": tr("Cost (estimated)"),
    }
    return known.get(source) or tr("Cost ({source})", source=source)


def _containment(kind: str) -> str:
    """By what it was started: what holds its processes together, and ends them together."""
    known = {
        "pid_namespace": tr("PID namespace"),
        "user_namespace": tr("user and PID namespace"),
        "tree": tr("tree of processes"),
    }
    return known.get(kind) or one_line(kind, 120)


def program_facts(slot: SlotView, number: int) -> list[Fact]:
    """The program of an attempt (1, 2, …) by path and version, and whether the one before ran with another version (PIN6)."""
    shown = slot.attempts[number - 1]
    if not shown.program or shown.agent_kind == PRACTICE:
        return []
    facts = [Fact(tr("Program"), shown_plainly(shown.program), mono=True)]
    if not shown.program_version:
        return facts
    version = one_line(shown.program_version, 80)
    other = other_version_before(slot.attempts, number)
    if other is not None:
        before, then = other
        version = tr(
            "{version}, another than attempt {number} ({then})",
            version=version,
            number=before,
            then=one_line(then, 80),
        )
    return [*facts, Fact(tr("Version"), version, mono=True)]


def process_facts(last: AttemptView, now: Moment, *, is_ours: bool) -> list[Fact]:
    """What is known of its process; whether one of another window or terminal lives is not claimed."""
    facts: list[Fact] = []
    if last.pid is not None:
        life = _life(last, now, is_ours=is_ours)
        told = tr("pid {pid} · {life}", pid=last.pid, life=life) if life else f"pid {last.pid}"
        facts.append(Fact(tr("Process"), told, mono=True))
    elif last.status is AttemptStatus.STARTING:
        facts.append(Fact(tr("Process"), tr("starting")))
    if last.exit_code is not None or last.signal is not None:
        ended = (
            tr("exit {code}", code=last.exit_code)
            if last.exit_code is not None
            else tr("signal {signal}", signal=last.signal)
        )
        facts.append(Fact(tr("Ended with"), ended, mono=True))
    if last.cwd:
        facts.append(Fact(tr("Folder"), shown_plainly(last.cwd), mono=True))
    if last.containment:
        facts.append(Fact(tr("Containment"), _containment(last.containment)))
    if last.session_id:
        facts.append(Fact(tr("Session"), one_line(last.session_id, 80), mono=True))
    if last.evidence and last.status not in RUNNING_PROCESS:
        facts.append(Fact(tr("Known by"), in_words(last.evidence.replace("_", " "))))
    return facts


def _life(last: AttemptView, now: Moment, *, is_ours: bool) -> str:
    """Of another's process: only what its files tell, which is when something was printed last."""
    if last.status is AttemptStatus.LOST:
        return tr("contact lost")
    if last.status not in RUNNING_PROCESS:
        return tr("ended")
    minutes = silent_minutes(last, now)
    if not is_ours:
        return tr("no output for {minutes} min", minutes=minutes) if minutes else ""
    return tr("alive, no output for {minutes} min", minutes=minutes) if minutes else tr("alive")
