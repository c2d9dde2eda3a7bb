"""An error as a card: what happened, where, what is kept, what to do; the raw text behind it. Pure, from the view alone.

What to do is said by the class that the agent told, else by the reason of its end; each class that the domain knows has
its sentence, and a test holds both tables against the enumerations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quarterdeck.domain.endings import STALLED
from quarterdeck.domain.outputs import RECORDING
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.states import TERMINAL_ATTEMPT, AttemptStatus, EndReason, ErrorClass, SlotState
from quarterdeck.domain.views import AttemptView, ErrorView, RunView, SlotView
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Later, Texts
from quarterdeck.ui.words import one_line, short_id, shown_plainly

tr = Texts("PresentErrors")

DETAILS_MAX, SAID_MAX = 4_000, 240
LOOK_AND_RESUME = tr.later("Read the end of its transcript, mend what it says, then resume it.")
CLASS_ADVICE: Mapping[ErrorClass, Later] = {
    ErrorClass.AUTH: tr.later(
        "Sign in again with the agent's own program, or save or test its key under Sign-ins, then resume it."
    ),
    ErrorClass.RATE_LIMIT: tr.later("The service takes no more for now: wait some minutes, then resume it."),
    ErrorClass.USAGE_LIMIT: tr.later(
        "The allowance of its account is used up: wait until it is renewed, or raise it there, then resume it."
    ),
    ErrorClass.OVERLOADED: tr.later("The service is overloaded: wait some minutes, then resume it."),
    ErrorClass.INVALID: tr.later(
        "The service does not take what was asked: look at model, prompt and inputs; the same again will fail again."
    ),
    ErrorClass.OTHER: LOOK_AND_RESUME,
    ErrorClass.SPAWN: tr.later(
        "Mend what it says, then resume it; a command is corrected in the workflow, and a new run takes the corrected one."
    ),
    ErrorClass.BEYOND_LIMITS: tr.later(
        "Nothing: what is beyond is counted and stays in its report file, which Show record files opens."
    ),
}
REASON_ADVICE: Mapping[EndReason, Later] = {
    EndReason.EXIT: LOOK_AND_RESUME,
    EndReason.SPAWN: CLASS_ADVICE[ErrorClass.SPAWN],
    EndReason.TIMEOUT: tr.later(
        "See in its transcript what took so long, then resume it; longer limits are set in the workflow (timeout_s, stall_timeout_s)."
    ),
    EndReason.BUDGET: tr.later("Raise its limit if the work is worth it, then resume it."),
    EndReason.PERSON: tr.later("Resume it when you want it to go on."),
    EndReason.RUN_BUDGET: tr.later("Raise the run's limit if the work is worth it, then resume it."),
    EndReason.WORKFLOW_BUDGET: tr.later(
        "Raise what all runs of the workflow may spend, with Budgets…, if the work is worth it; then resume it."
    ),
    EndReason.NIGHT_BUDGET: tr.later(
        "Raise what the night may spend, with Budgets…, if the work is worth it; then resume it."
    ),
    EndReason.TURNS: tr.later("Resume it if the work is worth it: it may take as many turns again."),
    EndReason.APP_CLOSED: tr.later("Look at what it did, then resume it."),
    EndReason.KEEPER_LOST: tr.later(
        "Look at what it did, then resume it; where nobody ended its keeper, see whether the computer ran out of memory."
    ),
    EndReason.LINK_BROKEN: tr.later("Look into the app log for what went wrong, then resume it."),
    EndReason.NOBODY_THERE: tr.later("Resume it here, where its question can be answered."),
    EndReason.TIME_OVER: tr.later("Resume it when there is time for it to finish."),
    EndReason.SIGN_IN: CLASS_ADVICE[ErrorClass.AUTH],
    EndReason.AGENT_ERROR: LOOK_AND_RESUME,
    EndReason.RESULTS_NOT_DURABLE: tr.later(
        "Free space on the disk that holds the records, then resume it: what it found has to be made again."
    ),
    EndReason.NEVER_STARTED: tr.later("Resume it: nothing of it has run."),
}
RETRIES_ITSELF = tr.later("Nothing: another attempt starts by itself.")
GOES_ON = tr.later("Nothing yet: it goes on.")
NO_ADVICE_NEEDED = tr.later("Nothing: it is done.")
MEND_START = tr.later("Mend what it says, then resume it.")
TELLING = frozenset(
    {
        EndReason.EXIT,
        EndReason.SPAWN,
        EndReason.SIGN_IN,
        EndReason.AGENT_ERROR,
        EndReason.APP_CLOSED,
        EndReason.KEEPER_LOST,
        None,
    }
)
"""Ends of which the class that the agent told says more than the reason itself."""
UNTOLD = frozenset({ErrorClass.OTHER, ErrorClass.BEYOND_LIMITS})
OURS = frozenset({RECORDING, ErrorClass.BEYOND_LIMITS.value})
"""Classes of what Quarterdeck says of its records: no word of the agent."""
FREE_SPACE = tr.later(
    "Look whether the disk that holds the records is full. What is missing cannot be brought back; the rest stands."
)


@dataclass(frozen=True, slots=True)
class ErrorCard:
    """The card. `said`: the agent's last error on one line, may be empty. `details`: all of it, as it was told."""

    what: str
    said: str
    where: str
    kept: str
    advice: str
    details: str

    @property
    def copied(self) -> str:
        """Everything, as it is put on the clipboard."""
        parts = (self.what, self.where, self.kept, self.advice, self.details)
        return "\n".join(part for part in parts if part)


