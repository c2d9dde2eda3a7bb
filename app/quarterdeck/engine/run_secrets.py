"""What is hidden of a run: the secrets known of it, whose names are learned once for each run, and those given here until now.

Not here: which they are (`engine/export_secrets`), how they are hidden (`engine/redacting`).
"""

from __future__ import annotations

from collections import OrderedDict

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.export_secrets import KeptSecrets, Named, known_values, named_secrets
from quarterdeck.store.data_folder import Store

RUNS_KEPT = 256


class RunSecrets:
    """One for each engine. Asked in worker threads; blocking."""

    def __init__(self, store: Store, kept: KeptSecrets) -> None:
        self._store, self._kept = store, kept
        self._named: OrderedDict[RunId, Named] = OrderedDict()

    def of(self, run: RunId) -> frozenset[str]:
        """Without a keyring (AUT2), as they are known now."""
        named = self._named.get(run)
        if named is None and (named := named_secrets(self._store, run)) is not None:
            self._named[run] = named
            if len(self._named) > RUNS_KEPT:
                self._named.popitem(last=False)
        return known_values(named, self._kept)
