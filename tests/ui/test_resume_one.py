"""One agent resumed from the window, over a fake door: what is asked, in which order, once; what a refusal leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome
from quarterdeck.ui.present_resume import amount_of, resume_facts
from quarterdeck.ui.recovery.resume_dialog import ResumeDialog
from quarterdeck.ui.recovery.start_dialog import StartDialog
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_recovery_dialog import (
    REPO,
    WEB,
    named,
    named_or_none,
    prompted,
    without_its_process,
    words,
)

REASON = "looked: nothing was pushed"


@asynccontextmanager
async def second_step(door: FakeDoor) -> AsyncIterator[tuple[Desk, ResumeDialog]]:
    async with prompted(door) as (desk, prompt):
        named(prompt, "Resume Web researcher").click()
        dialog = desk.window.after_crash.acts.resuming
        assert dialog is not None
        await until(lambda: dialog.start.isEnabled() and "links" in words(dialog), "its facts")
        yield desk, dialog


def door_two() -> FakeDoor:
    return left.door_over(left.owed_two())


@pytest.mark.qt_loop
async def test_the_second_step_tells_before_it_asks_and_cancel_is_its_default() -> None:
    """REC14, PIN6, EFF7."""
    door = door_two()
    async with second_step(door) as (_, dialog):
        told = words(dialog).replace("\u200b", "")
        for part in (
            "opus-5, as launched",
            "Unknown: git push origin digest may have happened",
            "another version than at the last start",
            "draft (its saved file is damaged)",
            "drafts/week-48.md",
            "4f1c2a9d77",
            "$1.59 is left of the run's own limit",
        ):
            assert part in told, part
        assert dialog.start.text() == "Start attempt 2"
        assert dialog.cancel.isDefault()
        assert not dialog.start.isDefault()
        assert not dialog.choices.go_on.isChecked()
        assert door.commands == []


@pytest.mark.qt_loop
async def test_a_reason_is_needed_and_enter_in_a_field_loses_nothing() -> None:
    door = door_two()
    async with second_step(door) as (desk, dialog):
        dialog.start.click()
        assert "Say in a few words" in words(dialog)
        dialog.choices.reason.setText(REASON)
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            key = QKeyEvent(kind, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
            QApplication.sendEvent(dialog.choices.reason, key)
        await asyncio.sleep(0.05)
        assert desk.window.after_crash.acts.resuming is dialog
        assert dialog.choices.reason.text() == REASON
        assert door.commands == []


@pytest.mark.qt_loop
async def test_one_press_or_two_ask_for_one_attempt_reassign_then_limit_then_claim() -> None:
    """C3, REC8, C10: later nodes wait unless it is asked otherwise."""
    door = door_two()
    async with second_step(door) as (desk, dialog):
        dialog.choices.reason.setText(REASON)
        dialog.choices.limit.setText("3.50")
        dialog.start.click()
        dialog.start.click()
        await until(lambda: desk.window.after_crash.acts.resuming is None, "the end of the second step")
        await asyncio.sleep(0.1)
        assert door.commands == [
            ("reassign", left.FIRST, WEB, REASON, None, None, True),
            ("raise_budget", left.FIRST, WEB, Decimal("3.50")),
            ("claim", left.FIRST, WEB, False),
        ]
        assert desk.window.watching._slot == WEB


@pytest.mark.qt_loop
async def test_an_alternative_starts_from_saved_results_and_the_workflow_may_go_on() -> None:
    door = door_two()
    async with second_step(door) as (desk, dialog):
        dialog.choices.reason.setText(REASON)
        dialog.choices.agents.setCurrentIndex(1)
        dialog.choices.go_on.setChecked(True)
        assert not dialog.choices.continued.isEnabled()
        dialog.start.click()
        await until(lambda: desk.window.after_crash.acts.resuming is None)
        assert door.commands == [
            ("reassign", left.FIRST, WEB, REASON, "researcher-codex", None, False),
            ("claim", left.FIRST, WEB, True),
        ]


@pytest.mark.qt_loop
async def test_start_again_from_saved_results_is_passed_on() -> None:
    door = door_two()
    async with second_step(door) as (desk, dialog):
        dialog.choices.reason.setText(REASON)
        dialog.choices.fresh.setChecked(True)
        dialog.start.click()
        await until(lambda: desk.window.after_crash.acts.resuming is None)
        assert door.commands[0] == ("reassign", left.FIRST, WEB, REASON, None, None, False)


@pytest.mark.qt_loop
async def test_a_refused_reassign_is_said_in_words_and_nothing_that_was_typed_is_lost() -> None:
    door = door_two()
    door.refusals["reassign"] = Refusal(Code.E_STORE, "The store cannot be written: no space left.")
    async with second_step(door) as (_, dialog):
        dialog.choices.reason.setText(REASON)
        dialog.start.click()
        await until(lambda: "cannot be written" in words(dialog))
        assert dialog.choices.reason.text() == REASON
        assert [c[0] for c in door.commands] == ["reassign"]
        door.refusals.clear()
        dialog.start.click()
        await until(lambda: [c[0] for c in door.commands] == ["reassign", "reassign", "claim"])


@pytest.mark.qt_loop
async def test_a_refused_claim_leaves_it_re_opened_and_shows_that_everywhere() -> None:
    """SLT16, SLT17: in node, list, inspector and prompt; never as execution. Only the claim is asked again."""
    door = door_two()
    door.refusals["claim"] = Refusal(
        Code.E_CRED_REMEMBERED,
        "Web researcher was not started: its sign-in failed before, for Lint at 2026-11-29 23:07 UTC, and that is remembered. Save or test the credential first.",
    )
    async with second_step(door) as (desk, dialog):
        dialog.choices.reason.setText(REASON)
        dialog.start.click()
        await until(lambda: "sign-in failed" in words(dialog), "the refusal")
        assert "re-opened and waits to start" in words(dialog)
        w = desk.window
        await until(lambda: w.inspector._chip.text == "Re-opened, waiting to start", "the inspector")
        faces = {face.title: face for face in w.conduct._shown.facts.faces}
        assert [row.badge.word for row in faces["Web researcher"].rows] == ["Re-opened, waiting to start"]
        rows = [r for r in w.agents.model.rows if r.title == "Web researcher"]
        assert [r.badge.word for r in rows] == ["Re-opened, waiting to start"]
        assert not any(row.badge.is_turning for face in faces.values() for row in face.rows)
        assert w.inspector.resume.text() == "Start…"
        assert not dialog.choices.needs_reason
        door.refusals.clear()
        dialog.choices.reason.clear()
        dialog.start.click()
        await until(lambda: w.after_crash.acts.resuming is None)
        assert [c[0] for c in door.commands] == ["reassign", "claim", "claim"]
        prompt = w.after_crash.dialog
        assert prompt is not None
        assert "Re-opened, waiting to start" in words(prompt)


@pytest.mark.qt_loop
async def test_what_stands_in_the_way_is_said_and_nothing_can_be_started() -> None:
    door = door_two()
    why = Refusal(Code.E_WORKER_NOT_TERMINAL, "End the old process of Web researcher first: 48213 (codex).")
    door.recovery.previews[left.FIRST, WEB] = left.preview(refusal=why)
    async with prompted(door) as (desk, prompt):
        named(prompt, "Resume Web researcher").click()
        dialog = desk.window.after_crash.acts.resuming
        assert dialog is not None
        await until(lambda: "End the old process" in words(dialog))
        assert not dialog.start.isEnabled()


@pytest.mark.qt_loop
async def test_a_run_whose_own_limit_is_spent_can_be_given_another_first() -> None:
    """Ruling 12: raising is one thing, going on another."""
    door = door_two()
    door.recovery.previews[left.FIRST, WEB] = left.preview(run_left_usd=Decimal(0))
    door.put(replace(door.views[left.FIRST], budget_usd=Decimal("5.00")))
    async with second_step(door) as (desk, dialog):
        assert dialog.choices.run_limit.text() == "$5.00"
        dialog.choices.run_limit.setText("8")
        dialog.choices.reason.setText(REASON)
        dialog.start.click()
        await until(lambda: desk.window.after_crash.acts.resuming is None)
        assert ("raise_budget", left.FIRST, None, Decimal(8)) in door.commands


@pytest.mark.parametrize("left_usd", [None, Decimal("1.25"), Decimal(0)])
@pytest.mark.qt_loop
async def test_the_fields_of_the_second_step_begin_at_one_edge(left_usd: Decimal | None) -> None:
    """Also where nothing stands beside the limit, and where the run's own limit is asked for."""
    door = door_two()
    door.recovery.previews[left.FIRST, WEB] = left.preview(run_left_usd=left_usd, limit_usd=None)
    async with second_step(door) as (_, dialog):
        choices = dialog.choices
        fields = [f for f in (choices.reason, choices.limit, choices.run_limit) if f.isVisible()]
        assert len(fields) == (3 if left_usd == 0 else 2)
        await until(lambda: choices.reason.width() > 200, "the layout")
        edges = {field.mapTo(choices, QPoint(0, 0)).x() for field in fields}
        assert len(edges) == 1, edges


