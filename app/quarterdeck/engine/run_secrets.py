"""What is hidden in pages of a run: the secrets known of it, learned once for each run, and those given here until now.

Not here: which they are (`engine/export_secrets`), how they are hidden (`engine/redacting`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.export_secrets import KeptSecrets, known_secrets
from quarterdeck.store.data_folder import Store

RUNS_KEPT = 256


class RunSecrets:
    """One for each engine. Asked in worker threads; blocking."""

    def __init__(self, store: Store, kept: KeptSecrets) -> None:
        self._store, self._kept = store, kept
        self._known: OrderedDict[RunId, frozenset[str]] = OrderedDict()

    def of(self, run: RunId) -> Iterable[str]:
        """Without a keyring (AUT2). An entry that is saved after the first look is known once its secret is given."""
        known = self._known.get(run)
        if known is None:
            known = self._known[run] = known_secrets(self._store, run, self._kept)
            if len(self._known) > RUNS_KEPT:
                self._known.popitem(last=False)
        return known.union(self._kept.handed())
