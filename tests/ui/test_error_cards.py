"""An error as a card: what happened, where, what is kept, what to do; for every class that the domain knows (ux, Errors)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication

from quarterdeck.agents.lines_protocol import ERROR_CLASSES
from quarterdeck.agents.practice_program import ERROR_CLASSES as OF_PRACTICE
from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.states import AttemptStatus, EndReason, ErrorClass
from quarterdeck.domain.views import ArtifactView, ErrorView, RunView
from quarterdeck.ui.present_errors import CLASS_ADVICE, REASON_ADVICE, ErrorCard, advice, error_card
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

DONE = {"planner": "Done", "web": "Done", "repo": "Done", "drafter": "Done"}


def failed(display: str = "Failed", **changes: Any) -> RunView:
    """The reviewer failed; four others are done."""
    view = made.run_view(1, {**DONE, "reviewer": display})
    told = {"agent": "plan", "agent_kind": "gemini-cli", "exit_code": 1, "end_reason": EndReason.EXIT}
    attempt = replace(made.attempt(1, AttemptStatus.FAILED, 0, 60), **{**told, **changes})  # type: ignore[arg-type]
    slots = [
        replace(slot, attempts=(attempt,)) if slot.slot_id == "reviewer" else slot for slot in view.slots
    ]
    return replace(view, slots=tuple(slots))


def card_of(view: RunView) -> ErrorCard:
    slot = next(slot for slot in view.slots if slot.slot_id == "reviewer")
    found = error_card(view, slot, slot.attempts[-1] if slot.attempts else None, "A")
    assert found is not None
    return found


def test_it_says_what_happened_where_what_is_kept_and_what_to_do() -> None:
    card = card_of(failed())
    assert card.what == "Reviewer stopped: gemini-cli ended with exit code 1 after 4 turns."
    assert card.kept == "Results of 4 other agents are kept."
    assert card.where == "Run A · r-17f3 of Ship weekly digest, attempt 1, in /projects/digest."
    assert card.advice == "Read the end of its transcript, mend what it says, then resume it."
    assert card.copied.splitlines()[:4] == [card.what, card.where, card.kept, card.advice]


@pytest.mark.parametrize("error_class", ErrorClass)
def test_every_class_of_errors_has_its_own_sentence_of_what_to_do(error_class: ErrorClass) -> None:
    """The domain's own enumeration: a class that is added there fails here until it is answered."""
    error = ErrorView(error_class.value, "raw words\nof the agent")
    reason = {ErrorClass.SPAWN: EndReason.SPAWN, ErrorClass.AUTH: EndReason.SIGN_IN}.get(
        error_class, EndReason.EXIT
    )
    card = card_of(failed(errors=(error,), end_reason=reason))
    assert error_class in CLASS_ADVICE
    assert CLASS_ADVICE[error_class].endswith(".")
    if error_class is ErrorClass.BEYOND_LIMITS:
        assert (card.said, card.details) == ("raw words of the agent", "raw words\nof the agent"), (
            "it is ours"
        )
    else:
        assert card.said == "It said: raw words"
        assert card.details == f"{error_class}: raw words\nof the agent"
    if error_class not in {ErrorClass.OTHER, ErrorClass.BEYOND_LIMITS}:
        assert card.advice == CLASS_ADVICE[error_class]
        assert advice(EndReason.AGENT_ERROR, error_class) == card.advice
    assert card.what.startswith("Reviewer ")


LOST = ErrorView("recording", "9,558 bytes of the transcript could not be kept: the disk did not take them")


def test_what_no_disk_took_is_not_told_as_words_of_the_agent() -> None:
    """A full disk is no error of the agent, and looking at what it did mends none."""
    card = card_of(
        failed("Stopped", errors=(LOST,), status=AttemptStatus.INTERRUPTED, reason="the app closed")
    )
    assert card.what == "Not all that Reviewer printed or told was recorded."
    assert card.said == LOST.message
    assert card.advice.startswith("Look whether the disk that holds the records is full.")
    assert "recording" not in card.details
    also = card_of(failed(errors=(ErrorView("other", "no such file"), LOST)))
    assert also.said == "It said: no such file"
    assert LOST.message in also.details
    alone = card_of(failed(errors=(LOST,)))
    assert (alone.what, alone.said) == (card_of(failed()).what, LOST.message)
    assert alone.advice == card_of(failed()).advice


