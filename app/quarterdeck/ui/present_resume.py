"""The second step of Resume in words: pins, what to check, what will be done again, what may be chosen. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.views import RunView
from quarterdeck.engine.recovery import Outside, ResumeChoice, ResumePreview
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_effects import effect_phrase, settled_phrase
from quarterdeck.ui.present_process import Fact
from quarterdeck.ui.words import money_text, one_line, short_id

tr = Texts("PresentResume")

CHECKS_MAX, STEPS_MAX = 8, 12


@dataclass(frozen=True, slots=True)
class Check:
    """Something to be looked at before; is_well: it is in order."""

    words: str
    is_well: bool = False


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """An agent that may take the slot. `problem`: why it cannot start now."""

    agent: str
    words: str
    differs: tuple[str, ...]
    problem: str
    is_prior: bool


@dataclass(frozen=True, slots=True)
class ResumeFacts:
    """The second step. refusal: why it cannot be resumed now; empty: it can. limit: as it stands, empty: none."""

    title: str
    subtitle: str
    start: str
    facts: tuple[Fact, ...]
    checks: tuple[Check, ...]
    choices: tuple[AgentChoice, ...]
    can_continue_session: bool
    session: str
    limit: str
    run_left: str
    asks_run_limit: bool
    run_limit: str
    refusal: str
    reopened: str
    costs: str = ""
    """What a start may come to: money, and work that is done again."""

    @property
    def without_problems(self) -> ResumeFacts:
        """The same, but for what stands in the way of each agent's start."""
        return replace(self, choices=tuple(replace(choice, problem="") for choice in self.choices))


def resume_facts(preview: ResumePreview, view: RunView | None) -> ResumeFacts:
    """What the dialog shows."""
    number = f"{preview.next_attempt:,}"
    title = one_line(preview.title, 80)
    slot = next((s for s in view.slots if s.slot_id == preview.slot_id), None) if view is not None else None
    reopened = ""
    if preview.reopened:
        reopened = tr("Re-opened, waiting to start. Only the start is missing.")
        if slot is not None and slot.reopened is not None:
            reopened = tr(
                "Re-opened, waiting to start. Only the start is missing. Reason given: {reason}",
                reason=one_line(slot.reopened.reason, 200),
            )
    left = preview.run_left_usd
    budget = view.budget_usd if view is not None else None
    return ResumeFacts(
        title=tr("Resume {agent}", agent=title),
        subtitle=tr(
            "Attempt {number} · {workflow} · {run}",
            number=number,
            workflow=one_line(preview.workflow_name, 60),
            run=short_id(preview.run_id),
        ),
        start=tr("Start attempt {number}", number=number),
        facts=_facts(preview),
        checks=_checks(preview),
        choices=tuple(_choice(choice) for choice in preview.choices),
        can_continue_session=preview.can_continue_session,
        session=one_line(preview.session_id or "", 60),
        limit=_amount(preview.limit_usd),
        run_left=tr("{amount} is left of the run's own limit", amount=money_text(max(left, Decimal(0))))
        if left is not None
        else "",
        asks_run_limit=left is not None and left <= 0,
        run_limit=_amount(budget),
        refusal=in_words(preview.refusal.message) if preview.refusal is not None else "",
        reopened=reopened,
        costs=_costs(preview),
    )


def _costs(preview: ResumePreview) -> str:
    """Practice agents cost nothing, so that is not said of them."""
    if preview.choices and all(choice.kind == PRACTICE for choice in preview.choices):
        return tr("A new attempt may repeat what already happened. Practice agents cost nothing.")
    return tr("A new attempt may cost money, and may repeat what already happened.")


def amount_of(text: str) -> Decimal | str | None:
    """What was typed as a limit: an amount, None for nothing, or why it is none."""
    typed = text.strip().removeprefix("$").strip()
    if not typed:
        return None
    try:
        amount = Decimal(typed)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount <= 0:
        return tr("Write the limit as an amount in US dollars, such as 2.50, or leave it empty.")
    return amount