def error_card(view: RunView, slot: SlotView, attempt: AttemptView | None, letter: str) -> ErrorCard | None:
    """The card of this attempt; None where nothing went wrong with it."""
    if attempt is None:
        return _not_started(view, slot, letter) if slot.display == "Failed" else None
    if not attempt.errors and attempt.status is not AttemptStatus.FAILED:
        return None
    return ErrorCard(
        what=_what(slot, attempt),
        said=_last_said(attempt),
        where=_where(view, slot, attempt, letter),
        kept=_kept(view, slot, attempt),
        advice=_advice(slot, attempt),
        details=error_text(slot, attempt),
    )


def error_text(slot: SlotView, attempt: AttemptView | None) -> str:
    """What was told of its errors, word by word, harmless; else why it failed."""
    if attempt is None or not (attempt.errors or attempt.status is AttemptStatus.FAILED):
        return ""
    told = [
        in_words(e.message) if e.error_class in OURS else f"{e.error_class}: {e.message}"
        for e in attempt.errors
    ]
    if not told and attempt.reason:
        told = [in_words(attempt.reason)]
    text = "\n".join(told) or (in_words(slot.reason) if attempt is slot.attempts[-1] else "")
    return shown_plainly(text[:DETAILS_MAX])


def _told(attempt: AttemptView) -> list[ErrorView]:
    """Errors that the agent or its keeper told; what Quarterdeck says of its own records is none of them."""
    return [error for error in attempt.errors if error.error_class not in OURS]


def _last_said(attempt: AttemptView) -> str:
    if told := _told(attempt):
        return _said(told[-1].message)
    return one_line(in_words(attempt.errors[-1].message), SAID_MAX) if attempt.errors else ""


def _said(message: str) -> str:
    """The first line of a message; the rest is behind *Details*."""
    first = next((line for line in message.splitlines() if line.strip()), "")
    return tr("It said: {words}", words=one_line(first, SAID_MAX)) if first else ""


def _not_started(view: RunView, slot: SlotView, letter: str) -> ErrorCard:
    why = one_line(in_words(slot.reason), SAID_MAX) or tr("no reason is known")
    return ErrorCard(
        what=tr("{agent} was not started: {why}", agent=one_line(slot.title, 60), why=why),
        said="",
        where=_where(view, slot, None, letter),
        kept=_kept(view, slot, None),
        advice=MEND_START.now,
        details=shown_plainly(in_words(slot.reason)[:DETAILS_MAX]),
    )


def _program(attempt: AttemptView) -> str:
    """The program by its kind; a command and a practice agent by the name that the workflow gives it."""
    is_named = attempt.agent_kind in {"command", PRACTICE, ""}
    return one_line(attempt.agent if is_named else attempt.agent_kind, 60)


def _what(slot: SlotView, attempt: AttemptView) -> str:
    parts = {"agent": one_line(slot.title, 60), "program": _program(attempt)}
    turns = attempt.figures.turns
    if attempt.status is not AttemptStatus.FAILED and not _told(attempt):
        return tr("Not all that {agent} printed or told was recorded.", **parts)
    if attempt.status not in TERMINAL_ATTEMPT:
        return tr("{agent} told an error and goes on.", **parts)
    if attempt.status is AttemptStatus.SUCCEEDED:
        return tr("{agent} is done; it told an error on the way.", **parts)
    if attempt.status is not AttemptStatus.FAILED:
        why = one_line(in_words(attempt.reason), SAID_MAX) or tr("no reason is known")
        return tr("{agent} ended: {why}. Before, it told an error.", why=why, **parts)
    match attempt.end_reason:
        case EndReason.SPAWN:
            return _no_start(attempt, parts)
        case EndReason.RESULTS_NOT_DURABLE:
            return tr("{agent} finished, but its results could not be kept.", **parts)
        case EndReason.TIMEOUT:
            return _out_of_time(attempt, turns, parts)
        case EndReason.SIGN_IN:
            return tr.count(
                "{agent} stopped: the sign-in of {program} failed after {n} turns.",
                "{agent} stopped: the sign-in of {program} failed after {n} turn.",
                turns,
                **parts,
            )
        case EndReason.AGENT_ERROR:
            return tr.count(
                "{agent} failed: {program} ended well, but told an error, after {n} turns.",
                "{agent} failed: {program} ended well, but told an error, after {n} turn.",
                turns,
                **parts,
            )
        case _:
            return _by_exit(attempt, turns, parts)


