"""*Keep as stopped* of a run whose journal is damaged (ruling 19): the answer is a line of the ledger.

Nothing may be written behind a damage, and a prompt that nobody can answer would come back at every start. The answer
changes nothing else: the run stays damaged, named, and never carried on. Blocking.
"""

from __future__ import annotations

from quarterdeck.domain.events import RunAnswered
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.recovery_acts import judge_keep
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.damage import ANSWERED, judge_damage, record_of
from quarterdeck.engine.damaged_runs import damaged_state
from quarterdeck.engine.reopening import HELD_ELSEWHERE
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDown


def keep_damaged(store: Store, run: RunId, actor: str, at_ms: int, otherwise: Refusal) -> Refusal | None:
    """None: it is answered, now or before. otherwise: given back where the run is not damaged. Raises StoreError,
    DomainError where it cannot be read.
    """
    owner = store.runs.own_damaged(run)
    if owner is None:
        return HELD_ELSEWHERE
    try:
        read = store.runs.read(run)
        damage = judge_damage(store, run, read, record_of(store, run))
        if damage is None or not read.entries:
            return otherwise
        judged = judge_keep(damaged_state(store, run, read, damage), actor)
        if isinstance(judged, RunAnswered):
            store.ledger.append([{"kind": ANSWERED, "run": run, "at_ms": at_ms, "actor": actor}])
            return None
        return judged
    except StoreDown as error:
        return Refusal(Code.E_STORE, f"The store cannot be written: {error}")
    finally:
        owner.release()
