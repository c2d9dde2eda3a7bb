"""The doctor's actions: the page opened, a part asked for, what was found shown and copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from quarterdeck.engine.doctor.findings import Part
from quarterdeck.ui.asked import RequestFailed
from quarterdeck.ui.doctor.page import DoctorPage
from quarterdeck.ui.doctor.present import as_text
from quarterdeck.ui.house_link import Examined

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

ACTIONS = {Part.MACHINE: "check_computer", Part.TRUST: "try_promises"}


class DoctorActs(QObject):
    """One for each window; the page takes the middle as *Timeline and spend* does."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._under_way: set[Part] = set()
        self.page = DoctorPage(window.theme, window)
        window.looking_back.add_page(self.page)
        actions = window.actions_
        actions.bind("doctor", self.open_page)
        actions.bind("check_computer", self.check_computer)
        actions.bind("try_promises", self.try_promises)
        actions.bind("copy_findings", self.copy)
        actions.drive("check_computer", self.page.machine.begin, follows=True)
        actions.drive("try_promises", self.page.trust.begin, follows=True)
        actions.drive("copy_findings", self.page.copy, follows=True)
        actions.drive("go_canvas", self.page.back)
        actions.enable("copy_findings", False)
        window.link.house.examined.connect(self._on_examined)
        window.link.request_failed.connect(self._on_request_failed)

    def open_page(self) -> None:
        """Doctor: the page, and nothing else."""
        self._window.looking_back.show_page(self.page, self.page.machine.begin)

    def check_computer(self) -> None:
        """Check this computer."""
        self._begin(Part.MACHINE)

    def try_promises(self) -> None:
        """Try the three promises."""
        self._begin(Part.TRUST)

    def copy(self) -> None:
        """Copy what was found."""
        QGuiApplication.clipboard().setText(as_text(self.page.rows))

    def _begin(self, part: Part) -> None:
        if part in self._under_way:
            return
        self._under_way.add(part)
        self._window.looking_back.show_page(self.page, self.page.back)
        self.page.card(part).begins()
        self._enable()
        self._window.link.house.examine(part)

    def _on_examined(self, news: Examined) -> None:
        self._under_way.discard(news.part)
        self.page.card(news.part).show_result(news.result)
        self._enable()

    def _on_request_failed(self, news: RequestFailed) -> None:
        """Our bug, where it was one of ours that failed: what is under way is then asked for again by whoever wants it."""
        for part in [one for one in self._under_way if news.what == self._window.link.house.words_of(one)]:
            self._on_examined(Examined(part, news.error))

    def _enable(self) -> None:
        actions = self._window.actions_
        for part, name in ACTIONS.items():
            actions.enable(name, part not in self._under_way)
        actions.enable("copy_findings", bool(self.page.rows))
