"""Canonical JSON and the revision of a content (design §3: a revision is the SHA-256 of canonical JSON)."""

from __future__ import annotations

import hashlib
import json

from quarterdeck.domain.ids import Revision


def canonical_json(value: object) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces. Raises ValueError on NaN and infinities, TypeError on other types."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def content_revision(content: bytes) -> Revision:
    """The revision of a file's bytes."""
    return Revision(hashlib.sha256(content).hexdigest())
