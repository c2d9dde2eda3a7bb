"""The sign-ins of one run: what its agents tell goes into the process's memory, and claims wait or are refused by it.

Used in the run's actor's turn only. A slot that waits is `held`: it takes no place of another, and is asked again when the memory
moved or its time came; there is no other asking.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.domain import reports as r
from quarterdeck.domain.guards import ClaimGrant
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import SpecRef
from quarterdeck.domain.reports import Report
from quarterdeck.domain.retry import LIMIT_CLASSES
from quarterdeck.domain.sign_ins import READING_WORDS, SignInUse, canary_words
from quarterdeck.domain.states import AttemptStatus, ErrorClass, Hold
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.redacting import masked
from quarterdeck.engine.rendered_env import agent_as_it_starts
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.sign_in_looks import Look
from quarterdeck.engine.sign_in_memory import Answer, Held, Trying
from quarterdeck.engine.sign_in_reading import SignIn

AUTH = ErrorClass.AUTH.value
SIGNS_OF_LIFE = frozenset({r.EFFECT, r.OUTPUT})
"""Facts that show a sign-in at work (ruling 27); turns, usage and text come with the totals."""
LOOK_AGAIN_MS = 60_000
"""A slot whose sign-in is being read is asked again when it is there; without a word of it, after so long."""


class SignInGate:
    """See the module. wake: has the actor look again."""

    def __init__(self, context: EngineContext, book: RunBook, wake: Callable[[], None]) -> None:
        self._memory, self._reading = context.sign_ins, context.sign_in_reading
        self._looks, self._attempts = context.sign_in_looks, context.store.attempts
        self._book, self._wake = book, wake
        self._until: dict[SlotId, int] = {}
        self._used: set[AttemptId] = set()
        self._alive: set[AttemptId] = set()
        self._heard: dict[AttemptId, int] = {}
        """The last error that was heard of each living attempt, by its number."""
        self._has_moved = False
        self._end_watch: Callable[[], None] | None = None

    # ------------------------------------------------------------------------------- claims

    async def sign_in_of(self, slot: SlotId, spec: SpecRef, *, anew: bool = False) -> SignIn | Look:
        """What the agent of a slot signs in with by a specification; the look that is under way where that takes longer than a turn may.
        anew: not as it was a moment ago.
        """
        agent = await agent_as_it_starts(self._book, self._attempts, slot, spec)
        return await self._looks.of(self._book.run_id, agent, anew=anew)

    def ask(self, sign_in: SignIn) -> Answer:
        """Whether an agent may start with it now. What does not wait for others is let through where it only would."""
        if sign_in.shape is None:
            return None
        answer = self._memory.ask(sign_in.shape, self._book.now().boot_ms)
        return None if isinstance(answer, Trying) and not sign_in.is_shared else answer

    def begin(self, grant: ClaimGrant, sign_in: SignIn) -> None:
        """The claim is being made. Nothing may be awaited between `ask` and this: of many that ask, one tries first."""
        if sign_in.shape is None:
            return
        state, command = self._book.state, grant.command
        title = state.slots[command.slot_id].title
        use = SignInUse(
            command.attempt_id,
            state.run_id,
            state.header.workflow_name,
            title,
            sign_in.source,
            sign_in.program,
        )
        self._used.add(command.attempt_id)
        self._memory.begin(sign_in.shape, use, self._book.now().boot_ms, is_shared=sign_in.is_shared)

    def give_up(self, attempt: AttemptId) -> None:
        """The claim was not made, or the attempt is over."""
        self._used.discard(attempt)
        self._alive.discard(attempt)
        self._heard.pop(attempt, None)
        self._memory.ended(attempt)

    def note_refused(self, sign_in: SignIn) -> None:
        """A slot was refused because its sign-in is remembered."""
        if sign_in.shape is not None:
            self._memory.note_refused(sign_in.shape)

    # ------------------------------------------------------------------------------- waiting

    @property
    def held(self) -> Mapping[SlotId, int]:
        """The slots that wait for their sign-in, and until when at longest, by the boot clock."""
        return self._until

    def hold(self, slot: SlotId, sign_in: SignIn, answer: Trying | Held) -> None:
        """Let a slot wait, and say for what."""
        if self._end_watch is None:
            self._end_watch = self._memory.watch(self._on_moved)
        self._until[slot] = answer.until_boot_ms
        if isinstance(answer, Held) and sign_in.shape is not None:
            self._memory.note_waiting(sign_in.shape, self._book.run_id, slot)
            self._say_wait(slot, answer.limited.words)
        elif isinstance(answer, Trying):
            self._say_wait(slot, canary_words(answer.use.title))
        self._has_moved = False

    def forget(self, slot: SlotId) -> None:
        """It waits for nothing any more that it waited for: another agent has another sign-in."""
        if self._until.pop(slot, None) is not None:
            self._has_moved = True

    def hold_for(self, slot: SlotId, look: Look) -> None:
        """Let a slot wait until its sign-in is read: a keyring may wait for its person, and nothing else waits with it."""
        self._until[slot] = self._book.now().boot_ms + LOOK_AGAIN_MS
        look.answer.add_done_callback(lambda _: self._on_moved())
        self._say_wait(slot, READING_WORDS)
        self._has_moved = False

    def reopen(self) -> None:
        """Have those asked again whose time came, and all where the memory moved."""
        now_ms = self._book.now().boot_ms
        for slot, until in tuple(self._until.items()):
            if self._has_moved or until <= now_ms:
                del self._until[slot]
        self._has_moved = False

    def settle(self) -> None:
        """After every slot was asked: who does not wait any more is told so."""
        for slot in [slot for slot in self._book.waits if slot not in self._until]:
            self._say_wait(slot, "")
            self._memory.drop_waiting(self._book.run_id, slot)

    def _say_wait(self, slot: SlotId, words: str) -> None:
        """Say what a slot waits for; empty: for nothing more."""
        waits = self._book.waits
        if waits.get(slot, "") != words:
            self._book.waits = (
                {**waits, slot: words} if words else {s: w for s, w in waits.items() if s != slot}
            )
            self._book.changed()

    @property
    def is_due(self) -> bool:
        """Whether a slot that waits is to be asked again."""
        now_ms = self._book.now().boot_ms
        return bool(self._until) and (self._has_moved or min(self._until.values()) <= now_ms)

    def _on_moved(self) -> None:
        if self._until and not self._has_moved:
            self._has_moved = True
            self._wake()

    # ------------------------------------------------------------------------------- what agents tell

    def hear(self, attempt: AttemptId, report: Report) -> None:
        """Take one fact of a living attempt."""
        kind = report.get("kind")
        if attempt not in self._used:
            return
        if kind == r.STARTED:
            self._memory.started(attempt, self._book.now().boot_ms)
        elif kind in SIGNS_OF_LIFE:
            self._show_alive(attempt)
        elif kind == r.ERROR:
            self._heard[attempt] = report["seq"]
            self._take_error(attempt, report)

    def hear_totals(self, attempt: AttemptId, has_spoken: bool) -> None:
        """Turns and usage are in the totals; has_spoken: the agent's model said something."""
        if attempt not in self._used or attempt in self._alive:
            return
        figures = self._book.figures_of(attempt)
        tokens = figures.tokens
        if has_spoken or figures.turns or tokens.input_tokens or tokens.output_tokens:
            self._show_alive(attempt)

    def masked(self, totals: dict[str, Any]) -> dict[str, Any]:
        """Totals as they are shown: an agent's last words without the secrets that it was given."""
        tail, secrets = str(totals.get("tail", "")), self._reading.handed
        return (
            {
                **totals,
                "tail": masked(tail.encode("utf-8", "surrogatepass"), secrets).decode(
                    "utf-8", "surrogatepass"
                ),
            }
            if tail and secrets
            else totals
        )

    def hear_end(self, attempt: AttemptId) -> None:
        """The attempt's end is journaled. Only the error that stands counts now, and of it only what was not heard while the attempt
        lived: a limit that it got over holds nobody.
        """
        fold, record = self._book.folds.get(attempt), self._book.state.attempts[attempt]
        if attempt not in self._used or not record.is_terminal:
            return
        standing = fold.standing_error if fold is not None else None
        if standing is not None and standing["seq"] > self._heard.get(attempt, 0):
            self._take_error(attempt, standing)
        told = standing.get("class") if standing is not None else ""
        if standing is not None and told == AUTH:
            self._judge_refused(attempt, standing)
        elif record.status is AttemptStatus.SUCCEEDED:
            self._show_alive(attempt)
            if told not in LIMIT_CLASSES:
                self._memory.passed(attempt)
        if record.ended is not None and record.ended.hold is Hold.TIMER:
            self._memory.note_retry(attempt, self._book.now().boot_ms)
        self.give_up(attempt)

    def _judge_refused(self, attempt: AttemptId, standing: Report) -> None:
        """A refusal stands at the end. One of middle strength counts now: where nothing showed the sign-in at work it has failed,
        else it is in doubt and the next one tries it alone.
        """
        if self._has_worked(attempt):
            self._memory.doubted(attempt)
        else:
            self._memory.failed(attempt, _message(standing), self._book.now())

    def close(self) -> None:
        """The sitting is over: nobody waits here, and who was tried here proves nothing any more."""
        for attempt in tuple(self._used):
            self.give_up(attempt)
        self._until.clear()
        self.settle()
        if self._end_watch is not None:
            self._end_watch()

    def _show_alive(self, attempt: AttemptId) -> None:
        self._alive.add(attempt)
        self._memory.alive(attempt)

    def _has_worked(self, attempt: AttemptId) -> bool:
        return attempt in self._alive or self._book.figures_of(attempt).turns > 0

    def _take_error(self, attempt: AttemptId, report: Report) -> None:
        told, now = str(report.get("class") or ""), self._book.now()
        if is_surely_refused(report):
            self._memory.failed(attempt, _message(report), now)
        elif told in LIMIT_CLASSES:
            self._memory.limited(attempt, told, _message(report), told_ms(report, now), now)


