"""`recover`: what a crash left, told and nothing started. `probe` and `settle`: effects whose outcome is not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from quarterdeck.cli import exits
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.cli.finding import find_run, find_slot
from quarterdeck.cli.loop import Call
from quarterdeck.cli.masking import Masks, mask_run
from quarterdeck.cli.plain_text import count_text, duration_text, escaped, money_text, time_text
from quarterdeck.cli.words import cost_money, icon, settled_text, title_text
from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.moment import iso_utc
from quarterdeck.domain.money import ZERO, usd_text
from quarterdeck.domain.practice import Spent, spent_to_json
from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import EffectView, RunView
from quarterdeck.engine.recovery import (
    AgentEvidence,
    InterruptedAgent,
    InterruptedRun,
    OtherAgent,
    Outside,
    Owed,
    UnnamedAttempt,
)
from quarterdeck.engine.recovery_json import plain

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

SENTENCE = (
    "Nothing was started. Interrupted agents will not spend or act until you resume them one by one. "
    "Anything they had already done is still done: files, commits, messages and money spent."
)
_NOTHING_TOLD = "what it did outside is not known: it told nothing of it"
OTHERS_NAMED = 12
"""A run of a thousand agents is not a thousand names on one line."""
Gathered = dict[tuple[RunId, SlotId], AgentEvidence]


async def recover(call: Call, with_evidence: bool) -> int:
    """Every unanswered run, of window and terminal alike (ruling 19)."""
    async with call.door(read_only=True) as door:
        owed = await door.recovery.owed()
        gathered = await _gather(door, owed) if with_evidence else {}
        owed, gathered = await _masked(call.console.masks, door, owed, gathered)
        can_act = not door.keeping.read_only  # else the door said why
    if call.console.as_json:
        call.console.print_document(
            {
                "runs": [
                    {**_run_json(run, gathered), "can_resume": can_act and not run.damage}
                    for run in owed.runs
                ],
                "unreadable": plain(owed.unreadable),
            }
        )
    elif owed.runs:
        call.console.print_text("\n".join(escaped(line) for line in _lines(owed, gathered, can_act)) + "\n")
    else:
        call.console.say("No interrupted run waits for an answer.")
    told = {run.run_id for run in owed.runs}
    for one in owed.unreadable:
        how = "could be read in part only" if one.run_id in told else "could not be read"
        call.console.say(escaped(f"Run {one.run_id} {how} ({one.why}). Its files: {one.folder}"))
    return exits.DONE


async def _gather(door: Door, owed: Owed) -> Gathered:
    found: Gathered = {}
    for run in owed.runs:
        for agent in run.agents:
            told = await door.recovery.evidence(run.run_id, agent.slot_id)
            if not isinstance(told, Refusal):
                found[run.run_id, agent.slot_id] = told
    return found


async def _masked(masks: Masks, door: Door, owed: Owed, gathered: Gathered) -> tuple[Owed, Gathered]:
    """What agents told and printed, without the secrets of these runs; a last line may be cut within one."""
    for run in owed.runs:
        await mask_run(masks, door, run.run_id)
    runs = tuple(
        replace(
            run,
            agents=tuple(replace(one, last_line=masks.cut_text(one.last_line)) for one in run.agents),
            unnamed=tuple(replace(one, last_line=masks.cut_text(one.last_line)) for one in run.unnamed),
        )
        for run in owed.runs
    )
    looked = {
        key: replace(found, last_lines=tuple(map(masks.cut_text, found.last_lines)))
        for key, found in gathered.items()
    }
    return masks.value(replace(owed, runs=runs)), masks.value(looked)


# ------------------------------------------------------------------------------------------- JSON


def _run_json(run: InterruptedRun, gathered: Gathered) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "workflow_id": run.workflow_id,
        "workflow_name": run.workflow_name,
        "workflow_folder": run.workflow_folder,
        "started_at": iso_utc(run.started_at.wall_ms),
        "ended_at": plain(run.ended_at),
        "last_record_at": plain(run.last_record_at),
        "ran_for_ms": run.ran_for_ms,
        "ran_at_least": run.ran_at_least,
        "turns": run.turns,
        "cost_usd": usd_text(run.cost_usd),
        "cost_is_complete": run.cost_is_complete,
        "cost_source": run.cost_source,
        "practice": spent_to_json(run.practice),
        "torn": run.torn,
        "damage": run.damage,
        "agents": [_agent_json(agent, gathered.get((run.run_id, agent.slot_id))) for agent in run.agents],
        "rest": plain(run.rest),
        "unnamed": plain(run.unnamed),
    }


def _agent_json(agent: InterruptedAgent, gathered: AgentEvidence | None) -> dict[str, Any]:
    told: dict[str, Any] = plain(agent)
    del told["effects"], told["settled"]
    effects = [{"effect": f"{agent.slot_id}#{one.id}", **plain(one)} for one in agent.effects]
    told["effects_unknown"] = [one for one in effects if one["state"] != EffectState.INTENDED.value]
    told["effects_intended"] = [one for one in effects if one["state"] == EffectState.INTENDED.value]
    settled = [{"effect": f"{agent.slot_id}#{one.id}", **plain(one)} for one in agent.settled]
    told["effects_settled"] = settled
    if gathered is not None:
        told["looked"] = plain(gathered)
    return told


# ------------------------------------------------------------------------------------------- words


def _lines(owed: Owed, gathered: Gathered, can_act: bool) -> Iterator[str]:
    what = "1 run was" if len(owed.runs) == 1 else f"{len(owed.runs)} runs were"
    yield f"{what} interrupted. {SENTENCE}"
    for run in owed.runs:
        yield ""
        yield f"{title_text(run.workflow_name)}  {run.run_id}"
        least, ran_least = _at_least(run.torn), _at_least(run.ran_at_least)
        money = cost_money(run.spent)
        if (
            run.spent.complete and run.spent.practice_is_complete and not run.cost_is_complete
        ):  # of what was pretended a part is unknown
            money = f"at least {money}"
        yield (
            f"  started {time_text(run.started_at)}, ran for {ran_least}{duration_text(run.ran_for_ms)}, "
            f"{least}{count_text(run.turns, 'turn')}, {money}"
        )
        if run.damage:
            yield f"  {run.damage}: no agent of it can be resumed"
            yield f"  launch its workflow anew; what is left of it: quarterdeck discard {run.run_id[:14]}"
        if run.last_record_at is not None:
            yield f"  last record written {time_text(run.last_record_at)}"
        for agent in run.agents:
            yield from _agent_lines(run, agent, gathered.get((run.run_id, agent.slot_id)))
            if can_act:
                yield from _next_step(run, agent)
        for one in run.unnamed:
            yield from _unnamed_lines(one)
        if run.rest:
            yield f"  others: {_rest(run.rest)}"


def _rest(rest: tuple[OtherAgent, ...]) -> str:
    """The first by name, the others by number; `--json` has them all."""
    named = [f"{title_text(one.title)} {one.display.lower()}" for one in rest[:OTHERS_NAMED]]
    more = len(rest) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more else "")


def _at_least(is_torn: bool) -> str:
    """Where the end of a file was cut off, more may have been (JNL5)."""
    return "at least " if is_torn else ""


def _of_all(agent: InterruptedAgent) -> str:
    """Turns and cost are those of all its attempts, which is said beside the number of one."""
    return "in all " if agent.attempt_number > 1 else ""


def _agent_lines(
    run: InterruptedRun, agent: InterruptedAgent, gathered: AgentEvidence | None
) -> Iterator[str]:
    cost = Spent(agent.cost_usd, agent.cost_is_complete, source=agent.cost_source)
    pretended = Spent(ZERO, True, agent.cost_usd, practice_is_complete=agent.cost_is_complete)
    money = cost_money(pretended if agent.is_practice else cost)
    turns = _at_least(run.torn and not agent.cost_is_complete) + count_text(agent.turns, "turn")
    yield (
        f"  {icon(agent.display, ascii_only=False)} {title_text(agent.title)} [{agent.slot_id}]  {agent.display}, "
        f"attempt {agent.attempt_number}, {_of_all(agent)}{turns}, {money}"
    )
    yield f"      {'was paused; ' if agent.was_paused else ''}{agent.last_known}"
    if agent.last_line:
        yield f"      last line{' that was kept' if agent.transcript_lost else ''}: {agent.last_line}"
    if agent.transcript_lost:
        yield f"      its transcript ends early: {agent.transcript_lost}"
    yield from _processes(agent)
    for effect in agent.effects:
        yield f"      to check: {agent.slot_id}#{effect.id}  {_effect_text(effect)}"
    for effect in agent.settled:
        yield f"      settled: {agent.slot_id}#{effect.id}  {_what(effect)}: {settled_text(effect)}"
    if agent.unread:
        yield f"      may be incomplete: {agent.unread}"
    elif agent.outside is Outside.NOT_TOLD:
        told = "whether it did more outside is not known" if agent.settled or agent.tells else _NOTHING_TOLD
        yield f"      {told}"
    if gathered is not None:
        yield from _looked(gathered)


def _next_step(run: InterruptedRun, agent: InterruptedAgent) -> Iterator[str]:
    short = run.run_id[:14]
    if agent.end_first:
        yield f"      first: quarterdeck stop {short} {agent.slot_id}"
    elif agent.reopened and not run.damage:
        yield f"      only its start is missing: quarterdeck claim {short} {agent.slot_id}"
    elif not run.damage:
        yield f"      quarterdeck resume {short} {agent.slot_id} --reason TEXT"


def _unnamed_lines(one: UnnamedAttempt) -> Iterator[str]:
    """An attempt of which nothing says whose it was; its figures are in no sum."""
    turns, money = count_text(one.turns, "turn"), money_text(one.cost_usd, False, one.figures.cost_source)
    yield f"  ? an agent that no record names, attempt {one.attempt_id}, at least {turns}, {money}"
    if one.last_line:
        yield f"      last line: {one.last_line}"
    yield from _processes(one)
    for effect in one.effects:
        yield f"      to check: {effect.id}  {_effect_text(effect)}"
    if one.unread:
        yield f"      may be incomplete: {one.unread}"
    for process in one.survivors:
        yield f"      end it: kill {process.pid}"
    yield f"      its files: {one.folder}"


def _processes(one: InterruptedAgent | UnnamedAttempt) -> Iterator[str]:
    for process in one.survivors:
        yield f"      still alive: process {process.pid}, {process.command} (it {process.how})"
    if one.evidence:
        yield f"      its processes: {one.evidence}"


def _what(effect: EffectView) -> str:
    return f"{effect.type} {effect.target}".strip() or "outside"


def _effect_text(effect: EffectView) -> str:
    return f"{effect.state.value.replace('_', ' ')}: {_what(effect)}, may have happened"


def _looked(found: AgentEvidence) -> Iterator[str]:
    folder = found.folder
    since = [one for one in folder.changed if one.since_start]
    changed = f"{count_text(len(since), 'file')} changed since it began"
    if folder.could_not:  # what was not looked at is no zero
        changed = f"at least {changed}" if since else "what changed since it began is not known"
    yield f"      folder {folder.folder or 'not known'}: {changed}"
    for one in since[:20]:
        yield f"        {one.how}: {one.path}"
    for commit in folder.commits[:20]:
        yield f"        commit {commit.revision[:12]} {commit.subject}"
    if folder.could_not:
        yield f"        could not check: {folder.could_not}"
    for kept in found.saved:
        yield f"      saved: {kept.artifact.name} ({kept.state.value})"
    for words in found.in_flight:
        yield f"      in flight: {words}"


# ------------------------------------------------------------------------------------------- effects


async def probe(call: Call, start: str, named: str) -> int:
    """Ask the owner of one effect, now; what was found is recorded."""
    async with call.door() as door:
        view, slot, effect = await _effect(door, start, named)
        found = await door.recovery.probe(view.run_id, slot, effect)
        if isinstance(found, Refusal):
            raise Refused(found)
        call.console.say(escaped(f"{named}: {found.state}. {found.words}."))
        if call.console.as_json:
            call.console.print_document({"effect": f"{slot}#{effect}", **plain(found)})
    return exits.DONE


async def settle(call: Call, start: str, named: str, said: str, reason: str) -> int:
    """A person says what became of one effect (ruling 13)."""
    async with call.door() as door:
        view, slot, effect = await _effect(door, start, named)
        before = settled_before(view, slot, effect)
        refused = await door.recovery.settle(view.run_id, slot, effect, _said(said), reason)
        if refused is not None:
            raise Refused(refused)
        call.console.say(escaped(f"{named} is settled: {said}."))
        if before:
            call.console.say(escaped(f"Before, it was {before}. Both stay in the run's journal."))
        after = await door.run(view.run_id)
        if call.console.as_json and after is not None:
            call.console.print_document(run_to_json(after, with_slots=True))
    return exits.DONE


def settled_before(view: RunView, slot: SlotId, effect: str) -> str:
    """What was found or said until now of what is to be settled; empty: nothing was."""
    attempts = next(one.attempts for one in view.slots if one.slot_id == slot)
    known = [one for attempt in attempts for one in attempt.effects if one.id == effect]
    concerned = [one for one in known if one.state in IN_FLIGHT_AT_END] or known
    return next((settled_text(one) for one in reversed(concerned) if one.settled is not None), "")


def _said(word: str) -> Literal["happened", "absent"]:
    match word:
        case "happened" | "absent":
            return word
        case _:
            raise UsageProblem(f"--as takes happened or absent, not {word!r}.")


async def _effect(door: Door, start: str, named: str) -> tuple[RunView, SlotId, str]:
    node, mark, effect = named.partition("#")
    if not mark or not node or not effect:
        raise UsageProblem(f"An effect is named NODE#id, as `quarterdeck recover` does; not {named!r}.")
    view = await find_run(door, start)
    slot = find_slot(view, node)
    known = {one.id for attempt in slot.attempts for one in attempt.effects}
    if effect not in known:
        names = ", ".join(f"{slot.slot_id}#{one}" for one in sorted(known)[:20]) or "none"
        raise Refused(Refusal(Code.E_EFFECT, f"There is no effect {named!r}; it reported: {names}."))
    return view, slot.slot_id, effect
