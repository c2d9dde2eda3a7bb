"""Every verb of the window is in the one registry: its button, its menu, its key and the palette are one thing (ux, Shortcuts)."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QTabBar,
    QToolButton,
    QWidget,
)

import quarterdeck.ui
from quarterdeck.domain.ids import SlotId
from quarterdeck.engine.planned import BrokenWorkflow, Problem
from quarterdeck.ui.action_specs import FIXED_KEYS, SPECS
from quarterdeck.ui.actions import ACTION
from quarterdeck.ui.inspector import FILES, PROMPT, TRANSCRIPT
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_inspector import FILE_LIST, retried
from tests.ui.test_news import asking

pytestmark = pytest.mark.qt_loop
IDS = {spec.id for spec in SPECS}
NO_ACTION = {
    "Menu": "opens the menu of all actions; its key, F10, is fixed",
    "More about runs": "opens a menu of registered actions",
    "Dismiss notice": "puts away one sentence that has been read; nothing is done",
    "Close this card": "puts away the card; nothing is done",
    "Previous place": "a key of the find field itself, written on it: Shift+Enter",
    "Next place": "a key of the find field itself, written on it: Enter",
    "Close find": "a key of the find field itself, written on it: Esc",
    "Match case": "a choice of the find field",
}
"""Buttons that are no verb of the window, and why, by accessible name."""
NO_ACTION_OF = {
    "MessageRow": "what is said stands in the field beside it; say_agent leads there, and no menu sends words",
    "QuestionCard": "an answer is given where its question was read, on its card; no key and no menu may give one",
    "_EffectRow": "one of several effects: which one is said by where its button stands",
    "Switcher": "a choice of what is shown; previous_run and next_run walk it",
    "RunPlace": "a choice of what is shown; previous_run and next_run walk it",
}
"""Buttons inside these parts, by class."""
OWNERS = {
    "AboutDialog": "about",
    "BudgetsDialog": "budgets",
    "ClosingDialog": "quit",
    "CompareDialog": "compare_runs",
    "CrashDialog": "simulate_crash",
    "DiscardDialog": "discard_run",
    "DiscardedDialog": "discarded_runs",
    "EffectsDialog": "interrupted",
    "ExportDialog": "export_run",
    "ImportDialog": "import_mcp",
    "KeysDialog": "keys",
    "LimitDialog": "raise_limit",
    "PaletteDialog": "palette",
    "QuitDialog": "quit",
    "RecoveryDialog": "interrupted",
    "ResumeDialog": "resume_agent",
    "RunDialog": "run",
    "SettingsDialog": "settings",
    "SettleDialog": "interrupted",
    "SignInsDialog": "sign_ins",
    "StartDialog": "resume_agent",
    "StopDialog": "stop",
    "SwitchDialog": "switch_agent",
}
"""{dialog: the action that leads to it}. The buttons of a dialog answer its question and stand for nothing else."""


def broken() -> BrokenWorkflow:
    return BrokenWorkflow(Path("/folder/bad.workflow.json"), (Problem("nodes[0]", 3, "has no agent"),))


def of_another(widget: QWidget) -> bool:
    """Inside a field, a list or a tab bar, of which it is a part."""
    parent = widget.parentWidget()
    inside = QAbstractSpinBox | QComboBox | QLineEdit | QTabBar | QAbstractItemView
    return isinstance(parent, inside) or widget.objectName().startswith("qt_")


def buttons(desk: Desk) -> list[QAbstractButton]:
    found = desk.window.findChildren(QAbstractButton)
    return [b for b in found if b.isVisible() and b.window() is desk.window and not of_another(b)]


def action_id(button: QAbstractButton) -> str:
    if isinstance(button, QToolButton) and button.defaultAction() is not None:
        return button.defaultAction().objectName()
    return str(button.property(ACTION) or "")


def excepted(button: QAbstractButton) -> bool:
    if button.accessibleName() in NO_ACTION or button.text() in NO_ACTION:
        return True
    parent = button.parentWidget()
    while parent is not None:
        if NO_ACTION_OF.get(type(parent).__name__):
            return True
        parent = parent.parentWidget()
    return type(button).__name__ in NO_ACTION_OF


def unregistered(desk: Desk) -> list[str]:
    return [
        f"{button.accessibleName() or button.text()} in {type(button.parentWidget()).__name__}"
        for button in buttons(desk)
        if action_id(button) not in IDS and not excepted(button)
    ]


def out_of_step(desk: Desk) -> list[str]:
    """Buttons that can be pressed where their action cannot be done, or the other way round."""
    actions = desk.window.actions_
    return [
        f"{name}: the button {button.isEnabled()}, the action {actions[name].isEnabled()}"
        for button in buttons(desk)
        if (name := action_id(button)) in IDS and button.isEnabled() != actions[name].isEnabled()
    ]


@asynccontextmanager
async def desk_with(*names: str) -> AsyncIterator[Desk]:
    door = FakeDoor((made.loaded(), broken()))
    view = retried(files=FILE_LIST)
    door.put(
        view,
        made.ended(made.run_view(7, {"planner": "Failed"})),
        asking(made.run_view(9, {"web": "Needs you"}), "web"),
    )
    async with desk_over(door) as desk:
        await until(lambda: "live" in desk.window.windowTitle() and "none" not in desk.window.windowTitle())
        desk.window.watching.choose_slot(view.run_id, SlotId("repo"))
        for name in names:
            desk.window.actions_[name].trigger()
        yield desk


async def test_every_button_of_the_window_stands_for_a_registered_action() -> None:
    """M11: in each place of the window, with notices, cards and errors shown."""
    async with desk_with() as desk:
        window = desk.window
        window.notice.say("A sentence.")
        window.discarded.offer("Gone.", "Undo discard")
        window.not_recording.offer("Not recorded.", "Try again")
        window.first_card.show()
        window.runs.find_here()
        seen: dict[str, None] = {}
        places = (
            "go_canvas",
            "go_activity",
            "go_run_timeline",
            "go_questions",
            "go_problems",
            "go_log",
            "go_agents",
            "go_runs",
        )
        for page in (0, TRANSCRIPT, FILES, PROMPT):
            window.inspector.tabs.setCurrentIndex(page)
            seen |= dict.fromkeys(unregistered(desk))
        for place in (*places, "find_transcript", "go_timeline"):
            window.actions_[place].trigger()
            seen |= dict.fromkeys(unregistered(desk))
        window.actions_["go_canvas"].trigger()
        for run in [row.run_id for row in window.runs.model.rows if row.run_id is not None]:
            window.watching.choose_run(run)
            seen |= dict.fromkeys(unregistered(desk))
        for page_ in (window.problems, window.empty):
            window.middle.setCurrentWidget(page_)
            window.empty.show_words("No.", "None.", can_open=True, can_retry=True)
            seen |= dict.fromkeys(unregistered(desk))
        assert list(seen) == [], (
            "a verb that is a button only: register it, or say in NO_ACTION why it is none"
        )


async def test_a_verb_that_is_a_button_only_is_seen() -> None:
    """What the test above rests on: it sees a button that stands for nothing, and each of the known ones."""
    async with desk_with() as desk:
        assert {"run", "stop", "pause_agent", "stop_agent", "go_runs"} <= set(map(action_id, buttons(desk)))
        stranger = QPushButton("Launch rockets", desk.window.inspector)
        stranger.show()
        assert unregistered(desk) == ["Launch rockets in Inspector"]


async def test_a_button_can_be_pressed_exactly_where_its_action_can_be_done() -> None:
    async with desk_with() as desk:
        window = desk.window
        for page in (0, TRANSCRIPT, FILES, PROMPT):
            window.inspector.tabs.setCurrentIndex(page)
            assert out_of_step(desk) == []
        for row in window.agents.model.rows:
            window.watching.choose_slot(*row.key)
            assert out_of_step(desk) == []
        window.actions_["go_timeline"].trigger()
        assert out_of_step(desk) == []


@pytest.mark.parametrize(
    "name",
    [
        "pause_agent",
        "open_transcript",
        "find_transcript",
        "copy_transcript",
        "copy_file_path",
        "stop_agent",
    ],
)
async def test_pressing_a_button_is_triggering_its_action_once(name: str) -> None:
    async with desk_with() as desk:
        inspector, triggered = desk.window.inspector, []
        desk.window.actions_[name].triggered.connect(lambda *_: triggered.append(name))
        for page in (0, TRANSCRIPT, FILES, PROMPT):
            inspector.tabs.setCurrentIndex(page)
            found = [b for b in buttons(desk) if action_id(b) == name and b.property(ACTION)]
            if found:
                assert len(found) == 1
                await until(found[0].isEnabled)
                found[0].click()
                break
        assert triggered == [name]


async def test_every_entry_of_a_menu_is_a_registered_action() -> None:
    async with desk_with() as desk:
        entries = [
            action
            for menu in desk.window.findChildren(QMenu)
            if not isinstance(menu.parentWidget(), QLineEdit)
            for action in menu.actions()
            if not action.isSeparator() and action.menu() is None
        ]
        assert entries
        known = set(map(id, (desk.window.actions_[name] for name in IDS)))
        assert [a.text() for a in entries if id(a) not in known and a.text() != "Show Quarterdeck"] == []


async def test_every_key_of_the_window_is_in_the_list_of_keys() -> None:
    """A shortcut that the registry does not know could not be seen, rebound, or found to collide."""
    async with desk_with() as desk:
        window = desk.window
        mine = {id(window.actions_[name]) for name in IDS}
        strangers = [a for a in window.findChildren(QAction) if a.shortcuts() and id(a) not in mine]
        assert [f"{a.text()} {a.shortcut().toString()}" for a in strangers] == []
        keyed = [b for b in window.findChildren(QAbstractButton) if not b.shortcut().isEmpty()]
        assert [
            b.accessibleName()
            for b in keyed
            if b.shortcut().toString() not in FIXED_KEYS and not action_id(b)
        ] == []


def dialogs() -> set[str]:
    """Every dialog that the window's room declares."""
    for module in pkgutil.walk_packages(quarterdeck.ui.__path__, "quarterdeck.ui."):
        importlib.import_module(module.name)
    found, left = set(), [QDialog]
    while left:
        for kind in left.pop().__subclasses__():
            left.append(kind)
            if kind.__module__.startswith("quarterdeck.ui."):
                found.add(kind.__name__)
    return found


