"""The fold of an attempt's report file, made in one way wherever it is needed: showing, ends, baselines, resuming.

Its baseline is the one in `launch.json`, which the shim counts from (JNL5), so that every fold gives the shim's figures.
Reports up to the journaled end count, later ones are late (design §5, ruling 9). A file that is none is no fault of the
run: its fold is empty and says so. Of one that is damaged it holds what comes before, and says that there was more (JNL6).
Where a full disk kept the `exit` report away, `exit.json` tells the end. Files are read line by line, whatever their length.
Blocking; writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.reports_fold import AttemptFold, Baseline
from quarterdeck.domain.run_state import AttemptRecord
from quarterdeck.engine.deaths import may_have_begun
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.errors import StoreDamaged, StoreError, is_odd_entry

NOTHING_LEFT = (
    "What it reported is lost, effects and files among it perhaps: its file is missing, empty or damaged"
)
END_LOST = "the end of its reports was lost"
ENDS_EARLY = "its file ends there, and more was written"
SILENT_KINDS = frozenset({"command", "practice"})
"""Kinds whose agents need not tell what they cost: one that reports nothing costs a known 0 (ruling 11)."""


def live_fold(kind: str) -> AttemptFold:
    """The fold of an attempt that starts now. It takes what comes over the socket, where no usage does: its figures are
    the shim's running totals, and need no baseline here.
    """
    return AttemptFold(reports_cost=kind not in SILENT_KINDS)


def upto_of(record: AttemptRecord) -> int | None:
    """The last report that counts; None while the attempt has no end."""
    return record.ended.upto if record.ended is not None else None


def upto_told(exit_file: Mapping[str, Any] | None) -> int | None:
    """The last report that was written, as the attested end says; None where nothing attests it."""
    upto = (exit_file or {}).get("upto")
    return None if upto is None else int(upto)


def _unread_words(folded: AttemptFold, error: StoreError) -> str:
    why = error.reason if isinstance(error, StoreDamaged) else str(error)
    if not folded.upto:
        return f"What it reported cannot be read: {why}"
    return _lost_after(folded, why)


def _lost_words(folded: AttemptFold, known: int | None, has_begun: bool) -> str:
    """What says that there were more reports than the file gives, in words; empty where nothing does."""
    if not folded.upto and (known or has_begun):
        return NOTHING_LEFT
    if known is not None and known > folded.upto:
        return _lost_after(folded, ENDS_EARLY)
    return ""


def _lost_after(folded: AttemptFold, why: str) -> str:
    return f"What it told after report {folded.upto} is lost, effects and files among it perhaps: {why}"


def report_fold(attempts: Attempts, run: RunId, attempt: AttemptId, upto: int | None) -> AttemptFold:
    """The fold of the report file, closed at `upto` where the attempt has ended. Raises StoreDown where the disk does not
    give it.

    A file that is gone, empty or cut looks like one of an attempt that never began: that it was more is known by its end, in
    journal or `exit.json`, and by what the agent printed, as `starting` is durable before it can.
    """
    launch = attempts.launch(run, attempt) or {}
    folded = AttemptFold(
        Baseline.from_json(launch.get("baseline")),
        reports_cost=str(launch.get("kind", "command")) not in SILENT_KINDS,
    )
    try:
        for report in attempts.each_report(run, attempt):
            if upto is None or report["seq"] <= upto:
                folded.apply(report)
            else:
                folded.apply_late(report)
    except StoreError as error:
        if not is_odd_entry(error):
            raise
        folded.unread = _unread_words(folded, error)
    told = attempts.exit_file(run, attempt) if folded.exit is None else None
    if told is not None:
        folded.attest(told)
    if not folded.unread:
        known = max((one for one in (upto, upto_told(told)) if one is not None), default=None)
        has_begun = not folded.upto and may_have_begun(attempts, run, attempt)
        folded.unread = _lost_words(folded, known, has_begun)
    if upto is not None:
        folded.close()
    return folded


def unread_words(attempts: Attempts, run: RunId, attempt: AttemptId, folded: AttemptFold) -> str:
    """Of an attempt that has ended: why its reports are not all there, in words; empty where they are. Prompt, preview, the
    person's verbs and the successor's file all ask here. Raises StoreDown.
    """
    return folded.unread or ("" if _ends_whole(attempts, run, attempt, folded) else END_LOST)


def _ends_whole(attempts: Attempts, run: RunId, attempt: AttemptId, folded: AttemptFold) -> bool:
    """Whether all that was written was folded: its end is attested, or the file ends with it."""
    attested = folded.exit or {}
    if attested.get("upto", attested.get("seq")) == folded.upto:
        return True
    try:
        last, is_whole = attempts.last_report(run, attempt)
    except StoreError as error:
        if not is_odd_entry(error):
            raise
        return False
    return is_whole and (last is None or last["seq"] == folded.upto)
