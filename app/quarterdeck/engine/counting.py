"""How much is kept, counted run by run as they end; what measures everything is `bounding`. Blocking."""

from __future__ import annotations

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.store.asides import measure_run
from quarterdeck.store.data_folder import Store
from quarterdeck.store.tally import Tally, read_tally, write_tally

MEASURE_EVERY_MS = 86_400_000


def count_run(store: Store, run: RunId, now: Moment) -> Tally | None:
    """Count a run that has ended; what is kept then, None where everything is to be measured anew. Raises StoreDown."""
    size = measure_run(store.runs.folder(run))
    with store.asides.lock():
        known = read_tally(store.folder)
        if known is None or not 0 <= now.wall_ms - known.at_ms < MEASURE_EVERY_MS:
            return None
        more = Tally(
            known.runs + 1,
            known.size_bytes + size.size_bytes,
            known.transcript_bytes + size.transcript_bytes,
            known.at_ms,
        )
        write_tally(store.io, store.folder, more)
        return more
