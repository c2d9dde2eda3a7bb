"""What a window remembers for the next start, beside its layout in `window.ini`. Nothing here is about runs.

Where there is no such file (a test, a picture) nothing is remembered and nobody is new.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

WELCOMED, FOLDER, WORKFLOW = "welcomed", "folder", "workflow"


class Remembered:
    """One for each window. Written within moments of a change, so that a kill does not lose it."""

    def __init__(self, settings: QSettings | None) -> None:
        self._settings = settings

    @property
    def is_welcomed(self) -> bool:
        """The person has answered the card of the first start: by looking for agent programs, or by closing it."""
        return self._settings is None or self._settings.value(WELCOMED) in {True, "true"}

    def welcome(self) -> None:
        """It is answered, for good."""
        if self._settings is not None:
            self._settings.setValue(WELCOMED, True)

    @property
    def folder(self) -> Path | None:
        """The workspace that the person opened last; None where there is none yet."""
        return self._path(FOLDER)

    @property
    def workflow(self) -> Path | None:
        """The workflow file that was shown last; None where there is none yet."""
        return self._path(WORKFLOW)

    def opened(self, folder: Path) -> None:
        """The person has opened this workspace."""
        if self._settings is not None and self.folder != folder:
            self._settings.setValue(FOLDER, str(folder))

    def showed(self, workflow: Path) -> None:
        """This workflow of an opened workspace is shown."""
        if self._settings is not None and self.workflow != workflow:
            self._settings.setValue(WORKFLOW, str(workflow))

    def _path(self, name: str) -> Path | None:
        kept = self._settings.value(name) if self._settings is not None else None
        return Path(kept) if isinstance(kept, str) and kept.startswith("/") else None