@pytest.mark.parametrize("reason", EndReason)
def test_every_reason_of_an_end_has_its_sentence(reason: EndReason) -> None:
    card = card_of(failed(end_reason=reason, exit_code=None, reason="its words"))
    assert card.advice == REASON_ADVICE[reason]
    assert card.what.startswith("Reviewer ")
    assert "no reason is known" not in card.what


def test_a_start_that_failed_says_why_and_asks_for_no_more_than_that() -> None:
    """A folder, a key or a program: what is missing is made, and the agent resumed."""
    card = card_of(failed(end_reason=EndReason.SPAWN, exit_code=None, reason="The folder /w is not there."))
    assert card.what == "Reviewer did not start: The folder /w is not there."
    assert card.advice.startswith("Mend what it says, then resume it")
    assert "Install" not in card.advice


def test_the_tables_hold_nothing_that_the_domain_does_not_know() -> None:
    assert CLASS_ADVICE.keys() == set(ErrorClass)
    assert REASON_ADVICE.keys() == set(EndReason)
    assert (
        set(ERROR_CLASSES)
        == set(OF_PRACTICE)
        == set(ErrorClass) - {ErrorClass.SPAWN, ErrorClass.BEYOND_LIMITS}
    )


def test_a_word_of_a_later_version_is_answered_by_the_end() -> None:
    card = card_of(failed(errors=(ErrorView("no_such_class", "x"),)))
    assert card.advice == REASON_ADVICE[EndReason.EXIT]
    assert advice(None, "") == REASON_ADVICE[EndReason.EXIT]


def test_it_says_nothing_to_be_done_where_that_is_so() -> None:
    """A retry that comes by itself, an agent that goes on, and one that is done need nobody."""
    error = ErrorView("overloaded", "529")
    assert card_of(failed("Retrying", errors=(error,))).advice == "Nothing: another attempt starts by itself."
    going = failed("Running", errors=(error,), status=AttemptStatus.RUNNING, ended_at=None, end_reason=None)
    assert card_of(going).what == "Reviewer told an error and goes on."
    done = failed("Done", errors=(error,), status=AttemptStatus.SUCCEEDED)
    assert card_of(done).advice == "Nothing: it is done."


def test_it_claims_no_result_that_is_not_there() -> None:
    view = failed(
        artifacts=(
            ArtifactView("a.md", "a" * 64, 1, None, "0001"),
            ArtifactView("b", "b" * 64, 1, None, None),
        )
    )
    assert card_of(view).kept == "Results of 4 other agents are kept. Of its own, 1 saved file is kept."
    alone = replace(view, slots=view.slots[-1:])
    assert card_of(alone).kept.startswith("No other agent has results so far.")


def test_an_agent_that_was_never_started_says_why() -> None:
    view = failed()
    slots = tuple(
        replace(s, attempts=(), reason="The store cannot be written.") if s.slot_id == "reviewer" else s
        for s in view.slots
    )
    card = card_of(replace(view, slots=slots))
    assert card.what.startswith("Reviewer was not started: The store cannot be written.")


@pytest.mark.qt_loop
async def test_the_raw_text_is_behind_details_and_copy_takes_all_of_it(tmp_path: Path) -> None:
    door = FakeDoor((made.loaded(),))
    view = failed(errors=(ErrorView("rate_limit", "429 \u202eevil"),))
    door.put(view)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        actions = desk.window.actions_
        assert not actions["copy_error"].isEnabled()
        desk.window.watching.choose_slot(view.run_id, SlotId("reviewer"))
        card = desk.window.inspector.overview.error
        assert card.isVisible()
        assert not card.text.isVisible()
        assert card.accessibleName() == "Reviewer stopped: gemini-cli ended with exit code 1 after 4 turns."
        card.details.click()
        assert card.text.isVisible()
        assert actions["error_details"].isChecked()
        assert card.text.toPlainText() == "rate_limit: 429 \\u202eevil"
        actions["error_details"].trigger()
        assert not card.text.isVisible()
        actions["copy_error"].trigger()
        copied = QGuiApplication.clipboard().text()
        assert copied.startswith("Reviewer stopped: gemini-cli ended with exit code 1 after 4 turns.")
        assert copied.endswith("rate_limit: 429 \\u202eevil")
        desk.window.watching.choose_slot(view.run_id, SlotId("planner"))
        assert not card.isVisible()
        assert not actions["copy_error"].isEnabled()
