"""Errors of the engine: what stops the engine itself. Refused commands are values, not errors.

EngineError
└── StoreUnusable   the data directory cannot be opened or written; exit 6
"""

from __future__ import annotations


class EngineError(Exception):
    """Root of the tree; its text is one sentence for a person."""


class StoreUnusable(EngineError):
    """The data directory cannot be used; the text names it and says what to do."""
