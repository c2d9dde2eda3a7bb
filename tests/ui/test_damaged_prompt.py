"""A run whose journal is damaged, in the prompt: only what can be done is offered, with the reason beside it (JNL6, REC9)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.damage import ODD_PLACES, Damage, refusal_for_damage
from quarterdeck.engine.recovering import NO_JOURNAL
from quarterdeck.engine.recovery import InterruptedRun, Outside, Owed, Survivor, UnnamedAttempt, UnreadableRun
from quarterdeck.store import lines
from quarterdeck.ui import language
from quarterdeck.ui.domain_words import WHOLE
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.present_agent import agent_facts
from quarterdeck.ui.present_recovery import Going, recovery_facts
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.test_recovery_dialog import prompted

DAMAGE = "its journal is damaged (checksum does not match, at byte 1169)"
EFFECTS = tuple(EffectView(f"e{n}", EffectState.UNKNOWN, "push", f"origin b{n}", "") for n in range(4))
UNNAMED = UnnamedAttempt(
    AttemptId("a-lost"),
    Path("/data/runs/r/attempts/a-lost"),
    3,
    Decimal("0.50"),
    (left.PUSH,),
    (Survivor(48213, 991, "codex exec", "carries the agent's mark"),),
    False,
    "",
    "pushing",
    9,
    made.at(40).wall_ms,
    FiguresTotals(),
)


def damaged(**changes: object) -> InterruptedRun:
    agents = (
        left.agent("repo", "Repo", outside=Outside.TO_CHECK, effects=EFFECTS),
        replace(left.survivor_agent(), title="Pusher"),
    )
    return replace(left.run(left.FIRST, 0, 60, agents), damage=DAMAGE, torn=True, **changes)  # type: ignore[arg-type]


def test_no_agent_of_it_offers_resume_or_check_and_the_card_says_why() -> None:
    (card,) = recovery_facts(Owed((damaged(),)), made.at(2000), {}).cards
    assert [agent.going for agent in card.agents] == [Going.DAMAGED, Going.DAMAGED]
    assert {agent.note for agent in card.agents} == {"Cannot be resumed"}
    assert not any(agent.can_check for agent in card.agents)
    assert card.damage.startswith(f"No agent of this run can be resumed: {DAMAGE}.")
    assert "discard the run, or keep it as it is" in card.damage
    checks = card.agents[0].checks
    assert len([one for one in checks if one.startswith("Unknown")]) == 4, "no Check… has the others"


def test_the_inspector_offers_no_more_than_the_prompt() -> None:
    """What is refused in words everywhere is offered nowhere; the reason stands where the agent's would."""
    sound = left.view_of(damaged())
    broken = replace(sound, damaged=True)
    for view, can in ((sound, True), (broken, False)):
        slot = next(one for one in view.slots if one.slot_id == "repo")
        other = next(one for one in view.slots if not one.attempts)
        facts, waiting = (agent_facts(view, one, "", made.at(2000)) for one in (slot, other))
        assert facts.can_resume is can
        assert any(line.can_settle for line in facts.effects) is can
        assert ("No agent of this run can be resumed" in facts.reason) is not can
        assert waiting.can_start is can


def test_the_inspector_says_which_file_is_none() -> None:
    """REC3: its journal is whole, and is not blamed."""
    words = ODD_PLACES["attempts"]
    broken = replace(left.view_of(damaged()), damaged=True, reason=words)
    slot = next(one for one in broken.slots if one.slot_id == "repo")
    reason = agent_facts(broken, slot, "", made.at(2000)).reason
    assert reason.startswith(f"No agent of this run can be resumed: {words}.")


def test_a_sound_run_beside_it_keeps_all_that_it_offers() -> None:
    facts = recovery_facts(Owed((damaged(), left.owed_two().runs[0])), made.at(2000), {})
    assert [[a.going for a in card.agents] for card in facts.cards] == [
        [Going.DAMAGED, Going.DAMAGED],
        [Going.RESUME],
    ]
    assert facts.cards[1].damage == ""