def _amount(amount: Decimal | None) -> str:
    """As it can be typed: every digit, cents at least, no commas; `$0.10`."""
    if amount is None:
        return ""
    whole, _, rest = f"{amount:f}".partition(".")
    return f"${whole}.{rest.rstrip('0').ljust(2, '0')}"


def _facts(preview: ResumePreview) -> tuple[Fact, ...]:
    prior = next((c for c in preview.choices if c.is_prior), None)
    facts = [
        Fact(tr("Workflow"), tr("{revision}, as launched", revision=preview.pins.workflow[:12]), mono=True),
    ]
    if prior is not None:
        made = ", ".join(one_line(part, 60) for part in (prior.agent, prior.kind, prior.model) if part)
        facts.append(Fact(tr("Agent"), tr("{agent}, as launched", agent=made)))
    if preview.kept_steps:
        facts.append(Fact(tr("Saved steps"), _steps(preview.kept_steps)))
    if preview.saved:
        names = tuple(file.artifact.name for file in preview.saved)
        facts.append(Fact(tr("Saved files"), _steps(names)))
    if preview.repeat:
        told = tuple(
            tr("{step} ({why})", step=one_line(step.step, 60), why=one_line(in_words(step.why), 100))
            for step in preview.repeat
        )
        facts.append(Fact(tr("Will be done again"), _steps(told)))
    elif not preview.kept_steps:
        facts.append(Fact(tr("Will be done again"), tr("everything: no step was saved")))
    return tuple(facts)


def _steps(steps: tuple[str, ...]) -> str:
    shown = ", ".join(one_line(step, 160) for step in steps[:STEPS_MAX])
    more = len(steps) - STEPS_MAX
    return tr("{steps} and {count} more", steps=shown, count=f"{more:,}") if more > 0 else shown


def _checks(preview: ResumePreview) -> tuple[Check, ...]:
    checks = [Check(tr("Unknown: {effect}", effect=effect_phrase(e))) for e in preview.effects[:CHECKS_MAX]]
    more = len(preview.effects) - CHECKS_MAX
    if more > 0:
        checks.append(Check(tr("and {count} more effects", count=f"{more:,}")))
    match preview.outside:
        case Outside.NONE:
            checks.append(Check(tr("None in flight"), is_well=True))
        case Outside.NOT_TOLD if preview.unread:
            checks.append(
                Check(tr("Not known: what it told of that is damaged. Look before work is done twice."))
            )
        case Outside.NOT_TOLD if preview.settled or preview.tells:
            checks.append(
                Check(tr("Not known: whether it did more outside. Look before work is done twice."))
            )
        case Outside.NOT_TOLD:
            checks.append(
                Check(
                    tr(
                        "Not told: it has said nothing of what it does outside. Look before work is done twice."
                    )
                )
            )
        case Outside.TO_CHECK if not checks:
            checks.append(Check(tr("Unknown: more was told than is kept here")))
        case Outside.TO_CHECK if preview.unread:
            checks.append(Check(tr("Not known: whether more was told, as a part of it is damaged")))
        case _:
            pass
    checks += [Check(settled_phrase(effect)) for effect in preview.settled[:CHECKS_MAX]]
    return tuple(checks)


def _choice(choice: ResumeChoice) -> AgentChoice:
    made = " · ".join(one_line(part, 60) for part in (choice.agent, choice.kind, choice.model) if part)
    if choice.is_prior:
        words = tr("{agent} (as before)", agent=made)
    elif choice.same_class:
        words = tr("{agent} (alternative)", agent=made)
    else:
        words = tr("{agent} (alternative, class {name})", agent=made, name=one_line(choice.worker_class, 40))
    differs = tuple(
        tr("{path}: {how}", path=one_line(file.path, 120), how=in_words(file.words))
        for file in choice.files
        if file.differs
    )
    return AgentChoice(choice.agent, words, differs, one_line(in_words(choice.problem), 300), choice.is_prior)
