"""What a person does to one agent that has ended: its second step of Resume, and its effects probed or settled.

From the inspector, the palette and the recovery dialog alike. One second step is open at a time.
Dialogs are loaded when one is opened, so that no first paint waits for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.engine.minting import mint_command_id
from quarterdeck.engine.recovery import InterruptedAgent, Owed
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.present_effects import effects_to_check
from quarterdeck.ui.recovery_asked import EvidenceRead, Resumed, ResumeIds, ResumeOrder, ResumeRead
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

if TYPE_CHECKING:
    from quarterdeck.ui.recovery.effects_dialogs import EffectsDialog
    from quarterdeck.ui.recovery.resume_dialog import ResumeDialog
    from quarterdeck.ui.recovery.start_dialog import StartDialog
    from quarterdeck.ui.window import Window

Key = tuple[RunId, SlotId]


class AgentActs(QObject):
    """One for each window. `resuming`, `effects`: the dialogs while they are open. `under_way`: runs of which an agent is being
    re-opened or started here, and it is not answered yet.
    """

    taken_up = Signal(object)
    """RunId: an agent of it was re-opened or started here."""
    moved = Signal()
    """Something was asked of an agent and answered."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._link = window, window.link.recovery
        self.resuming: ResumeDialog | None = None
        self._starting_dialog: StartDialog | None = None
        self.effects: EffectsDialog | None = None
        self._shown: Shown | None = None
        self._starting: Key | None = None
        self.under_way: set[RunId] = set()
        window.actions_.bind("resume_agent", self.ask_resume_chosen)
        window.actions_.enable("resume_agent", False)
        inspector, link = window.inspector, self._link
        window.actions_.drive("resume_agent", inspector.resume)
        inspector.probe_asked.connect(self._on_probe_asked)
        inspector.settle_asked.connect(self._on_settle_asked)
        link.evidence_read.connect(self._on_evidence_read)
        link.resume_read.connect(self._on_resume_read)
        link.resumed.connect(self._on_resumed)
        link.effect_probed.connect(inspector.overview.effects.hear_probe)
        link.effect_answered.connect(inspector.overview.effects.hear_answer)
        link.effect_probed.connect(self.moved)
        link.effect_answered.connect(self.moved)

    def show(self, shown: Shown) -> None:
        """Follow what is looked at."""
        before, self._shown = self._shown, shown
        if self.resuming is not None and before is not None:
            run = self.resuming.key[0]
            if _lists(before, run) and not _lists(shown, run):
                self.resuming.show_gone()
        can = shown.agent is not None and (shown.agent.can_resume or shown.agent.can_start)
        why = self._window.records.no_start
        self._window.actions_.allow("resume_agent", can, why)
        for dialog in (self.resuming, self._starting_dialog):
            if dialog is not None:
                dialog.show_no_start(why)

    # ------------------------------------------------------------------ resume

    def ask_resume_chosen(self) -> None:
        """Resume the agent looked at…"""
        agent = self._shown.agent if self._shown is not None else None
        if agent is None or agent.run_id is None or agent.slot_id is None:
            return
        key = agent.run_id, agent.slot_id
        if agent.can_resume:
            self.ask_resume(key, agent.title, self._window)
        elif agent.can_start:
            from quarterdeck.ui.recovery.start_dialog import StartDialog

            self._starting = key
            is_practice = agent.source is not None and agent.source.slot.is_practice
            dialog = StartDialog(agent.title, self._window, is_practice=is_practice)
            self._starting_dialog = dialog
            dialog.start_asked.connect(self._on_start_asked)
            dialog.finished.connect(self._on_start_finished)
            self._window.conduct.show_dialog(dialog)

    def _on_start_asked(self, go_on: bool) -> None:
        key, self._starting = self._starting, None
        if key is not None:
            ids = ResumeIds(mint_command_id(), mint_command_id(), mint_command_id(), mint_command_id())
            self._resume(ResumeOrder(*key, "", ids, go_on=go_on, reopens=False))

    def _on_start_finished(self) -> None:
        self._starting_dialog = None

    def _resume(self, order: ResumeOrder) -> None:
        self.under_way.add(order.run)
        self._link.resume(order)

    def ask_resume(self, key: Key, title: str, parent: QWidget) -> None:
        """The second step: its dialog is open at once, and is filled as it becomes known."""
        if self.resuming is not None:
            return
        from quarterdeck.ui.recovery.resume_dialog import ResumeDialog

        self.resuming = dialog = ResumeDialog(self._window.theme, key, title, mint_command_id, parent)
        dialog.started.connect(self._resume)
        dialog.read_asked.connect(self._on_read_asked)
        dialog.finished.connect(self._on_resume_finished)
        dialog.show_no_start(self._window.records.no_start)
        dialog.open()
        self._link.ask_resume(*key)
        self._link.look(*key)

    def awaits(self, news: EvidenceRead) -> bool:
        """Whether this answer belongs to the open second step."""
        return self.resuming is not None and self.resuming.key == (news.run, news.slot)

    def _on_evidence_read(self, news: EvidenceRead) -> None:
        if self.resuming is not None and self.awaits(news):
            self.resuming.show_evidence(news)

    def _on_read_asked(self, key: Key) -> None:
        self._link.ask_resume(*key)

    def _on_resume_finished(self) -> None:
        self.resuming = None

    def _on_resume_read(self, news: ResumeRead) -> None:
        if self.resuming is not None and self.resuming.key == (news.run, news.slot):
            self.resuming.show_read(news)

    def _on_resumed(self, news: Resumed) -> None:
        order = news.order
        is_taken_up = news.attempt is not None or news.is_reopened
        if is_taken_up:
            self.taken_up.emit(order.run)
        self.under_way.discard(order.run)
        if is_taken_up:
            self._window.watching.choose_run(order.run)
            self._window.watching.choose_slot(order.run, order.slot)
        if self.resuming is not None and self.resuming.key == (order.run, order.slot):
            self.resuming.show_answer(news)
        elif news.refusal is not None:
            self._window.notice.say(one_line(in_words(news.refusal.message), 400))
        self.moved.emit()

    # ------------------------------------------------------------------ effects

    def ask_effects(self, key: Key, agent: InterruptedAgent, parent: QWidget) -> None:
        """Effects of an interrupted agent, to be probed or settled."""
        if self.effects is not None:
            return
        from quarterdeck.ui.recovery.effects_dialogs import EffectsDialog

        lines = effects_to_check(agent.effects)
        self.effects = dialog = EffectsDialog(self._window.theme, key, agent.title, lines, parent)
        dialog.view.probe_asked.connect(self._on_probe_asked)
        dialog.view.settle_asked.connect(self._on_settle_asked)
        self._link.effect_probed.connect(dialog.view.hear_probe)
        self._link.effect_answered.connect(dialog.view.hear_answer)
        dialog.finished.connect(self._on_effects_finished)
        dialog.open()

    def show_owed(self, owed: Owed) -> None:
        """Effects that were settled, here or elsewhere, leave their dialog; also those of a run that owes no answer now."""
        dialog = self.effects
        if dialog is None:
            return
        pairs = ((run, agent) for run in owed.runs for agent in run.agents)
        found = next((a for run, a in pairs if (run.run_id, a.slot_id) == dialog.key), None)
        if found is not None:
            dialog.show_effects(effects_to_check(found.effects))
        else:
            dialog.show_over()

    def _on_effects_finished(self) -> None:
        self.effects = None

    def _on_probe_asked(self, key: tuple[RunId, SlotId, str]) -> None:
        self._link.probe(*key)

    def _on_settle_asked(self, asked: tuple[tuple[RunId, SlotId, str], str]) -> None:
        from quarterdeck.ui.recovery.effects_dialogs import SettleDialog

        dialog = SettleDialog(asked[0], asked[1], self.effects or self._window)
        dialog.settled.connect(self._on_settled)
        dialog.open()

    def _on_settled(self, said: tuple[tuple[RunId, SlotId, str], str, str]) -> None:
        key, what, reason = said
        self._link.settle(*key, "happened" if what == "happened" else "absent", reason)


def _lists(shown: Shown, run: RunId) -> bool:
    return any(one.run_id == run for one in shown.known.runs)