async def test_every_dialog_is_led_to_by_a_registered_action() -> None:
    assert dialogs() == set(OWNERS)
    assert set(OWNERS.values()) <= IDS


CANVAS_EDITING = {
    "A",
    "/",
    "L",
    "Ctrl+D",
    "Del",
    "Ctrl+Z",
    "Ctrl+Shift+Z",
    "Ctrl+G",
    "N",
    "D",
    "F2",
    "Shift+A",
}
"""Keys of ux *Shortcuts* that edit a workflow: they come with editing."""
TABLE = {
    "Ctrl+K": "palette",
    "Ctrl+Return": "run",
    "Ctrl+Enter": "run",
    "Ctrl+.": "stop",
    "Ctrl+Shift+A": "next_waiting",
    "Ctrl+1": "go_runs",
    "Ctrl+2": "go_canvas",
    "Ctrl+3": "go_inspector",
    "Ctrl+J": "toggle_bottom",
    "Ctrl+T": "go_timeline",
    "Ctrl+F": "find",
    "[": "previous_run",
    "]": "next_run",
    "Shift+1": "fit",
    "Shift+2": "fit_chosen",
    "Ctrl+,": "settings",
    "Ctrl+0": "zoom_full",
    "Ctrl++": "zoom_in",
    "Ctrl+-": "zoom_out",
    "Ctrl+/": "keys",
    "F1": "keys",
}
"""The table of ux *Shortcuts*, key by key, without those of CANVAS_EDITING; Space and the middle button pan (canvas)."""


async def test_the_keys_are_those_of_the_table() -> None:
    has = {key: spec.id for spec in SPECS for key in spec.keys}
    assert {key: has.get(key) for key in TABLE} == TABLE
    assert CANVAS_EDITING & has.keys() == set()


async def test_no_key_answers_an_agent() -> None:
    """Whatever is triggered by a key, no question is answered (ux, Approval)."""
    keyed = [spec.id for spec in SPECS if spec.keys and spec.id not in {"quit", "run", "open_folder"}]
    async with desk_with() as desk:
        door = desk.link._bound
        assert isinstance(door, FakeDoor)
        for name in keyed:
            desk.window.actions_[name].trigger()
            dialog = desk.dialog()
            if dialog is not None:
                dialog.reject()
        assert [
            c for c in door.commands if c[0] in {"answer", "pause", "continue", "stop_run", "stop_slot"}
        ] == []
