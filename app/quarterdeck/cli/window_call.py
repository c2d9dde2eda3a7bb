"""Whether a call opens the window, seen without typer and what the verbs load: that would hold up the first paint.

Only what is plain is seen here: no words, or one path that is there and can be no verb. All else `program` decides.
"""

from __future__ import annotations

import os
from collections.abc import Sequence


def window_path(argv: Sequence[str]) -> str | None:
    """The workspace or workflow file to open, empty for what was open last; None where this is not for here."""
    if "_QUARTERDECK_COMPLETE" in os.environ:
        return None
    if not argv:
        return ""
    word = argv[0]
    is_plain = len(argv) == 1 and not word.startswith("-") and ("/" in word or "." in word)
    return word if is_plain and os.path.exists(word) else None