@pytest.mark.qt_loop
async def test_a_limit_is_written_as_money_and_counts_as_changed_only_where_another_amount_is_meant() -> None:
    """Every digit stays: what is shown and sent again is what it was."""
    door = door_two()
    door.recovery.previews[left.FIRST, WEB] = left.preview(limit_usd=Decimal("0.1"))
    async with second_step(door) as (_, dialog):
        choices = dialog.choices
        assert choices.limit.text() == "$0.10"
        for typed, wanted in (("0.1", None), ("$0.100", None), ("$0.25", Decimal("0.25"))):
            choices.limit.setText(typed)
            assert choices.new_limit == wanted
    for amount, said in (("1234.5", "$1234.50"), ("0.0000125", "$0.0000125"), ("3", "$3.00")):
        facts = resume_facts(left.preview(limit_usd=Decimal(amount)), None)
        assert facts.limit == said
        assert amount_of(said) == Decimal(amount)


@pytest.mark.qt_loop
async def test_a_limit_that_is_none_is_said_before_anything_is_asked() -> None:
    door = door_two()
    async with second_step(door) as (_, dialog):
        dialog.choices.reason.setText(REASON)
        for typed in ("many", ""):
            dialog.choices.limit.setText(typed)
            dialog.start.click()
            assert "limit" in words(dialog).lower()
        assert door.commands == []


