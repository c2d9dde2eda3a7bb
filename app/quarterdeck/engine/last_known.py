"""What an agent was in when it was heard last: from its reports and the end of its transcript. Blocking; changes nothing."""

from __future__ import annotations

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.join import effects_of
from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.recovery import Outside
from quarterdeck.engine.transcript_pages import protocol_item
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.errors import StoreError

TAIL_BYTES = 16_384
LINE_CHARS_MAX = 300


def last_lines(attempts: Attempts, run: RunId, attempt: AttemptId, count: int) -> tuple[str, ...]:
    """The last lines that say something, oldest first, each cut; foreign text. None where there is no transcript."""
    try:
        found = attempts.transcript(run, attempt, -TAIL_BYTES, TAIL_BYTES)
    except (StoreError, ValueError):
        return ()
    lines = [_shown(raw) for raw in found[1].splitlines()[-200:]] if found is not None else []
    return tuple([line for line in lines if line][-count:])


def _shown(raw: bytes) -> str:
    item = protocol_item(raw)
    if item is not None:
        words = [item.get(name) for name in ("kind", "label", "step", "type", "target", "text", "question")]
        text = " ".join(str(word) for word in words if word not in (None, "", "text", "ignored"))
        raw = text.encode("utf-8", "replace")
    text = raw.decode("utf-8", "replace").strip()
    return text if len(text) <= LINE_CHARS_MAX else text[: LINE_CHARS_MAX - 1] + "…"


def last_known(attempt: AttemptRecord, fold: AttemptFold | None, effects: tuple[EffectView, ...]) -> str:
    """One phrase: what the agent was in, by the newest of what it told; never what it would have done next."""
    if fold is not None and fold.unread:
        return _cut(fold.unread)
    if fold is None or fold.started is None or attempt.status is AttemptStatus.NEVER_STARTED:
        return "not started yet"
    if attempt.status is AttemptStatus.FAILED:
        return "it had failed, and its next try was not made"
    questions = list(fold.open_questions.values())
    if questions:
        return _cut(f"waited for an answer: {questions[-1].get('question') or ''}")
    flying = [effect for effect in effects if effect.state in IN_FLIGHT_AT_END]
    if flying:
        return _cut(f"in {flying[-1].type or 'an effect'}: {flying[-1].target or flying[-1].id}")
    if fold.progress is not None and fold.progress[2]:
        return _cut(f"at: {fold.progress[2]}")
    steps = list(fold.checkpoints)
    if steps:
        return _cut(f"after the saved step: {steps[-1]}")
    return "in a turn" if fold.call_in_flight else "at work; it had told nothing of what it was in"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARS_MAX else line[: LINE_CHARS_MAX - 1] + "…"


def effects_to_check(
    state: RunState, attempt: AttemptRecord, fold: AttemptFold | None
) -> tuple[EffectView, ...]:
    """Effects that may have happened, and that neither the agent nor a probe nor a person has answered for."""
    if fold is None:
        return ()
    return tuple(one for one in effects_of(state, attempt, fold) if one.state in IN_FLIGHT_AT_END)


def outside_of(
    fold: AttemptFold | None, to_check: tuple[EffectView, ...], *, declared: object, is_torn: bool
) -> Outside:
    """declared: `effects` of the pinned node. None in flight is said only where the last record proves it."""
    if to_check or (fold is not None and fold.effects.beyond):
        return Outside.TO_CHECK
    if (is_torn or (fold is not None and fold.unread)) and declared != "none":
        return Outside.NOT_TOLD
    if fold is None or fold.started is None or declared == "none":
        return Outside.NONE
    tells = len(fold.effects) > 0 and not fold.call_in_flight
    return Outside.NONE if tells else Outside.NOT_TOLD
