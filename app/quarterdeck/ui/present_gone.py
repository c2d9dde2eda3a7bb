"""What is said of interrupted runs that left the store while their prompt was open. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import short_id

tr = Texts("PresentRecovery")

GONE_NAMED_MAX = 6


def gone_words(runs: Sequence[RunId]) -> str:
    """Of runs that left the store while the prompt was open; empty where there are none."""
    if not runs:
        return ""
    return tr.count(
        "{runs} are not kept any more: they were discarded elsewhere. Discarded runs shows what can be brought back.",
        "{runs} is not kept any more: it was discarded elsewhere. Discarded runs shows what can be brought back.",
        len(runs),
        runs=", ".join(map(short_id, runs[:GONE_NAMED_MAX])) + (" …" if len(runs) > GONE_NAMED_MAX else ""),
    )
