"""Sign-ins in the window: one banner whatever it concerns (AUT7), one row for limits, and the page that saves and tests (AUT5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.sign_ins import Credential, CredentialKind, Limited, Remembered, SignInUse
from quarterdeck.engine.sign_ins import SignInTested, Standing
from quarterdeck.ui.dialogs.sign_ins_dialog import SignInsDialog
from quarterdeck.ui.present_sign_ins import failure_words, limit_words
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

SECRET = "sk-canary-of-the-window"
NOW = Moment("boot", 0, 1_780_000_000_000)
HOUR_MS = 3_600_000


def use(source: str = "anthropic", title: str = "Lint", attempt: str = "a-1") -> SignInUse:
    return SignInUse(attempt, "r-1", "Night", title, source, "claude-code")


def failed(refused: int = 39, source: str = "anthropic", attempt: str = "a-1") -> Remembered:
    return Remembered(use(source, attempt=attempt), NOW.wall_ms, "401", refused)


def test_forty_agents_with_one_dead_sign_in_are_one_sentence() -> None:
    words = failure_words([failed()], NOW, UTC)
    assert words == (
        "The sign-in anthropic failed for Lint at 20:26. 39 agents were not started because of it. "
        "Save or test it under Sign-ins; nothing starts by itself."
    )
    two = failure_words([failed(1), failed(2, "openai", "a-2")], NOW, UTC)
    assert two.startswith("2 sign-ins fail, the first of them for Lint")
    assert "3 agents were not started" in two
    assert failure_words([], NOW) == ""


def test_a_programs_own_login_is_signed_in_where_it_always_was() -> None:
    """AUT5: nothing of it can be saved or tested here; and the page does not send a person to itself."""
    login = [failed(3, "login:claude-code")]
    assert "Sign in again in the program, then say so under Sign-ins" in failure_words(login, NOW, UTC)
    assert "Sign in again in the program, then press below" in failure_words(login, NOW, UTC, on_page=True)
    assert "Save or test it below" in failure_words([failed()], NOW, UTC, on_page=True)


def test_a_limit_is_one_row_with_its_reset_time_where_that_is_known() -> None:
    until_ms = NOW.wall_ms + HOUR_MS
    known = Limited(use(), "usage_limit", "weekly", until_ms, True, waiting=12)
    assert "it resets at 21:26. 12 agents wait." in limit_words([known], NOW, UTC)
    unknown = Limited(use(), "usage_limit", "weekly", until_ms, False)
    assert "when it resets is not known" in limit_words([unknown], NOW, UTC)
    assert "rate limit" in limit_words([Limited(use(), "rate_limit", "", until_ms, True)], NOW, UTC)
    assert limit_words([], NOW) == ""


@pytest.mark.qt_loop
async def test_a_banner_put_away_comes_back_for_another_failure_and_not_for_one_more_agent() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        bar = desk.window.sign_in_acts.fails
        door.sign_ins.stand(Standing((failed(1),)))
        await until(bar.isVisible, "the banner")
        bar.hide()
        door.sign_ins.stand(Standing((failed(2),)))
        assert not bar.isVisible()
        door.sign_ins.stand(Standing((failed(2), failed(0, "openai", "a-2"))))
        assert bar.isVisible()
        door.sign_ins.stand(Standing())
        assert not bar.isVisible()


@pytest.mark.qt_loop
async def test_waiting_no_longer_for_a_limit_is_one_press_and_its_row_goes_when_its_time_has_come() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        now = desk.clock()
        limit = Limited(use(), "usage_limit", "weekly", now.wall_ms + 5_000, True)
        door.sign_ins.stand(Standing(limits=(limit,)))
        bar = desk.window.sign_in_acts.limited
        await until(bar.isVisible, "the row")
        bar.act.click()
        await until(lambda: ("try_now", "anthropic") in door.sign_ins.asked, "the command")
        desk.clock.seconds += 6
        desk.window.watching.refresh()
        await until(lambda: not bar.isVisible(), "the row to go")
        assert not desk.window.actions_["try_limited"].isEnabled()


async def page(desk: Desk) -> SignInsDialog:
    desk.window.actions_["sign_ins"].trigger()
    await until(lambda: isinstance(desk.dialog(), SignInsDialog), "the page")
    dialog = desk.dialog()
    assert isinstance(dialog, SignInsDialog)
    return dialog


def everything(widget: QWidget) -> str:
    """All that is shown or told of a widget, its fields' contents apart from hidden ones."""
    labels = [part.text() for part in widget.findChildren(QLabel)]
    fields = [part.displayText() for part in widget.findChildren(QLineEdit)]
    told = [part.accessibleName() + part.accessibleDescription() for part in widget.findChildren(QWidget)]
    return " ".join((*labels, *fields, *told))


@pytest.mark.qt_loop
async def test_a_key_is_saved_from_a_field_that_hides_it_and_is_gone_from_the_page_then() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        dialog = await page(desk)
        dialog.name.setText("anthropic")
        dialog.program.setText("claude-code")
        dialog.key.setText(SECRET)
        assert SECRET not in everything(dialog)
        dialog.save.click()
        entry = Credential("anthropic", CredentialKind.API_KEY, "claude-code")
        await until(lambda: ("save", entry, True) in door.sign_ins.asked, "the save")
        await until(lambda: dialog.chosen.currentData() == "anthropic", "the list")
        assert dialog.key.text() == ""
        assert "Secret Service" in everything(dialog)


@pytest.mark.qt_loop
async def test_what_a_test_proves_is_said_and_a_failed_save_keeps_what_was_typed() -> None:
    door = FakeDoor((made.loaded(),))
    door.sign_ins.entries["anthropic"] = Credential("anthropic", CredentialKind.API_KEY, "anthropic")
    async with desk_over(door) as desk:
        dialog = await page(desk)
        await until(lambda: dialog.chosen.currentData() == "anthropic", "the list")
        door.sign_ins.test_gives = SignInTested("anthropic", None, "It proves nothing.")
        dialog.test.click()
        await until(lambda: "The test proved nothing. It proves nothing." in everything(dialog), "the answer")
        door.sign_ins.fault = "The keyring refused (KeyringLocked); unlock it and try again."
        dialog.key.setText(SECRET)
        dialog.save.click()
        await until(lambda: "unlock it" in everything(dialog), "the fault")
        assert dialog.key.text() == SECRET


@pytest.mark.qt_loop
async def test_the_page_grows_with_what_is_said_so_that_no_line_is_cut_off() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        dialog = await page(desk)
        before = dialog.height()
        long = replace(
            failed(39, "login:claude-code"), use=use("login:claude-code", "An agent of a long name " * 3)
        )
        door.sign_ins.stand(Standing((long,)))
        shown = dialog.standing
        await until(lambda: shown.isVisible() and shown.height() >= shown.heightForWidth(shown.width()) > 0)
        assert dialog.height() >= before
        assert dialog.again.height() >= dialog.again.sizeHint().height() - 4


@pytest.mark.qt_loop
async def test_who_signed_in_again_in_the_program_says_so_on_the_page() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        door.sign_ins.stand(Standing((failed(3, "login:claude-code"),)))
        dialog = await page(desk)
        assert dialog.again.isVisible()
        dialog.again.click()
        await until(lambda: ("signed_in", "login:claude-code") in door.sign_ins.asked, "the command")
