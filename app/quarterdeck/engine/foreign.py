"""Commands to whoever owns a run: carried out here, or sent over the owner's socket (ruling 18).

`serve` answers what other processes ask about runs of this one. What was asked once is done, or refused, also where
nobody waits for the answer any more; the same command id again gets the first answer (SLT19).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from quarterdeck.domain.acts import judge_stop, judge_stop_run
from quarterdeck.domain.commands import ReassignSlot, SwitchAgent
from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.guards import NO_SUCH_RUN
from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, RunId, SessionId, SlotId
from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import EndReason
from quarterdeck.engine.damage import damage_of, refusal_for_damage
from quarterdeck.engine.disk_views import read_state
from quarterdeck.engine.minting import mint_command_id
from quarterdeck.engine.no_runs import OVER, OwnRuns, read_only
from quarterdeck.engine.owner_socket import AnotherVersion, OwnerSilent, ask_owner
from quarterdeck.engine.recovery_orders import RECOVERY_VERBS
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError, UnknownRun

if TYPE_CHECKING:
    from quarterdeck.engine.run_orders import RunOrders

log = logging.getLogger(__name__)
ANSWER_WITHIN_S = 8.0
"""How long another process is kept waiting for its answer; what it asked goes on."""
ASK_AGAIN_WITHIN_S = 2.0
"""A connection that breaks so soon is tried once more, with the same command id."""
ANSWERS_KEPT = 256
AT_REST = frozenset({"answer", "budget", "reassign", "switch", "withdraw", *RECOVERY_VERBS})
"""What may be done in an ended run: it is journaled and starts nothing (rulings 6 and 12, SLT14)."""

T = TypeVar("T")
_Key = tuple[str, str, str]
"""Run, verb and command id."""


class ForeignRuns:
    """Routes commands to whoever owns a run. answer_within_s: as ANSWER_WITHIN_S."""

    def __init__(self, store: Store, live: OwnRuns, unsettled: str = "") -> None:
        """unsettled: why what a crash left could not be settled here, in a sentence; empty: it was."""
        self._store, self._live = store, live
        self._unsettled = store.newer or unsettled
        self._asked: dict[_Key, asyncio.Task[Any]] = {}
        self.answer_within_s = ANSWER_WITHIN_S

    # ------------------------------------------------------------------------------- commands

    async def command(
        self, run: RunId, verb: str, actor: str | None, command_id: CommandId | None = None, **said: Any
    ) -> Refusal | None:
        """Carry out a command here, or where the run lives."""
        request = _request(run, verb, actor, command_id or mint_command_id(), said)
        if self._live.is_live(run) or _key_of(request) in self._asked:
            return await self._here(request)
        owner = await asyncio.to_thread(self._owner_of, run)
        if owner is OVER and verb in AT_REST:
            return await self._here(request)
        if owner is OVER and verb == "stop":
            return await asyncio.to_thread(self._stop_at_rest, request)
        if isinstance(owner, Refusal):
            return owner
        answer = await self._ask(owner, request)
        return answer if isinstance(answer, Refusal) else _refusal_of(answer)

    async def claim(
        self, run: RunId, slot: SlotId, go_on: bool, actor: str | None, command_id: CommandId | None = None
    ) -> AttemptId | Refusal:
        """A person's claim, here or where the run lives."""
        said = {"slot": slot, "go_on": go_on}
        request = _request(run, "claim", actor, command_id or mint_command_id(), said)
        if not self._live.is_live(run) and _key_of(request) not in self._asked:
            owner = await asyncio.to_thread(self._owner_of, run)
            if not isinstance(owner, Refusal):
                answer = await self._ask(owner, request)
                if isinstance(answer, Refusal):
                    return answer
                refused = _refusal_of(answer)
                return AttemptId(str(answer.get("attempt"))) if refused is None else refused
        return await self._claim_here(request)

    async def _ask(self, owner: SessionId, request: dict[str, Any]) -> dict[str, Any] | Refusal:
        path, begun_s = self._store.sessions.socket_path(owner), time.monotonic()
        try:
            try:
                return await ask_owner(path, request)
            except OwnerSilent:
                if time.monotonic() - begun_s > ASK_AGAIN_WITHIN_S:
                    raise
                return await ask_owner(path, request)
        except AnotherVersion as error:
            return Refusal(Code.E_OWNER, str(error), (("session", owner),))
        except OwnerSilent as silent:
            words = _MAY_COME if silent.was_asked else _NOT_ASKED
            return Refusal(Code.E_OWNER, words, (("session", owner),))

    def _owner_of(self, run: RunId) -> SessionId | Refusal:
        """The living session that owns the run; blocking."""
        try:
            state = read_state(self._store, run)
            if not state.is_live:
                return OVER
            alive = not self._store.sessions.is_gone(state.sitting.session_id)
            words = "" if alive else damage_of(self._store, run)
        except (UnknownRun, ValueError):
            return Refusal(Code.E_RUN, NO_SUCH_RUN)
        except (StoreError, DomainError) as error:
            return Refusal(Code.E_STORE, f"The run cannot be read: {error}")
        if words:
            return refusal_for_damage(run, words)
        if not alive and self._store.newer:
            return read_only(self._store.newer)
        if not alive:
            return Refusal(Code.E_STORE, self._unsettled) if self._unsettled else _NOT_SETTLED
        return state.sitting.session_id

    # ------------------------------------------------------------------------------- serving others

    async def serve(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer another process. A command for a run that is not ours goes to the app's log (ruling 14)."""
        run, verb = asked.get("run"), asked.get("verb")
        if not isinstance(run, str) or not isinstance(verb, str):
            return _answer_of(Refusal(Code.E_OWNER, "A request names a run and a verb."))
        asked = {**asked, "command_id": _command_id(asked)}
        if not self._live.is_live(RunId(run)) and _key_of(asked) not in self._asked:
            if verb == "stop" and self._live.view(RunId(run)) is not None:
                return _answer_of(await asyncio.to_thread(self._stop_at_rest, asked))
            log.warning("refused %r of run %r: it is no live run of this process", verb[:40], run[:60])
            return _answer_of(OVER)
        try:
            async with asyncio.timeout(self.answer_within_s):
                if verb == "claim":
                    return _answer_of_claim(await self._claim_here(asked))
                return _answer_of(await self._here(asked))
        except TimeoutError:
            return _answer_of(Refusal(Code.E_STORE, _LATE.get(verb, _LATE_ELSE)))

    async def _claim_here(self, asked: dict[str, Any]) -> AttemptId | Refusal:
        run, slot = RunId(asked["run"]), SlotId(str(asked.get("slot")))
        actor, go_on = str(asked.get("actor") or self._live.actor), asked.get("go_on") is True
        command_id = _command_id(asked)
        return await self._surely(asked, lambda: self._live.claim(run, slot, go_on, actor, command_id))

    async def _here(self, asked: dict[str, Any]) -> Refusal | None:
        run = RunId(asked["run"])
        actor = str(asked.get("actor") or self._live.actor)
        slot = _slot_of(asked)
        if asked["verb"] == "stop" and self._live.is_live(run):
            self._live.stop_at_once(run, slot)
        order = self._live.order_or_at_rest if asked["verb"] in AT_REST else self._live.order

        async def doing() -> Refusal | None:
            if asked["verb"] == "switch" and slot is not None:
                return await self._live.switch(run, self._switch(asked, slot, actor))
            answer = await order(run, lambda orders: self._carry_out(orders, asked, slot, actor))
            if answer is OVER and asked["verb"] == "stop":
                return await asyncio.to_thread(self._stop_at_rest, asked)
            return answer

        return await self._surely(asked, doing)

    def _stop_at_rest(self, asked: dict[str, Any]) -> Refusal | None:
        """A stop of what has ended: the same again changes nothing; blocking."""
        try:
            state = read_state(self._store, RunId(asked["run"]))
        except (StoreError, DomainError, ValueError) as error:
            return Refusal(Code.E_STORE, f"The run cannot be read: {error}")
        slot, actor = _slot_of(asked), str(asked.get("actor") or self._live.actor)
        if slot is None:
            judged: object = judge_stop_run(state, actor)
        else:
            record = state.slots.get(slot)
            prior = state.prior_of(record) if record is not None else None
            judged = judge_stop(state, slot, prior.status if prior is not None else None, actor)
        if judged is None or isinstance(judged, Refusal):
            return judged
        return OVER  # an attempt that outlived its run: nobody is there to end it

    async def _surely(self, asked: dict[str, Any], do: Callable[[], Awaitable[T]]) -> T:
        """The answer to a command, given once. A caller that goes away takes nothing back: the command goes on.

        What the store or the owner could not do is not kept: the same id again tries again.
        """
        key = _key_of(asked)
        task = self._asked.get(key)
        if task is None:

            async def doing() -> T:
                return await do()

            task = asyncio.get_running_loop().create_task(doing(), name=f"command {key}")
            self._asked[key] = task
            task.add_done_callback(lambda done: self._on_answered(key, done))
        answer: T = await asyncio.shield(task)
        return answer

    def _on_answered(self, key: _Key, task: asyncio.Task[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("command %s met a fault", key, exc_info=error)
        if task.cancelled() or error is not None or _is_passing(task.result()):
            self._asked.pop(key, None)
        answered = [known for known, kept in self._asked.items() if kept.done()]
        for known in answered[:-ANSWERS_KEPT]:
            del self._asked[known]

    async def _carry_out(
        self, orders: RunOrders, asked: dict[str, Any], slot: SlotId | None, actor: str
    ) -> Refusal | None:
        match asked["verb"]:
            case "stop" if slot is None:
                return await orders.stop_run(actor, EndReason.PERSON)
            case "stop" if slot is not None:
                return await orders.stop_slot(slot, actor, _stop_reason(asked))
            case "pause" if slot is not None:
                return await orders.pause(slot, actor)
            case "continue" if slot is not None:
                return await orders.continue_(slot, actor)
            case "answer":
                request, choice = RequestId(str(asked.get("request"))), str(asked.get("choice"))
                return await orders.answer(request, choice, actor)
            case "withdraw":
                return await orders.withdraw(RequestId(str(asked.get("request"))), actor)
            case "say" if slot is not None:
                return await orders.say(slot, str(asked.get("text") or ""), actor)
            case "budget":
                limit = parse_usd(asked.get("limit_usd"))
                return _NO_AMOUNT if limit is None else await orders.raise_budget(slot, limit, actor)
            case "reassign" if slot is not None:
                return await orders.reassign(self._reassign(asked, slot, actor))
            case verb if verb in RECOVERY_VERBS:
                return await orders.recovery.carry_out(asked, slot, actor)
            case verb:
                return Refusal(Code.E_OWNER, f"The process that owns this run does not know “{verb}”.")

    def _reassign(self, asked: dict[str, Any], slot: SlotId, actor: str) -> ReassignSlot:
        return ReassignSlot(
            _command_id(asked),
            self._store.tenant,
            RunId(asked["run"]),
            slot,
            actor,
            str(asked.get("reason") or ""),
            _text(asked.get("agent")),
            _text(asked.get("class")),
            continue_session=asked.get("continue_session") is not False,
        )

    def _switch(self, asked: dict[str, Any], slot: SlotId, actor: str) -> SwitchAgent:
        agent = _text(asked.get("agent")) or ""
        return SwitchAgent(_command_id(asked), self._store.tenant, RunId(asked["run"]), slot, actor, agent)

    async def close(self) -> None:
        """Wait for what was asked and is not done yet; call it once no run is live any more."""
        if pending := [task for task in self._asked.values() if not task.done()]:
            await asyncio.wait(pending)


_NOT_SETTLED = Refusal(
    Code.E_OWNER, "The process that owned this run is gone, and what it left is not settled yet."
)
_NO_AMOUNT = Refusal(Code.E_BUDGET, "Give the limit as an amount in US dollars, such as 2.50.")


_HANGS = "If it hangs, end it: its agents end with it."
_NOT_ASKED = f"The process that owns this run cannot be reached; nothing was asked of it. {_HANGS}"
_MAY_COME = (
    "The process that owns this run does not answer now. What was asked may still be carried out once it does: look "
    f"before you ask again. {_HANGS}"
)
_LATE_ELSE = "The owner waits for its disk; what was asked will be done once the disk allows, unless it does not fit then."
_LATE = {
    "stop": "The agents are told to end; the owner waits for its disk, and the stop will be recorded once it allows.",
    "claim": "The owner waits for its disk; the claim may still happen once the disk allows. Look before you ask again.",
}
"""What is said by verb where the answer takes too long: nothing that was asked is taken back."""


def _request(
    run: RunId, verb: str, actor: str | None, command_id: CommandId, said: dict[str, Any]
) -> dict[str, Any]:
    known = {name: value for name, value in said.items() if value is not None}
    return {"verb": verb, "run": run, "actor": actor or "", "command_id": command_id, **known}


def _command_id(asked: dict[str, Any]) -> CommandId:
    """The asker's id; one of our own for an asker of an earlier version, which gives none."""
    given = asked.get("command_id")
    return CommandId(given) if isinstance(given, str) and given else mint_command_id()


def _key_of(asked: dict[str, Any]) -> _Key:
    return str(asked["run"]), str(asked["verb"]), str(asked["command_id"])


def _is_passing(answer: object) -> bool:
    return isinstance(answer, Refusal) and answer.code in (Code.E_STORE, Code.E_OWNER)


def _slot_of(asked: dict[str, Any]) -> SlotId | None:
    return SlotId(str(asked["slot"])) if asked.get("slot") else None


def _stop_reason(asked: dict[str, Any]) -> EndReason:
    """A person's, unless the asker says that nobody was there to answer."""
    nobody = asked.get("reason") == EndReason.NOBODY_THERE.value
    return EndReason.NOBODY_THERE if nobody else EndReason.PERSON


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _answer_of(refusal: Refusal | None) -> dict[str, Any]:
    if refusal is None:
        return {"ok": True}
    return {
        "ok": False,
        "code": refusal.code.value,
        "message": refusal.message,
        "detail": list(refusal.detail),
    }


def _answer_of_claim(claimed: AttemptId | Refusal) -> dict[str, Any]:
    if isinstance(claimed, Refusal):
        return _answer_of(claimed)
    return {**_answer_of(None), "attempt": claimed}


def _refusal_of(answer: dict[str, Any]) -> Refusal | None:
    """The refusal in an answer; a code that this version does not know is kept in its detail."""
    if answer.get("ok"):
        return None
    detail = tuple((str(pair[0]), str(pair[1])) for pair in answer.get("detail") or () if len(pair) == 2)
    message, code = str(answer.get("message") or "It was refused."), str(answer.get("code"))
    if code not in set(Code):
        return Refusal(Code.E_OWNER, message, (*detail, ("code", code)))
    return Refusal(Code(code), message, detail)