def is_surely_refused(report: Mapping[str, Any]) -> bool:
    """Whether an error says beyond doubt that the sign-in is refused. One that does not say how sure it is never does (AUT6)."""
    return report.get("class") == AUTH and report.get("strength") == r.STRONG


def _message(report: Mapping[str, Any]) -> str:
    return str(report.get("message") or "").strip()[:500]


def told_ms(report: Mapping[str, Any], now: Moment) -> int | None:
    """How long a limit lasts as the service said: `retry_after_s`, or until `resets_at` (ISO text, or Unix time in seconds or
    milliseconds). None where it said nothing that is a time; what is past is over.
    """
    after, resets = report.get("retry_after_s"), report.get("resets_at")
    if isinstance(after, int | float) and not isinstance(after, bool) and after >= 0:
        return int(after * 1000)
    wall_ms = _wall_ms(resets)
    return None if wall_ms is None else max(0, wall_ms - now.wall_ms)


def _wall_ms(resets: object) -> int | None:
    if isinstance(resets, int | float) and not isinstance(resets, bool):
        return int(resets if resets > 1e11 else resets * 1000)
    try:
        at = dt.datetime.fromisoformat(resets) if isinstance(resets, str) else None
        if at is None:
            return None
        return int((at if at.tzinfo is not None else at.replace(tzinfo=dt.UTC)).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None