def _out_of_time(attempt: AttemptView, turns: int, parts: Mapping[str, str]) -> str:
    if attempt.reason.startswith(STALLED):
        return tr.count(
            "{agent} stopped: {program} printed nothing for longer than its stall time-out, after {n} turns.",
            "{agent} stopped: {program} printed nothing for longer than its stall time-out, after {n} turn.",
            turns,
            **parts,
        )
    return tr.count(
        "{agent} stopped: {program} ran longer than its time limit, for {n} turns.",
        "{agent} stopped: {program} ran longer than its time limit, for {n} turn.",
        turns,
        **parts,
    )


def _no_start(attempt: AttemptView, parts: Mapping[str, str]) -> str:
    why = one_line(in_words(attempt.reason), SAID_MAX).rstrip(".")
    if not why:
        return tr("{agent} did not start: {program} could not be started.", **parts)
    return tr("{agent} did not start: {why}.", why=why, **parts)


def _by_exit(attempt: AttemptView, turns: int, parts: Mapping[str, str]) -> str:
    if attempt.signal is not None:
        return tr.count(
            "{agent} stopped: {program} was ended by signal {signal} after {n} turns.",
            "{agent} stopped: {program} was ended by signal {signal} after {n} turn.",
            turns,
            signal=attempt.signal,
            **parts,
        )
    if attempt.exit_code is not None:
        return tr.count(
            "{agent} stopped: {program} ended with exit code {code} after {n} turns.",
            "{agent} stopped: {program} ended with exit code {code} after {n} turn.",
            turns,
            code=attempt.exit_code,
            **parts,
        )
    if _told(attempt) and not attempt.reason:
        return tr.count(
            "{agent} failed: {program} told an error after {n} turns.",
            "{agent} failed: {program} told an error after {n} turn.",
            turns,
            **parts,
        )
    why = one_line(in_words(attempt.reason), SAID_MAX) or tr("no reason is known")
    return tr("{agent} stopped: {why}.", why=why.rstrip("."), **parts)


def _where(view: RunView, slot: SlotView, attempt: AttemptView | None, letter: str) -> str:
    run = f"{letter} · {short_id(view.run_id)}" if letter else short_id(view.run_id)
    workflow = one_line(view.workflow_name, 60)
    if attempt is None:
        return tr("Run {run} of {workflow}.", run=run, workflow=workflow)
    number = next((n for n, a in enumerate(slot.attempts, 1) if a.attempt_id == attempt.attempt_id), 1)
    if not attempt.cwd:
        return tr("Run {run} of {workflow}, attempt {number}.", run=run, workflow=workflow, number=number)
    return tr(
        "Run {run} of {workflow}, attempt {number}, in {folder}.",
        run=run,
        workflow=workflow,
        number=number,
        folder=one_line(attempt.cwd, 160),
    )


def _kept(view: RunView, slot: SlotView, attempt: AttemptView | None) -> str:
    others = sum(s.state is SlotState.DONE for s in view.slots if s.slot_id != slot.slot_id)
    said = [
        tr.count("Results of {n} other agents are kept.", "The results of {n} other agent are kept.", others)
        if others
        else tr("No other agent has results so far.")
    ]
    files = sum(a.stored is not None for a in attempt.artifacts) if attempt is not None else 0
    if files:
        said.append(
            tr.count("Of its own, {n} saved files are kept.", "Of its own, {n} saved file is kept.", files)
        )
    return " ".join(said)


def _advice(slot: SlotView, attempt: AttemptView) -> str:
    told = _told(attempt)
    if attempt.status is not AttemptStatus.FAILED and not told:
        is_recording = attempt.errors[-1].error_class == RECORDING
        return FREE_SPACE.now if is_recording else CLASS_ADVICE[ErrorClass.BEYOND_LIMITS].now
    if attempt.status not in TERMINAL_ATTEMPT:
        return GOES_ON.now
    if attempt.status is AttemptStatus.SUCCEEDED:
        return NO_ADVICE_NEEDED.now
    if slot.display == "Retrying" and attempt is slot.attempts[-1]:
        return RETRIES_ITSELF.now
    return advice(attempt.end_reason, told[-1].error_class if told else "")


def advice(reason: EndReason | None, error_class: str) -> str:
    """What to do about an end. error_class: as told, may be one that this version does not know; empty: none."""
    known = next((c for c in ErrorClass if c == error_class), None)
    if known is not None and reason in TELLING and (known not in UNTOLD or reason is None):
        return CLASS_ADVICE[known].now
    return REASON_ADVICE[reason].now if reason is not None else LOOK_AND_RESUME.now
