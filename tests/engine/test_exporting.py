"""A run as a report in Markdown: what it says of effects (EFF7, design §8)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quarterdeck.domain.states import AttemptStatus, EffectState
from quarterdeck.domain.views import EffectView, SettledView
from quarterdeck.engine.exporting import export_run
from quarterdeck.store.data_folder import Store
from tests.ui import made

PUSH = EffectView("push-1", EffectState.UNKNOWN, "git push", "origin main", "")
MAIL = EffectView("mail", EffectState.CONFIRMED, "mail", "ana", "")


def report(tmp_path: Path, *effects: tuple[EffectView, ...]) -> str:
    attempts = tuple(
        made.attempt(number, AttemptStatus.INTERRUPTED, 0, 60, effects=told)
        for number, told in enumerate(effects, start=1)
    )
    view = made.run_view(1, {"repo": "Stopped"})
    slots = tuple(replace(s, attempts=attempts) if s.slot_id == "repo" else s for s in view.slots)
    store = Store.open(tmp_path / "data")
    try:
        return export_run(store, replace(view, slots=slots), "markdown").text
    finally:
        store.close()


def test_an_effect_that_two_attempts_told_of_is_one_line_with_its_attempts(tmp_path: Path) -> None:
    settled = SettledView("happened", "it is there", "ana", made.at(90))
    again = replace(PUSH, state=EffectState.ACCEPTED_BY_PERSON, settled=settled)
    text = report(tmp_path, (PUSH, MAIL), (again,))
    (line,) = [line for line in text.splitlines() if line.startswith("- push-1")]
    assert line == (
        "- push-1 (git push origin main): accepted by person (attempt 1: unknown, attempt 2: accepted by person)"
    )
    assert "  - attempt 2: happened, as ana said" in text
    (mail,) = [line for line in text.splitlines() if line.startswith("- mail")]
    assert mail == "- mail (mail ana): confirmed (attempt 1: confirmed)"
    assert text.count("### Effects") == 1


def test_a_run_whose_pins_are_gone_says_that_its_secrets_are_not_known(tmp_path: Path) -> None:
    text = report(tmp_path, (PUSH,))
    assert "- **Secrets that could not be looked for, so that they may stand in this text:**" in text
    assert "the pinned workflow cannot be read" in text


def test_of_one_attempt_it_is_not_named(tmp_path: Path) -> None:
    assert "- push-1 (git push origin main): unknown\n" in report(tmp_path, (PUSH,))
    assert "### Effects" not in report(tmp_path, ())