@pytest.mark.parametrize("display", ["Failed", "Stopped"])
@pytest.mark.qt_loop
async def test_an_agent_of_any_ended_run_can_be_resumed_from_the_inspector(display: str) -> None:
    """Also without a prompt, by the action that the palette offers."""
    flow = made.workflow()
    view = made.ended(made.run_view(1, {"web": display}, flow, run_id=left.FIRST), Outcome.FAILED)
    door = FakeDoor((made.loaded(flow),))
    door.put(view)
    door.recovery.previews[left.FIRST, WEB] = left.preview()
    async with desk_over(door) as desk:
        w = desk.window
        w.watching.choose_run(left.FIRST)
        w.watching.choose_slot(left.FIRST, REPO)
        await until(lambda: w.inspector.resume.text() == "Start…", "one that never began")
        w.watching.choose_slot(left.FIRST, WEB)
        await until(lambda: w.inspector.resume.isVisible())
        w.actions_["resume_agent"].trigger()
        await until(lambda: w.after_crash.acts.resuming is not None)
        dialog = w.after_crash.acts.resuming
        assert dialog is not None
        await until(lambda: dialog.start.isEnabled())
        dialog.choices.reason.setText("again")
        dialog.start.click()
        await until(lambda: [c[0] for c in door.commands] == ["reassign", "claim"])


@pytest.mark.qt_loop
async def test_effects_are_probed_and_settled_with_a_reason_from_prompt_and_inspector() -> None:
    """EFF6, ruling 13."""
    door = door_two()
    async with prompted(door) as (desk, prompt):
        acts = desk.window.after_crash.acts
        row = next(r for c in prompt.cards.values() for r in c.rows if r.key == (left.FIRST, REPO))
        row.check.click()
        assert acts.effects is not None
        named(acts.effects, "Probe push-1").click()
        await until(lambda: "there is no probe" in words(acts.effects), "the answer")
        named(acts.effects, "Settle push-1").click()
        settle = next(d for d in acts.effects.children() if getattr(d, "happened", None) is not None)
        settle.absent.click()
        assert "how that is known" in words(settle)
        settle.reason.setText("the remote has no such commit")
        settle.absent.click()
        asked = ("settle", left.FIRST, REPO, "push-1", "absent", "the remote has no such commit")
        await until(lambda: asked in door.recovery.commands)
        acts.effects.reject()
        desk.window.watching.choose_run(left.FIRST)
        desk.window.watching.choose_slot(left.FIRST, REPO)
        inspector = desk.window.inspector
        await until(
            lambda: any(b.accessibleName() == "Probe push-1" for b in inspector.findChildren(type(row.check)))
        )
        named(inspector.overview, "Probe push-1").click()
        await until(lambda: door.recovery.commands.count(("probe", left.FIRST, REPO, "push-1")) == 2)


