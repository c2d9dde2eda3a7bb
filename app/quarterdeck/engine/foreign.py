"""Runs of other processes: commands travel over the owner's socket, changes are seen by looking at the files.

`serve` answers what other processes ask about runs of this one (ruling 18). What a session left that died meanwhile is
settled here too (REC17).
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from quarterdeck.domain.commands import ReassignSlot
from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.guards import NO_SUCH_RUN
from quarterdeck.domain.ids import AttemptId, RequestId, RunId, SessionId, SlotId
from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import EndReason
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.disk_views import read_state
from quarterdeck.engine.live_runs import OVER, LiveRuns
from quarterdeck.engine.minting import mint_command_id
from quarterdeck.engine.owner_socket import AnotherVersion, OwnerSilent, ask_owner
from quarterdeck.engine.run_orders import RunOrders
from quarterdeck.engine.settling import settle_dead_sessions
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError, UnknownRun
from quarterdeck.store.machine import now

log = logging.getLogger(__name__)
LOOK_EVERY_S = 1.0
LOOK_SHARE = 10
"""A look that took long is followed by a pause of so many times its length."""
ANSWER_WITHIN_S = 15.0
AT_REST = frozenset({"answer", "budget", "reassign"})
"""What may be done in an ended run: it is journaled and starts nothing (rulings 6 and 12, SLT14)."""


class ForeignRuns:
    """Routes commands to whoever owns a run, and watches the store for what other processes do."""

    def __init__(self, store: Store, live: LiveRuns, catalog: Catalog, context: EngineContext | None) -> None:
        self._store, self._live, self._catalog, self._context = store, live, catalog, context
        self._watcher: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------------------- commands

    async def command(self, run: RunId, verb: str, actor: str | None, **said: Any) -> Refusal | None:
        """Carry out a command here, or where the run lives."""
        request = _request(run, verb, actor, said)
        if self._live.is_live(run):
            return await self._here(request)
        owner = await asyncio.to_thread(self._owner_of, run)
        if owner is OVER and verb in AT_REST:
            return await self._here(request)
        if isinstance(owner, Refusal):
            return owner
        answer = await self._ask(owner, request)
        return answer if isinstance(answer, Refusal) else _refusal_of(answer)

    async def claim(self, run: RunId, slot: SlotId, go_on: bool, actor: str | None) -> AttemptId | Refusal:
        """A person's claim, here or where the run lives."""
        if not self._live.is_live(run):
            owner = await asyncio.to_thread(self._owner_of, run)
            if not isinstance(owner, Refusal):
                said = {"slot": slot, "go_on": go_on}
                answer = await self._ask(owner, _request(run, "claim", actor, said))
                if isinstance(answer, Refusal):
                    return answer
                refused = _refusal_of(answer)
                return AttemptId(str(answer.get("attempt"))) if refused is None else refused
        return await self._live.claim(run, slot, go_on, actor or self._live.actor)

    async def _ask(self, owner: SessionId, request: dict[str, Any]) -> dict[str, Any] | Refusal:
        try:
            return await ask_owner(self._store.sessions.socket_path(owner), request)
        except AnotherVersion as error:
            return Refusal(Code.E_OWNER, str(error), (("session", owner),))
        except OwnerSilent:
            message = (
                "The process that owns this run does not answer; if it hangs, end it: its agents end with it."
            )
            return Refusal(Code.E_OWNER, message, (("session", owner),))

    def _owner_of(self, run: RunId) -> SessionId | Refusal:
        """The living session that owns the run; blocking."""
        try:
            state = read_state(self._store, run)
            if not state.is_live:
                return OVER
            alive = self._store.sessions.is_alive(state.sitting.session_id)
        except (UnknownRun, ValueError):
            return Refusal(Code.E_RUN, NO_SUCH_RUN)
        except (StoreError, DomainError) as error:
            return Refusal(Code.E_STORE, f"The run cannot be read: {error}")
        if not alive:
            return Refusal(
                Code.E_OWNER, "The process that owned this run is gone; what it left is being settled."
            )
        return state.sitting.session_id

    # ------------------------------------------------------------------------------- serving others

    async def serve(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer another process. A command for a run that is not ours goes to the app's log (ruling 14)."""
        run, verb = asked.get("run"), asked.get("verb")
        if not isinstance(run, str) or not isinstance(verb, str):
            return _answer_of(Refusal(Code.E_OWNER, "A request names a run and a verb."))
        if not self._live.is_live(RunId(run)):
            log.warning("refused %r of run %r: it is no live run of this process", verb[:40], run[:60])
            return _answer_of(OVER)
        if verb == "claim":
            return await self._serve_claim(RunId(run), asked)
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                return _answer_of(await self._here(asked))
        except TimeoutError:
            words = (
                "The owner waits for its disk; what was asked is done, or refused, once that can be written."
            )
            return _answer_of(Refusal(Code.E_STORE, words))

    async def _serve_claim(self, run: RunId, asked: dict[str, Any]) -> dict[str, Any]:
        slot, by = SlotId(str(asked.get("slot"))), str(asked.get("actor") or self._live.actor)
        claimed = await self._live.claim(run, slot, asked.get("go_on") is True, by)
        if isinstance(claimed, Refusal):
            return _answer_of(claimed)
        return {**_answer_of(None), "attempt": claimed}

    async def _here(self, asked: dict[str, Any]) -> Refusal | None:
        run = RunId(asked["run"])
        actor = str(asked.get("actor") or self._live.actor)
        slot = _slot_of(asked)
        if asked["verb"] == "stop":
            self._live.stop_at_once(run, slot)
        order = self._live.order_or_at_rest if asked["verb"] in AT_REST else self._live.order
        return await order(run, lambda orders: self._carry_out(orders, asked, slot, actor))

    async def _carry_out(
        self, orders: RunOrders, asked: dict[str, Any], slot: SlotId | None, actor: str
    ) -> Refusal | None:
        match asked["verb"]:
            case "stop" if slot is None:
                return await orders.stop_run(actor, EndReason.PERSON)
            case "stop" if slot is not None:
                return await orders.stop_slot(slot, actor)
            case "pause" if slot is not None:
                return await orders.pause(slot, actor)
            case "continue" if slot is not None:
                return await orders.continue_(slot, actor)
            case "answer":
                request, choice = RequestId(str(asked.get("request"))), str(asked.get("choice"))
                return await orders.answer(request, choice, actor)
            case "budget":
                limit = parse_usd(asked.get("limit_usd"))
                return _NO_AMOUNT if limit is None else await orders.raise_budget(slot, limit, actor)
            case "reassign" if slot is not None:
                return await orders.reassign(self._reassign(asked, slot, actor))
            case verb:
                return Refusal(Code.E_OWNER, f"The process that owns this run does not know “{verb}”.")

    def _reassign(self, asked: dict[str, Any], slot: SlotId, actor: str) -> ReassignSlot:
        return ReassignSlot(
            mint_command_id(),
            self._store.tenant,
            RunId(asked["run"]),
            slot,
            actor,
            str(asked.get("reason") or ""),
            _text(asked.get("agent")),
            _text(asked.get("class")),
        )

    # ------------------------------------------------------------------------------- watching

    def watch(self) -> None:
        """Begin to look for changes that other processes make; one task, ended by `close`."""
        self._watcher = asyncio.get_running_loop().create_task(self._look(), name="watch other processes")

    async def _look(self) -> None:
        pause_s = LOOK_EVERY_S
        while True:
            await asyncio.sleep(pause_s)
            begun_s = time.monotonic()
            try:
                changed = await asyncio.to_thread(self._look_once)
            except (StoreError, OSError) as error:
                log.info("the store cannot be looked at: %s", error)
                continue  # The list stays as it was known; the next look may read it.
            for run, seq in changed.items():
                self._live.forget_if_behind(run, seq)
                self._live.publisher.mark(run)
            pause_s = max(LOOK_EVERY_S, LOOK_SHARE * (time.monotonic() - begun_s))

    def _look_once(self) -> dict[RunId, int]:
        """{run that changed: its sequence}; blocking."""
        if self._context is not None and self._store.sessions.dead():
            settle_dead_sessions(self._store, now)
        return self._catalog.refresh_if_changed()

    async def close(self) -> None:
        """End the watching; idempotent."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])
            self._watcher = None


_NO_AMOUNT = Refusal(Code.E_BUDGET, "Give the limit as an amount in US dollars, such as 2.50.")


def _request(run: RunId, verb: str, actor: str | None, said: dict[str, Any]) -> dict[str, Any]:
    known = {name: value for name, value in said.items() if value is not None}
    return {"verb": verb, "run": run, "actor": actor or "", **known}


def _slot_of(asked: dict[str, Any]) -> SlotId | None:
    return SlotId(str(asked["slot"])) if asked.get("slot") else None


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


def _refusal_of(answer: dict[str, Any]) -> Refusal | None:
    """The refusal in an answer; a code that this version does not know is kept in its detail."""
    if answer.get("ok"):
        return None
    detail = tuple((str(pair[0]), str(pair[1])) for pair in answer.get("detail") or () if len(pair) == 2)
    message, code = str(answer.get("message") or "It was refused."), str(answer.get("code"))
    if code not in set(Code):
        return Refusal(Code.E_OWNER, message, (*detail, ("code", code)))
    return Refusal(Code(code), message, detail)
