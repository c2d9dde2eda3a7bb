"""Runs of other processes: commands travel over the owner's socket, changes are seen by looking at the files.

`serve` answers what other processes ask about runs of this one (ruling 18).
"""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

from quarterdeck.domain.guards import NO_SUCH_RUN
from quarterdeck.domain.ids import RequestId, RunId, SessionId, SlotId
from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import EndReason
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.disk_views import read_state
from quarterdeck.engine.live_runs import OVER, LiveRuns
from quarterdeck.engine.owner_socket import OwnerSilent, ask_owner
from quarterdeck.engine.run_orders import RunOrders
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError, UnknownRun

LOOK_EVERY_S = 1.0


class ForeignRuns:
    """Routes commands to whoever owns a run, and watches the store for what other processes do."""

    def __init__(self, store: Store, live: LiveRuns, catalog: Catalog) -> None:
        self._store, self._live, self._catalog = store, live, catalog
        self._watcher: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------------------- commands

    async def command(self, run: RunId, verb: str, actor: str | None, **said: Any) -> Refusal | None:
        """Carry out a command here, or where the run lives."""
        request = {
            "verb": verb,
            "run": run,
            "actor": actor or "",
            **{k: v for k, v in said.items() if v is not None},
        }
        if self._live.is_live(run):
            return await self._here(request)
        owner = await asyncio.to_thread(self._owner_of, run)
        if isinstance(owner, Refusal):
            return owner
        try:
            answer = await ask_owner(self._store.sessions.socket_path(owner), request)
        except OwnerSilent:
            message = (
                "The process that owns this run does not answer; if it hangs, end it: its agents end with it."
            )
            return Refusal(Code.E_OWNER, message, (("session", owner),))
        return _refusal_of(answer)

    def _owner_of(self, run: RunId) -> SessionId | Refusal:
        """The living session that owns the run; blocking."""
        try:
            state = read_state(self._store, run)
            if not state.is_live:
                return OVER
            alive = self._store.sessions.alive()
        except (UnknownRun, ValueError):
            return Refusal(Code.E_RUN, NO_SUCH_RUN)
        except StoreError as error:
            return Refusal(Code.E_STORE, f"The run cannot be read: {error}")
        owner = state.sitting.session_id
        if owner not in alive:
            return Refusal(
                Code.E_OWNER, "The process that owned this run is gone; start Quarterdeck again to settle it."
            )
        return owner

    async def serve(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer another process."""
        if not self._live.is_live(RunId(str(asked.get("run")))):
            return _answer_of(OVER)
        return _answer_of(await self._here(asked))

    async def _here(self, asked: dict[str, Any]) -> Refusal | None:
        run = RunId(asked["run"])
        actor = str(asked.get("actor") or self._live.actor)
        slot = SlotId(asked["slot"]) if asked.get("slot") else None
        if asked["verb"] == "stop":
            self._live.stop_at_once(run, slot)

        async def carry_out(orders: RunOrders) -> Refusal | None:
            return await _carry_out(orders, asked, slot, actor)

        return await self._live.order(run, carry_out)

    # ------------------------------------------------------------------------------- watching

    def watch(self) -> None:
        """Begin to look for changes that other processes make; one task, ended by `close`."""
        self._watcher = asyncio.get_running_loop().create_task(self._look(), name="watch other processes")

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                changed = await asyncio.to_thread(self._catalog.refresh)
            except StoreError:
                continue  # The list stays as it was known; the next look may read it.
            for run in changed:
                self._live.publisher.mark(run)

    async def close(self) -> None:
        """End the watching; idempotent."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])
            self._watcher = None


async def _carry_out(
    orders: RunOrders, asked: dict[str, Any], slot: SlotId | None, actor: str
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
            return await orders.answer(RequestId(str(asked.get("request"))), str(asked.get("choice")), actor)
        case "budget":
            limit = parse_usd(asked.get("limit_usd"))
            return await orders.raise_budget(slot, limit, actor) if isinstance(limit, Decimal) else _NO_AMOUNT
        case verb:
            return Refusal(Code.E_OWNER, f"The process that owns this run does not know “{verb}”.")


_NO_AMOUNT = Refusal(Code.E_BUDGET, "Give the limit as an amount in US dollars, such as 2.50.")


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
    if answer.get("ok"):
        return None
    detail = tuple((str(name), str(value)) for name, value in answer.get("detail", ()))
    return Refusal(Code(answer["code"]), str(answer["message"]), detail)
