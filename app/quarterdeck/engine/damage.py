"""Whether a run's journal is damaged before its end, so that work may have been done of which it tells nothing (JNL6).

Such a run is read up to the damage and never carried on: it would start done work again. Blocking; writes nothing.
"""

from __future__ import annotations

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_fold import fold
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.journal import JournalRead


def damage_of(store: Store, run: RunId, read: JournalRead | None = None) -> str:
    """What is wrong with the journal, in words; empty where nothing is. Only of a run that nobody carries on now.

    A claim is durable before its agent starts: an attempt that reported and is not in the journal was lost from it.
    Raises StoreError.
    """
    read = read or store.runs.read(run)
    if read.damage:
        place = read.damage[0]
        return f"its journal is damaged ({place.reason}, at byte {place.offset})"
    if read.unknown is not None or not read.entries:
        return ""
    try:
        claimed = fold(read.entries).attempts
    except DomainError:
        return ""
    for attempt in store.attempts.ids(run):
        if attempt not in claimed and _has_run(store, run, attempt):
            return f"its journal is damaged (it does not name attempt {attempt}, which has reported)"
    return ""


def refuse_damaged(store: Store, run: RunId) -> None:
    """Raises StoreDamaged where the journal is damaged, StoreError where it cannot be read."""
    if words := damage_of(store, run):
        raise StoreDamaged(str(store.runs.folder(run)), words)


def refusal_for_damage(run: RunId, words: str) -> Refusal:
    """The answer to whatever would carry on a run with that damage."""
    message = f"Run {run} cannot be carried on: {words}. Launch it anew, or discard it."
    return Refusal(Code.E_STORE, message, (("run", run),))


def _has_run(store: Store, run: RunId, attempt: str) -> bool:
    folder = store.runs.folder(run) / "attempts" / attempt
    return any((folder / name).exists() for name in ("reports.jsonl", "exit.json"))
