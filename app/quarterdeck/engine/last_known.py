"""What an agent was in when it was heard last: from its reports and the end of its transcript. Blocking; changes nothing."""

from __future__ import annotations

from quarterdeck.agents.registry import LINE_READERS
from quarterdeck.agents.said import LineReader
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.join import effects_of
from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.attempt_details import TranscriptLine
from quarterdeck.engine.recovery import Outside
from quarterdeck.engine.told_lines import joined, told
from quarterdeck.engine.transcript_pages import protocol_item
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.errors import StoreError
from quarterdeck.store.transcript_file import RawLine

TAIL_BYTES = 16_384
WIRE_TAIL_BYTES = 65_536
"""A program's own wire says less in as many bytes."""
LINE_CHARS_MAX = 300


def last_lines(attempts: Attempts, run: RunId, attempt: AttemptId, count: int) -> tuple[str, ...]:
    """The last lines that say something, oldest first, each cut; foreign text. None where there is no transcript."""
    try:
        read = LINE_READERS.get(str((attempts.launch(run, attempt) or {}).get("protocol", "")))
        tail_bytes = TAIL_BYTES if read is None else WIRE_TAIL_BYTES
        found = attempts.transcript(run, attempt, -tail_bytes, tail_bytes)
    except (StoreError, ValueError):
        return ()
    if found is None:
        return ()
    shown = [_shown(raw) for raw in found[1].splitlines()[-200:]] if read is None else _said(found[1], read)
    return tuple([_line(text) for text in shown if text.strip()][-count:])


def _shown(raw: bytes) -> str:
    item = protocol_item(raw)
    if item is not None:
        words = [item.get(name) for name in ("kind", "label", "step", "type", "target", "text", "question")]
        text = " ".join(str(word) for word in words if word not in (None, "", "text", "ignored"))
        raw = text.encode("utf-8", "replace")
    return raw.decode("utf-8", "replace")


def _said(content: bytes, read: LineReader) -> list[str]:
    """Lines of what a program's own wire says, without its figures. The first line may be the rest of one."""
    at, parts = 0, []
    for raw in content.splitlines(keepends=True):
        line = RawLine(at, at + len(raw), raw.rstrip(b"\r\n"), ends=raw.endswith(b"\n"))
        parts += told(line, read, ())
        at += len(raw)
    first = parts[:1] if parts and parts[0].item is None and content[:1] != b"{" else []
    return [line for part in joined(parts[len(first) :], (), is_end=True) for line in _lines_of(part)]


def _lines_of(part: TranscriptLine) -> list[str]:
    item = part.item
    if item is None:
        return [part.content.decode("utf-8", "replace")]
    match item["kind"]:
        case "call":
            return [" ".join(str(item[name]) for name in ("name", "state", "target") if item.get(name))]
        case "text" | "thinking" | "note":
            return str(item["text"]).splitlines()
        case "error":
            return [str(item["message"])]
        case _:
            return []


def _line(text: str) -> str:
    text = text.strip()
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
