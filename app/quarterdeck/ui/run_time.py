"""How long a run ran, for every part of the window: the domain's figure, which prompt and terminal show as well."""

from __future__ import annotations

from quarterdeck.domain.run_time import live_ms

__all__ = ["live_ms"]