@pytest.mark.qt_loop
async def test_an_agent_that_waits_for_a_person_in_an_ended_run_is_started_by_one() -> None:
    """C10, ruling 3: a claim and nothing else; a refusal is said in words."""
    door = door_two()
    door.refusals["claim"] = Refusal(
        Code.E_NOT_CLAIMABLE, "Drafter cannot start yet: what it depends on is not done."
    )
    async with prompted(door) as (desk, prompt):
        prompt.put_away()
        w = desk.window
        w.watching.choose_run(left.FIRST)
        w.watching.choose_slot(left.FIRST, SlotId("drafter"))
        await until(lambda: w.inspector.resume.isVisible())
        w.inspector.resume.click()
        dialog = desk.dialog()
        assert isinstance(dialog, StartDialog)
        assert dialog.cancel.isDefault()
        assert "It may cost money." in words(dialog)
        dialog.go_on.setChecked(True)
        dialog.start.click()
        await until(lambda: "cannot start yet" in w.notice.words)
        assert door.commands == [("claim", left.FIRST, "drafter", True)]


@pytest.mark.qt_loop
@pytest.mark.parametrize("moved", [False, True], ids=["mended", "mended, and something else moved"])
async def test_what_stood_in_the_way_is_looked_at_anew_at_each_press(moved: bool) -> None:
    """A program that was mended meanwhile starts at the next press; what is new besides is shown before."""
    door, key = door_two(), (left.FIRST, WEB)
    good = door.recovery.previews[key]
    bad = replace(good.choices[0], problem="researcher cannot be started: not executable.")
    door.recovery.previews[key] = replace(good, choices=(bad, *good.choices[1:]))
    async with second_step(door) as (desk, dialog):
        dialog.choices.reason.setText(REASON)
        dialog.start.click()
        await until(lambda: words(dialog).count("not executable") == 2, "the same answer, read anew")
        assert door.commands == []
        door.recovery.previews[key] = replace(good, kept_steps=("sources read",)) if moved else good
        dialog.start.click()
        if moved:
            await until(lambda: "Something else has changed" in words(dialog), "what is new")
            assert door.commands == []
            assert dialog.choices.reason.text() == REASON
            dialog.start.click()
        await until(lambda: desk.window.after_crash.acts.resuming is None, "the end of the second step")
        assert [c[0] for c in door.commands] == ["reassign", "claim"]


@pytest.mark.qt_loop
@pytest.mark.parametrize("answered", [False, True], ids=["settled", "settled, and the run answered"])
async def test_effects_that_were_settled_elsewhere_leave_their_open_dialog(answered: bool) -> None:
    """Nothing was pressed here: it is read anew while it is open, and no run has to be owed for it."""
    owed = without_its_process(left.owed_two())
    door = left.door_over(owed)
    async with prompted(door) as (desk, dialog):
        named(dialog, "Check effects of Repo researcher").click()
        effects = desk.window.after_crash.acts.effects
        assert effects is not None
        assert named(effects, "Settle push-1")
        first = owed.runs[1]
        settled = replace(first, agents=(replace(first.agents[0], effects=()), first.agents[1]))
        door.recovery.waiting = replace(owed, runs=owed.runs[:1] if answered else (owed.runs[0], settled))
        if answered:
            door.put(replace(left.view_of(settled), unanswered=False))
        told = "This run was answered meanwhile" if answered else "Nothing is left to check"
        await until(lambda: told in words(effects), "what is left")
        await until(lambda: named_or_none(effects, "Settle push-1") is None, "its button is gone")


@pytest.mark.qt_loop
async def test_the_run_stays_in_the_prompt_while_its_agent_is_being_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """REC8: where the store is slow, what is owed is read anew before the claim is answered, and the run is not owed by then."""
    door, may_go_on, looked = door_two(), asyncio.Event(), asyncio.Event()
    claim, owed = door.claim, door.recovery.owed

    async def slow_claim(*asked: Any, **more: Any) -> Any:
        door.recovery.waiting = replace(door.recovery.waiting, runs=())
        await may_go_on.wait()
        return await claim(*asked, **more)

    async def counted_owed() -> Any:
        if not door.recovery.waiting.runs:
            looked.set()
        return await owed()

    monkeypatch.setattr(door, "claim", slow_claim)
    monkeypatch.setattr(door.recovery, "owed", counted_owed)
    async with second_step(door) as (desk, dialog):
        prompt = desk.window.after_crash.dialog
        assert prompt is not None
        dialog.choices.reason.setText(REASON)
        dialog.start.click()
        await asyncio.wait_for(looked.wait(), 20)
        await asyncio.sleep(0.05)
        may_go_on.set()
        await until(lambda: desk.window.after_crash.acts.resuming is None, "the end of the second step")
        for part in ("Repo researcher", "Web researcher", "Quarterdeck closed while"):
            assert part in words(prompt)


def test_a_practice_agent_is_started_without_a_word_of_money(qapp: QApplication) -> None:
    dialog = StartDialog("Drafter", is_practice=True)
    assert "A practice agent costs nothing." in words(dialog)
    assert "money" not in words(dialog)
    dialog.deleteLater()
