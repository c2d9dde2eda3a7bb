"""Which files may be attached to a node. Light: whoever pins attachments needs no model of the file format for it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

ATTACHMENT_ROLES = ("attach", "skills", "library")


def attachment_fault(text: str, folder: Path | None) -> str | None:
    """Why a file cannot be attached; None where it can. It must lie inside the workspace, also behind its links."""
    if not text or "\x00" in text or "\\" in text:
        return "an attachment is a relative path with / in it, inside the workspace"
    pure = Path(text)
    if pure.is_absolute() or ".." in pure.parts or text.startswith("~"):
        return f"“{text[:200]}” leads out of the workspace; attachments lie inside it"
    if folder is None:
        return None
    try:
        real = (folder / pure).resolve()
        status = real.stat()
        inside = real.is_relative_to(folder.resolve())
    except FileNotFoundError:
        return f"there is no file “{text[:200]}” in the workspace"
    except (
        OSError,
        RuntimeError,
        ValueError,
    ) as error:  # a loop of links, a name that is too long, no permission
        return f"“{text[:200]}” cannot be read: {getattr(error, 'strerror', None) or 'its links lead in a circle'}"
    if not inside:
        return f"“{text[:200]}” is a link that leads out of the workspace"
    if not stat.S_ISREG(status.st_mode):
        return f"“{text[:200]}” is no file"
    return None if os.access(real, os.R_OK) else f"“{text[:200]}” may not be read (permission)"
