"""The one judgement whether a run's journal is damaged, so that work may have been done of which it tells nothing (JNL6), or
something else lies in the place of its lock or of all its attempts, so that nobody can take it.

Such a run is read up to the damage and never carried on: it would start done work again. Every reader of a run that nobody
has now asks here: the list, views, the prompt, discard, and whatever would carry it on. `damaged_runs` makes its view.
Blocking; writes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.events import AttemptClaimed
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_fold import fold
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, StoreError
from quarterdeck.store.journal import JournalRead
from quarterdeck.store.records import attempts_of

log = logging.getLogger(__name__)
ANSWERED = "damage_answered"
"""Kind of the ledger line that says: this run stays as it is, although its journal takes no entry any more."""
ODD_PLACES = {
    "attempts": "its files are damaged (attempts is no folder)",
    "owner.lock": "its files are damaged (owner.lock is no file)",
}
NO_ATTEMPTS = "its files are damaged (attempts is missing)"
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Damage:
    """words: what is wrong. unnamed: attempts that have reported and that the journal does not name.

    record: of its end, where it is whole and tells of all that the files hold; None: journal and reports are all there is.
    answered: a person has answered its prompt since (`damage_answers`). of_journal: it may have told more than is read of it;
    else it is whole, and something else of the run is of another kind than it was made, so that nobody can take the run.
    """

    words: str
    unnamed: tuple[AttemptId, ...] = ()
    record: Record | None = None
    answered: bool = False
    of_journal: bool = True

    @property
    def told(self) -> str:
        """With what is shown instead, in words."""
        if self.record is not None:
            return f"{self.words}; the record of its end is shown"
        if self.of_journal:
            return f"{self.words}; what comes before is shown"
        return f"{self.words}; what can be read of it is shown"


def judge_damage(store: Store, run: RunId, read: JournalRead, record: Record | None) -> Damage | None:
    """Only of a run that nobody has now. record: as it was before the journal was read. Raises StoreError.

    A claim is durable before its agent starts, and the end before its record: an attempt that reported and is not in the
    journal was lost from it, and so was what a record covers. Who had the run may have gone on since `read`, so what is
    found missing is looked for once more.
    """
    if (found := _judge(store, run, read, record)) is None or read.damage:
        return found
    return _judge(store, run, store.runs.read(run), record, found.unnamed)


def damage_of(store: Store, run: RunId) -> str:
    """What is wrong with the journal, in words; empty where nothing is. As `judge_damage`."""
    record = record_of(store, run)
    found = judge_damage(store, run, store.runs.read(run), record)
    return "" if found is None else found.words


def record_of(store: Store, run: RunId) -> Record | None:
    """The record; None where there is none that can be used: the journal is the truth (ruling 15)."""
    try:
        return store.records.read(run)
    except StoreError as error:
        log.info("the record of run %s is not used: %s", run, error)
        return None


def refuse_damaged(store: Store, run: RunId) -> None:
    """Of a run that the caller holds: StoreDamaged where it is damaged, StoreError where it cannot be read."""
    if words := damage_of(store, run) or _odd_words(store, run, store.runs.read(run)):
        raise StoreDamaged(str(store.runs.folder(run)), words)


def refusal_for_damage(run: RunId, words: str) -> Refusal:
    """The answer to whatever would carry on a run with that damage."""
    message = f"Run {run} cannot be carried on: {words}. Launch it anew, or discard it."
    return Refusal(Code.E_STORE, message, (("run", run),))


def _judge(
    store: Store,
    run: RunId,
    read: JournalRead,
    record: Record | None,
    among: tuple[AttemptId, ...] | None = None,
) -> Damage | None:
    """among: the attempts that may be missing; None: all that have a folder."""
    if read.unknown is not None or (not read.entries and not read.damage):
        return None
    unnamed = _unnamed(store, run, read, among)
    last = len(read.entries)
    words = of_journal = _words(read, unnamed, last, record)
    if not words and not (words := _odd(store, run, read)):
        return None
    is_whole = record is not None and record["covers_seq"] >= last and attempts_of(record).issuperset(unnamed)
    answered = run in store.ledger.closings(ANSWERED)
    return Damage(words, unnamed, record if is_whole else None, answered, bool(of_journal))


def _odd(store: Store, run: RunId, read: JournalRead) -> str:
    """A lock that was taken away from under a living owner still is its own: that run is not judged."""
    if not (words := _odd_words(store, run, read)):
        return ""
    try:
        state = fold(read.entries)
    except DomainError:
        return words
    is_answered_for = state.is_live and store.sessions.is_alive(state.sitting.session_id)
    return "" if is_answered_for else words


def _odd_words(store: Store, run: RunId, read: JournalRead) -> str:
    """The folder of the attempts is durable before the journal is."""
    if place := store.runs.odd_place(run):
        return ODD_PLACES[place]
    has_claimed = any(isinstance(one.event, AttemptClaimed) for one in read.entries)
    return NO_ATTEMPTS if has_claimed and not store.attempts.can_be_listed(run) else ""


def _words(read: JournalRead, unnamed: tuple[AttemptId, ...], last: int, record: Record | None) -> str:
    if read.damage:
        return f"its journal is damaged ({read.damage[0].reason}, at byte {read.damage[0].offset})"
    if unnamed:
        return f"its journal is damaged (it does not name attempt {unnamed[0]}, which has reported)"
    if record is not None and record["covers_seq"] > last:
        covered = record["covers_seq"]
        return f"its journal is damaged (it ends at entry {last}, and the record of its end covers {covered})"
    return ""


def _unnamed(
    store: Store, run: RunId, read: JournalRead, among: tuple[AttemptId, ...] | None
) -> tuple[AttemptId, ...]:
    named = {one.event.attempt_id for one in read.entries if isinstance(one.event, AttemptClaimed)}
    found = store.attempts.ids(run) if among is None else among
    return tuple(one for one in found if one not in named and store.attempts.has_reported(run, one))
