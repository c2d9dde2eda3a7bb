"""What the window hides of what agents tell: in every text of a view, once for what did not move (AUT1, P9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import EffectView
from quarterdeck.engine import redacting
from quarterdeck.engine.redacting import masked, masked_text, with_asterisks
from quarterdeck.ui.hiding import Hiding
from tests.ui import made
from tests.ui.test_stuck_running import with_attempt

SECRET, LONGER = "kJ8wcanaryq2Z77", "kJ8wcanaryq2Z77XYZ123"


def effects(count: int) -> tuple[EffectView, ...]:
    return tuple(EffectView(f"e{n}", EffectState.SENT, "shell", f"cat {n}", SECRET) for n in range(count))


def test_of_two_secrets_that_begin_alike_the_longer_leaves_no_tail() -> None:
    for secrets in ((SECRET, LONGER), (LONGER, SECRET)):
        assert masked_text(f"key={LONGER}", secrets) == "key=" + "*" * len(LONGER)
        assert masked(f"key={LONGER}".encode(), secrets) == b"key=" + b"*" * len(LONGER)


def test_names_within_an_output_are_hidden_and_what_holds_none_is_the_same_object() -> None:
    assert with_asterisks({"k": {SECRET: 1}}, {SECRET}) == {"k": {"*" * len(SECRET): 1}}
    harmless = {"k": [1, "a word", {"b": None}]}
    assert with_asterisks(harmless, {SECRET}) is harmless


def test_an_effect_that_did_not_move_is_not_looked_through_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 agents of 300 effects each, of which each look sees some move."""
    run = with_attempt(made.run_view(1, {"web": "Running"}), "web", effects=effects(300))
    hiding = Hiding()
    hiding.learn({SECRET})
    first = hiding.run(run)
    (slot,) = (one for one in first.slots if one.slot_id == "web")
    assert {one.detail for one in slot.attempts[-1].effects} == {"*" * len(SECRET)}
    looked_through: list[str] = []

    def counted(text: str, secrets: object) -> str:
        looked_through.append(text)
        return masked_text(text, [SECRET])

    monkeypatch.setattr(redacting, "masked_text", counted)
    (web,) = (one for one in run.slots if one.slot_id == "web")
    moved = replace(web, attempts=(*web.attempts[:-1], replace(web.attempts[-1], program_version="9")))
    again = hiding.run(replace(run, slots=tuple(moved if one is web else one for one in run.slots)))
    (slot,) = (one for one in again.slots if one.slot_id == "web")
    assert {one.detail for one in slot.attempts[-1].effects} == {"*" * len(SECRET)}
    assert len(looked_through) < 100
