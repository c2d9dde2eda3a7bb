"""What is said of an attempt whose program, or whoever kept it, was killed, held against what was seen from outside. Pure.

A naive reading: the files of the attempt before the kill, the service's books, the folder that its tools wrote into. Nothing
here knows how the product comes to what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

LIVE = frozenset({"starting", "running", "paused", "stopping", "lost"})
KINDS = {
    "input_tokens": "input",
    "cache_read_tokens": "cache_read",
    "cache_write_tokens": "cache_write",
    "output_tokens": "output",
}
TOLD_LATER = {
    "intended": {"intended", "not_begun", "refused", "unknown"},
    "sent": {"unknown"},
    "confirmed": {"confirmed"},
    "failed": {"failed"},
    "refused": {"refused"},
}
"""{last state in the reports before the kill: what may be said of it afterwards}, where nothing can have come between."""


@dataclass(frozen=True, slots=True)
class Seen:
    """From outside. booked: charged for whole answers, at_most: and for those that it did not take whole, by kind. price: of a
    million. ran: what the tools wrote. home_has_session: the told id stands in a file of the program's home. is_still: nothing could
    change between the last look and the kill.
    """

    victim: str
    booked: Mapping[str, int]
    at_most: Mapping[str, int]
    price: Mapping[str, str]
    effects: Mapping[str, str]
    attempts: int = 1
    had_ended: bool = False
    is_in_flight: bool = False
    is_still: bool = True
    killed_leader: bool = False
    is_asked: bool = False
    """A question waited: Claude tells of a call as sent before it asks for leave."""
    ran: str = ""
    session: Mapping[str, Any] | None = None
    """The last report of it before the kill."""
    home_has_session: bool = True
    requests: tuple[int, ...] = ()
    """How many came in: once nothing was left, and at each look after it."""
    launches: tuple[int, ...] = ()
    recovered: bool | None = None
    """Whether the next process asked about the run; None where it was not asked."""
    again: Mapping[str, Any] = field(default_factory=dict)
    """The same document from another process."""


def lies(told: Mapping[str, Any], seen: Seen) -> list[str]:
    """Each thing that is said and is not so, in words. told: the document of `show`."""
    (slot,) = told["slots"]
    attempt = slot["attempts"][-1]
    parts = (
        _end(told, attempt, seen),
        _effects(attempt, seen),
        _money(attempt, seen),
        _session(attempt, seen),
        _still(told, seen),
    )
    found = [one for part in parts for one in part]
    return found + [
        f"{len(slot['attempts'])} attempts" for _ in [0] if len(slot["attempts"]) != seen.attempts
    ]


def _end(told: Mapping[str, Any], attempt: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    status = attempt["status"]
    if told["phase"] != "ended" or status in LIVE:
        yield f"it is called {status} in a run that is {told['phase']}"
    if seen.had_ended:
        return
    if status in ("succeeded", "stopped", "never_started"):
        yield f"it is called {status}"
    if seen.victim == "app" and (told["outcome"], seen.recovered) != ("interrupted", True):
        # its agent may have ended by itself while its keeper was ending it: then it is failed, and the run interrupted still
        yield f"the run is {told['outcome']}, and the next process asks: {seen.recovered}"
    if seen.killed_leader and seen.is_still and attempt["signal"] != 9:
        yield f"the signal is {attempt['signal']}"
    if seen.victim == "shim" and status != "interrupted" and seen.is_still:
        yield f"its keeper was killed, and it is {status}"
    was_lost = attempt["end_reason"] == "keeper_lost"
    if status == "interrupted" and was_lost != (seen.victim == "shim"):
        yield f"the {seen.victim} was killed, and the reason is {attempt['end_reason']}: {attempt['reason']}"


def _effects(attempt: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    said = {one["id"]: one["state"] for one in attempt["effects"] if one["type"] != "step"}
    for name, before in seen.effects.items():
        if name not in said:
            yield f"nothing is said of {name}, which was {before}"
        elif seen.is_still and said[name] not in TOLD_LATER["intended" if seen.is_asked else before]:
            yield f"{name} was {before} and is called {said[name]}"
    for name, state in said.items():
        if state in ("sent", "intended") and seen.effects.get(name) != "intended":
            yield f"{name} is left {state}"
        if state == "confirmed" and "started" in seen.ran and "finished" not in seen.ran:
            yield f"{name} is called confirmed and did not come to its end"
        if state in ("intended", "not_begun", "refused") and seen.ran:
            yield f"{name} is called {state} and ran"
    if "finished" in seen.ran:
        yield "the tool came to its end"


def _money(attempt: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    figures = attempt["figures"]
    for kind in KINDS:
        if figures["tokens"][kind] > seen.at_most[kind]:
            yield f"{figures['tokens'][kind]} {kind} of {seen.at_most[kind]}"
    cost = None if figures["cost_usd"] is None else Decimal(figures["cost_usd"])
    if cost is not None and cost > owed(seen.at_most, seen.price):
        yield f"{cost} is more than was served, {owed(seen.at_most, seen.price)}"
    if figures["cost_is_complete"] and cost != owed(seen.booked, seen.price):
        yield f"{cost} is called complete, and {owed(seen.booked, seen.price)} were charged"
    if figures["cost_is_complete"] and seen.is_in_flight:
        yield f"{cost} is called complete with a request in flight"


def owed(tokens: Mapping[str, int], price: Mapping[str, str]) -> Decimal:
    """US dollars."""
    return sum(
        (tokens[kind] * Decimal(price.get(name, "0")) / 1_000_000 for kind, name in KINDS.items()), Decimal(0)
    )


def _session(attempt: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    if seen.session is None:
        return
    if attempt["session_id"] != seen.session["id"]:
        yield f"session {attempt['session_id']} is told, and it was {seen.session['id']}"
    if seen.session["resumable"] and not seen.home_has_session:
        yield f"session {seen.session['id']} is called kept, and no file of the program knows it"


def _still(told: Mapping[str, Any], seen: Seen) -> Iterator[str]:
    """Nothing goes on by itself, and another look says the same."""
    if len(set(seen.requests)) > 1:
        yield f"requests came in after the end: {seen.requests}"
    if set(seen.launches) != {seen.attempts}:
        yield f"attempts were begun by themselves: {seen.launches}"
    if seen.again and _lasting(seen.again) != _lasting(told):
        yield "two looks are not the same"


def _lasting(told: Mapping[str, Any]) -> Any:
    """What must be the same whoever looks."""
    names = ("status", "reason", "end_reason", "effects", "figures", "session_id", "signal", "exit_code")
    attempts = [[one[name] for name in names] for slot in told["slots"] for one in slot["attempts"]]
    return told["phase"], told["outcome"], told["cost_usd"], attempts
