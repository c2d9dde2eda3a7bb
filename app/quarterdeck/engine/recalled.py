"""Effects that the record of a run's end knows, and that damaged or lost reports of an attempt do not tell any more (EFF7, JNL6).

The record was made from the reports while they were whole; what it says of effects stands as long as nothing later outranks
it. Blocking; writes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.record import run_from_record
from quarterdeck.domain.reports_fold import AttemptFold, EffectFact
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.damage import record_of
from quarterdeck.store.data_folder import Store

log = logging.getLogger(__name__)


def recall_effects(store: Store, run: RunId, folds: Mapping[AttemptId, AttemptFold]) -> None:
    """Put them into the folds that are not wholly read. The record is read only where there is such a fold."""
    damaged = {attempt: folded for attempt, folded in folds.items() if folded.unread}
    record = record_of(store, run) if damaged else None
    if record is None:
        return
    try:
        slots = run_from_record(record).slots
    except (KeyError, TypeError, ValueError) as error:
        log.info("the record of run %s recalls no effects: %s", run, error)
        return
    for attempt in (one for slot in slots for one in slot.attempts):
        if (folded := damaged.get(attempt.attempt_id)) is not None:
            _put(folded, attempt.effects)


def _put(folded: AttemptFold, known: Iterable[EffectView]) -> None:
    for one in known:
        if one.id not in folded.effects:
            chars = len(one.id) + len(one.type) + len(one.target) + len(one.detail)
            fact = EffectFact(one.id, one.state, one.type, one.target, one.detail)
            folded.effects.put(one.id, fact, chars)
