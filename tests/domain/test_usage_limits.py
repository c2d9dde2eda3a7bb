"""Usage beyond what is told apart is counted all the same, is said, and never makes "at least" untrue (ruling 11, I5)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.figures_json import figures_from_json, figures_to_json
from quarterdeck.domain.kept_facts import MESSAGES, MODELS, SESSIONS
from quarterdeck.domain.reports_fold import AttemptFold, Baseline, baseline_of
from quarterdeck.domain.usage_limits import OTHER_MODELS, beyond_words
from tests.domain.build import reports, usage


def folded(*bodies: dict[str, Any], base: Baseline | None = None) -> AttemptFold:
    fold = AttemptFold(base or Baseline())
    for report in reports(*bodies):
        fold.apply(report)
    return fold


def models_of(figures: FiguresTotals) -> list[str]:
    return [one.model for one in figures.by_model]


def test_models_beyond_the_limit_count_together_and_the_sum_is_exact() -> None:
    names = [f"model-{n:03}" for n in range(MODELS.count + 30)]
    figures = folded(*(usage("0.01", model=name, input_tokens=3) for name in names * 2)).totals()
    assert models_of(figures) == sorted([*names[: MODELS.count], OTHER_MODELS])
    assert (figures.cost_usd, figures.cost_is_complete) == (Decimal("1.60"), True)
    assert figures.tokens.input_tokens == 480
    assert figures.beyond == ("models",)
    assert "50" in beyond_words(figures.beyond)[0]
    assert figures_from_json(figures_to_json(figures)) == figures


def test_names_of_models_that_are_long_or_strange_keep_the_figures_small() -> None:
    """They go to the app ten times a second, and into the space that is reserved for the end of an attempt."""
    figures = folded(*(usage("0.01", model="\U0001f600" * 400 + str(n)) for n in range(100))).totals()
    assert figures.cost_usd == Decimal("1.00")
    assert len(json.dumps(figures_to_json(figures))) < 128 * 1024
    assert len(json.dumps(figures_to_json(figures), ensure_ascii=False).encode()) < 60 * 1024
    (long,) = models_of(folded(usage("0.01", model="x" * 60_000)).totals())
    assert len(long) < 600


def test_running_totals_of_models_beyond_the_limit_count_at_least() -> None:
    named = [usage("0.01", model=f"m{n}") for n in range(MODELS.count)]
    others = [usage(cost, model=name, cumulative=True) for name, cost in (("x", "5"), ("y", "2"), ("x", "6"))]
    first = folded({"kind": "session", "id": "s"}, *named, *others)
    figures = first.totals()
    assert (figures.cost_usd, figures.cost_is_complete) == (Decimal("6.50"), False)
    again = folded(
        {"kind": "session", "id": "s"},
        *named,
        usage("7", model="x", cumulative=True),
        base=baseline_of([first]),
    )
    assert again.totals().cost_usd == Decimal("1.50")


def test_a_message_that_is_told_again_counts_once_as_long_as_it_is_remembered() -> None:
    many = [usage("0.01", message_id=str(n)) for n in range(MESSAGES.count)]
    figures = folded(*many, *many).totals()
    assert (figures.cost_usd, figures.beyond) == (Decimal("100.00"), ())
    more = folded(*many, usage("0.01", message_id="new"), usage("0.01", message_id="new")).totals()
    assert (more.cost_usd, more.beyond) == (Decimal("100.01"), ("messages",))


def test_what_a_slot_leaves_to_its_next_attempt_is_bounded_and_a_message_of_it_is_taken_back_once() -> None:
    many = [usage("0.01", message_id=str(n)) for n in range(MESSAGES.count)]
    session = {"kind": "session", "id": "s"}
    base = baseline_of(
        [folded(session, *many), folded(session, *(usage("0.01", message_id=f"b{n}") for n in range(9)))]
    )
    kept = base.sessions["s"].messages
    assert len(kept) == MESSAGES.count
    assert ("0" in kept, "9" in kept, "b8" in kept) == (False, True, True)
    flood = [usage("0.01", message_id=f"c{n}") for n in range(MESSAGES.count)]
    told = folded(session, usage("0.01", message_id="9"), *flood, usage("0.01", message_id="9"), base=base)
    assert told.totals().cost_usd == Decimal("100.01"), (
        "first a repeat of what was counted, then as a new one"
    )


def test_sessions_beyond_the_limit_count_together() -> None:
    bodies = []
    for n in range(SESSIONS.count + 5):
        bodies += [{"kind": "session", "id": f"s{n}"}, usage("0.01", message_id="same")]
    fold = folded(*bodies)
    figures = fold.totals()
    assert (figures.cost_usd, figures.beyond) == (Decimal("2.05"), ("sessions",))
    assert fold.session_id == f"s{SESSIONS.count + 4}"
    assert len(list(fold.counts())) == SESSIONS.count


def test_usage_without_end_before_a_resumed_agent_names_its_session_is_counted() -> None:
    session = {"kind": "session", "id": "s"}
    base = baseline_of([folded(session, usage("1", cumulative=True))])
    figures = folded(*(usage("0.01") for _ in range(MESSAGES.count + 1)), session, base=base).totals()
    assert (figures.cost_usd, figures.beyond) == (Decimal("100.01"), ("messages",))
