"""The words of `show RUN`: a run, its agents, each of their attempts, where their figures come from, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from quarterdeck.cli.plain_text import (
    clipped,
    count_text,
    duration_text,
    escaped,
    money_text,
    time_text,
)
from quarterdeck.cli.words import (
    icon,
    run_elapsed_ms,
    run_money,
    run_word,
    settled_text,
    slot_title,
    title_text,
    told_of,
    unrecorded,
)
from quarterdeck.domain.moment import duration_ms
from quarterdeck.domain.outputs import RECORDING
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.program_versions import other_version_before
from quarterdeck.domain.views import AttemptView, RunView, SlotView, is_end_at_least

OUTPUT_COLUMNS_MAX = 400
_SOURCES = {
    "reported": "as the agent reported",
    "estimated": "estimated from tokens and prices",
    "mixed": "partly reported, partly estimated",
    "unknown": "the agent did not say",
    "none": "this agent reports no usage",
}


def run_detail(view: RunView, now_ms: int) -> str:
    """The whole text. now_ms: boot clock, for what is live."""
    return (
        "\n".join(
            [*_run_lines(view, now_ms), *(line for slot in view.slots for line in _slot_lines(slot, now_ms))]
        )
        + "\n"
    )


def _run_lines(view: RunView, now_ms: int) -> Iterator[str]:
    why = f": {view.reason}" if view.reason else ""
    yield escaped(f"{title_text(view.workflow_name)}  {view.run_id}")
    yield escaped(
        f"  {run_word(view)}{why}"
        + (" (another Quarterdeck runs it)" if view.foreign and view.is_live else "")
    )
    yield escaped(f"  Asked for: {view.outcome_asked}")
    ended = time_text(view.ended_at) if view.ended_at else "now"
    at_least = "at least " if is_end_at_least(view) else ""
    yield f"  {time_text(view.started_at)} to {ended}, {at_least}{duration_text(run_elapsed_ms(view, now_ms))}"
    if (settled := view.sittings[-1].settled_at if at_least else None) is not None:
        yield f"  That is the last record of it; its end was found at {time_text(settled)}"
    if len(view.sittings) > 1:
        yield f"  {count_text(len(view.sittings), 'sitting')}, the last opened by {escaped(view.sittings[-1].actor)}"
    limit = f" of {money_text(view.budget_usd, is_complete=True)}" if view.budget_usd is not None else ""
    yield f"  {count_text(view.turns, 'turn')}, {run_money(view)}{limit}"
    for sleep in view.sleeps:
        slept = duration_text(duration_ms(sleep.began_at, sleep.ended_at))
        yield f"  The computer slept for {slept}, {time_text(sleep.began_at)} to {time_text(sleep.ended_at)}"
    tokens = view.tokens
    yield (
        f"  Tokens: {tokens.input_tokens:,} in, {tokens.output_tokens:,} out, "
        f"{tokens.cache_read_tokens:,} read from cache, {tokens.cache_write_tokens:,} written to cache"
    )
    yield escaped(f"  Accepted by {view.accepted_by}, {time_text(view.accepted_at)}")
    if view.fault:
        yield escaped(f"  {view.fault}")
    elif view.recording is False:
        yield f"  {unrecorded(view)}"


def _slot_lines(slot: SlotView, now_ms: int) -> Iterator[str]:
    reason = f": {slot.reason}" if slot.reason else ""
    money = money_text(slot.cost_usd, slot.cost_is_complete, slot.cost_source) if slot.attempts else "–"
    yield ""
    yield escaped(
        f"{icon(slot.display, ascii_only=False)} {slot_title(slot)} [{slot.slot_id}]  {slot.display}{reason}"
    )
    if len(slot.attempts) != 1 and slot.attempts:
        yield f"    together {count_text(slot.turns, 'turn')}, {money}"
    if slot.reopened is not None:
        again = slot.reopened
        yield escaped(
            f"    Re-opened by {again.actor}, {time_text(again.at)}, for {title_text(again.agent)}: {again.reason}"
        )
    for question in slot.approvals:
        yield escaped(f"    Asks: {question.question}")
        yield from (escaped(f"      {name}: {said}") for name, said in told_of(question))
        yield escaped(
            f"      options: {', '.join(question.choices) or 'any text'}; request {question.request_id}"
        )
    for one in slot.allowed:
        yield escaped(
            f"    Allowed for this run by {one.actor}, {time_text(one.at)}: {one.question or one.exact}"
        )
        yield escaped(f"      `withdraw` takes it back; request {one.request_id}")
    for number, attempt in enumerate(slot.attempts, start=1):
        yield from _attempt_lines(number, attempt, now_ms)
        yield from (escaped(f"    {line}") for line in (*_program(slot, number), *_facts(attempt)))


def _source(attempt: AttemptView) -> str:
    """Where its cost is from; what never ran says nothing of what its agent reports."""
    source = attempt.figures.cost_source
    if source == "none" and attempt.started_at is None:
        return "it never ran" if attempt.ended_at is not None else "it has not begun"
    return _SOURCES.get(source, source)


def _attempt_lines(number: int, attempt: AttemptView, now_ms: int) -> Iterator[str]:
    reason = f": {attempt.reason}" if attempt.reason else ""
    yield escaped(
        f"  Attempt {number} ({title_text(attempt.agent)}, {attempt.agent_kind}, epoch {attempt.epoch}) "
        f"{attempt.status.value.replace('_', ' ')}{reason}"
    )
    yield f"    {attempt.attempt_id}  {_times(attempt, now_ms)}"
    figures = attempt.figures
    inert = "; a spending limit cannot act on it" if figures.is_unpriced else ""
    limit = (
        f" of {money_text(attempt.budget_usd, is_complete=True)}" if attempt.budget_usd is not None else ""
    )
    yield (
        f"    {count_text(figures.turns, 'turn')}, {money_text(figures.cost_usd, figures.cost_is_complete)}{limit} "
        f"({_source(attempt)}{inert})"
    )
    if attempt.late is not None:
        late = attempt.late
        money = money_text(late.cost_usd, late.cost_is_complete, late.cost_source)
        yield f"    came late, and counts: {count_text(late.turns, 'turn')}, {money}"
    for model in figures.by_model:
        yield escaped(
            f"      {model.model or 'model not named'}: {money_text(model.cost_usd, True, figures.cost_source)}"
        )
    for said in attempt.messages:
        unheard = {False: " (its program did not take it)", None: " (waits for its program)"}.get(
            said.delivered, ""
        )
        yield escaped(f"    {said.actor or 'somebody'} said, {time_text(said.at)}: {said.text}{unheard}")


def _program(slot: SlotView, number: int) -> Iterator[str]:
    """Its program, and whether the attempt before ran with another version of it (PIN6)."""
    attempt = slot.attempts[number - 1]
    if not attempt.program or attempt.agent_kind == PRACTICE:
        return
    version = f", version {attempt.program_version}" if attempt.program_version else ""
    other = other_version_before(slot.attempts, number)
    differs = f" (another version than attempt {other[0]}, which ran with {other[1]})" if other else ""
    yield f"program {attempt.program}{version}{differs}"


def _times(attempt: AttemptView, now_ms: int) -> str:
    if attempt.started_at is None:
        return "never started"
    if attempt.ended_at is None and attempt.lost_at is not None:
        known = duration_text(duration_ms(attempt.started_at, attempt.lost_at))
        return f"since {time_text(attempt.started_at)}, at least {known}"
    if attempt.ended_at is None:
        return f"since {time_text(attempt.started_at)}, {duration_text(now_ms - attempt.started_at.boot_ms)}"
    least = "at least " if attempt.ended_at_least else ""
    took = duration_text(duration_ms(attempt.started_at, attempt.ended_at))
    return f"{time_text(attempt.started_at)} to {time_text(attempt.ended_at)}, {least}{took}"


def _facts(attempt: AttemptView) -> Iterator[str]:
    if attempt.exit_code is not None:
        yield f"exit code {attempt.exit_code}"
    if attempt.signal is not None:
        yield f"ended by signal {attempt.signal}"
    if attempt.evidence:
        yield f"end known from: {attempt.evidence.replace('_', ' ')}"
    if attempt.containment:
        yield f"containment: {attempt.containment.replace('_', ' ')}"
    if attempt.session_id:
        yield f"session {attempt.session_id}"
    for error in attempt.errors:
        what = "not recorded" if error.error_class == RECORDING else f"error ({error.error_class})"
        yield f"{what}: {error.message}"
    for effect in attempt.effects:
        state = effect.state.value.replace("_", " ")
        yield f"effect #{effect.id} {state}: {effect.type} {effect.target} {effect.detail}".rstrip()
        if effect.settled is not None:
            yield f"  {settled_text(effect)}"
    for artifact in attempt.artifacts:
        kept = "" if artifact.stored else " (only its hash is kept)"
        yield f"file {artifact.name}, {count_text(artifact.size_bytes, 'byte')}, sha256 {artifact.sha256}{kept}"
    if attempt.output_file is not None:
        large = attempt.output_file
        where = f"{attempt.attempt_id}/artifacts/{large.stored}"
        yield f"output: {count_text(large.size_bytes, 'byte')}, kept in {where}, sha256 {large.sha256}"
    elif attempt.has_output and attempt.output is not None:
        yield f"output: {clipped(_output_text(attempt.output), OUTPUT_COLUMNS_MAX)}"


def _output_text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