def test_an_attempt_that_no_record_names_is_told_with_its_figures_its_files_and_what_lives_of_it() -> None:
    facts = recovery_facts(Owed((damaged(agents=(), unnamed=(UNNAMED,)),)), made.at(2000), {})
    (line,) = facts.cards[0].unnamed
    for words in (
        "a-lost",
        "at least 3 turns",
        "at least $0.50",
        "git push origin digest",
        str(UNNAMED.folder),
    ):
        assert words in line
    (process,) = facts.leftovers.alive
    assert (process.pid, process.attempt_id) == (48213, "a-lost")
    ended = replace(UNNAMED, survivors=(), evidence="no trace found")
    facts = recovery_facts(Owed((damaged(agents=(), unnamed=(ended,)),)), made.at(2000), {})
    assert "no trace found" in facts.cards[0].unnamed[0]
    assert facts.leftovers.checked == "Checked: no trace of the agent process was found."


@pytest.mark.qt_loop
async def test_the_dialog_shows_the_reason_and_no_button_that_would_be_refused() -> None:
    door = left.door_over(Owed((damaged(unnamed=(UNNAMED,)),)))
    async with prompted(door) as (_, dialog):
        seen = {b.accessibleName() for b in dialog.findChildren(QPushButton) if b.isVisibleTo(dialog)}
        assert not {one for one in seen if one.startswith(("Resume", "Check effects"))}
        assert {"Keep as stopped", "Discard these records", "End process 48213"} <= seen
        said = "\n".join(one.text() for one in dialog.findChildren(QLabel) if one.isVisibleTo(dialog))
        assert "No agent of this run can be resumed" in said
        assert "a-lost" in said.replace("\u200b", "")


@pytest.mark.qt_loop
async def test_what_could_be_read_in_part_is_not_said_to_be_unreadable() -> None:
    part = UnreadableRun(left.FIRST, Path("/data/runs/r"), f"{DAMAGE}; what can be read of it is shown")
    none = UnreadableRun(left.SECOND, Path("/data/runs/s"), "its journal has no readable header")
    for unreadable, words in (
        ((part,), "1 record could be read in part only"),
        ((part, none), "2 records could not be read, or in part only"),
        ((none,), "1 record could not be read"),
    ):
        async with prompted(left.door_over(Owed((damaged(),), unreadable))) as (_, dialog):
            said = [one.text() for one in dialog.unreadable.findChildren(QLabel)]
            assert words in said


@pytest.mark.qt_loop
async def test_a_prompt_of_which_nothing_can_be_read_names_it_when_it_is_asked_for() -> None:
    """The mark above the list leads somewhere, and a start is not interrupted by what nobody can answer."""
    none = UnreadableRun(left.FIRST, Path("/data/runs/s"), "its journal has no readable header")
    door = left.door_over(Owed((damaged(),)))
    door.recovery.waiting = Owed((), (none,))
    async with desk_over(door) as desk:
        after = desk.window.after_crash
        await until(lambda: desk.window.runs.owed.isVisible(), "the mark")
        assert after.dialog is None
        desk.window.runs.owed.click()
        await until(lambda: after.dialog is not None, "the prompt")
        assert after.dialog is not None
        assert "1 record could not be read" in [one.text() for one in after.dialog.findChildren(QLabel)]
        assert not after.dialog.discard.isEnabled()


SAID = [
    NO_JOURNAL,
    *(Damage(words, of_journal=False).told for words in ODD_PLACES.values()),
    Damage(DAMAGE).told,
    Damage("its journal is damaged (it does not name attempt a-1, which has reported)").words,
    Damage("its journal is damaged (it ends at entry 4, and the record of its end covers 7)").words,
    refusal_for_damage(left.FIRST, DAMAGE).message,
    "What it told after report 4 is lost, effects and files among it perhaps: not an object, at byte 310",
    "What it reported cannot be read: no checksum at its end, at byte 0",
]


@pytest.mark.parametrize("said", SAID)
def test_damage_is_said_in_the_language_of_the_person(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part of it is looked up: no word of the engine stays English in another language."""
    monkeypatch.setattr(language.Later, "now", property(lambda self: f"«{self}»"))
    language.forget()
    try:
        assert in_words(said).startswith("«")
        for reason in ("checksum does not match", "not an object", "no checksum at its end"):
            assert reason not in said or f"«{reason}»" in in_words(said)
    finally:
        language.forget()


@pytest.mark.parametrize("line", [b"{}", b'{"a":1,"crc":"00000000"}', b"no", lines.frame({"a": 1})[:-4]])
def test_every_reason_of_a_damaged_line_stands_in_the_table(line: bytes) -> None:
    with pytest.raises(lines.DamagedLine) as found:
        lines.unframe(line)
    assert str(found.value) in {str(one) for one in WHOLE}
