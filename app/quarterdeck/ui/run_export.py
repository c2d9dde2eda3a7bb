"""*Export the run…*: one run as a report in Markdown, or as JSON, that may be handed on. The window asks for the place first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.recovery import Exported, UnsoughtSecret
from quarterdeck.ui.dialogs.export_dialog import ExportDialog
from quarterdeck.ui.house_link import TextWritten
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.recovery_asked import RunExported
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line, short_id

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("RunExport")
SOUGHT_MAX = 6


class RunExport(QObject):
    """One for each window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._run: RunId | None = None
        self._wanted: RunId | None = None
        self._written: dict[Path, Exported] = {}
        window.actions_.bind("export_run", self.ask)
        window.actions_.enable("export_run", False)
        window.link.recovery.run_exported.connect(self._on_exported)
        window.link.house.text_written.connect(self._on_text_written)

    def show(self, shown: Shown) -> None:
        """Follow what is looked at."""
        self._run = shown.run
        self._window.actions_.enable("export_run", shown.run is not None)

    def ask(self) -> None:
        """Export the run…: of the run looked at now, whatever is looked at when the place is chosen."""
        if self._run is None:
            return
        self._wanted = self._run
        dialog = QFileDialog(self._window, tr("Export the run"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([tr("Report in Markdown (*.md)"), tr("JSON (*.json)")])
        dialog.setDefaultSuffix("md")
        dialog.selectFile(f"{short_id(self._wanted)}.md")
        dialog.fileSelected.connect(self.export_to)
        self._window.conduct.show_dialog(dialog)

    def export_to(self, path: str) -> None:
        """Write the run there; a name that ends in `.json` is JSON, every other a report."""
        if self._wanted is not None:
            place = Path(path)
            is_json = place.suffix.lower() == ".json"
            self._window.link.recovery.export_run(self._wanted, "json" if is_json else "markdown", place)

    def _on_exported(self, news: RunExported) -> None:
        if news.exported is None:
            words = tr("Run {run} cannot be read, so nothing was written.", run=short_id(news.run))
            self._window.notice.say(words)
            return
        if news.exported.unsought:
            self._ask_whether(news.run, news.path, news.exported)
            return
        self._write(news.path, news.exported)

    def _ask_whether(self, run: RunId, place: Path, made: Exported) -> None:
        """Its secrets are not all known now, so they may stand in the text: written after a yes alone."""
        dialog = ExportDialog(short_id(run), unsought_lines(made.unsought), self._window)
        dialog.accepted.connect(lambda: self._write(place, made))
        self._window.conduct.show_dialog(dialog, over=True)

    def _write(self, place: Path, made: Exported) -> None:
        self._written[place] = made
        self._window.link.house.write(place, made.text)

    def _on_text_written(self, news: TextWritten) -> None:
        made = self._written.pop(news.path, None)
        if made is None or news.fault:
            return
        path = one_line(str(news.path), 200)
        if made.unsought:
            words = tr(
                "Written to {path}. Secrets that could not be looked for may stand in it: {secrets}.",
                path=path,
                secrets=one_line("; ".join(unsought_lines(made.unsought)), 300),
            )
            self._window.notice.say(words)
            return
        words = tr(
            "Written to {path}. Environments, transcripts and the content of saved files are no part of it; "
            "secrets, by the values that they have now, and home folders that were found were taken out.",
            path=path,
        )
        self._window.notice.tell(f"{words} {_sought_words(made)}".rstrip())


def _sought_words(made: Exported) -> str:
    """Which secrets were looked for, and what that does not find; empty where its agents were given none."""
    if not made.sought:
        return ""
    more = len(made.sought) - SOUGHT_MAX
    names = ", ".join(one_line(name, 60) for name in made.sought[:SOUGHT_MAX])
    return tr(
        "Looked for: {secrets}. A value that was changed since the run is not found.",
        secrets=tr("{names} and {n} more", names=names, n=more) if more > 0 else names,
    )


def unsought_lines(secrets: Iterable[UnsoughtSecret]) -> list[str]:
    """One line each: its names and why, never a value."""
    return [
        tr("{secret}: {why}", secret=_name(one), why=in_words(one.why)) if one.source else in_words(one.why)
        for one in secrets
    ]


def _name(secret: UnsoughtSecret) -> str:
    variable, source = one_line(secret.variable, 60), one_line(secret.source, 80)
    return tr("{variable} from {source}", variable=variable, source=source) if variable else source
