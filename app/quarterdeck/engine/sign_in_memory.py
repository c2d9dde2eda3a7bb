"""What this process remembers of sign-ins: which failed, which is being tried, which is limited (AUT1–AUT5, AUT8). Memory only.

Keyed by shape. All of it runs on the engine's loop; times are those of the boot clock, handed in. A *generation* rises whenever a
shape is cleared, so that what a process tells that began before cannot set it again (AUT5). Who waits is told by `watch`.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.retry import SHARED, SharedPolicy
from quarterdeck.domain.sign_ins import Cleared, Limited, Remembered, Shape, SignInUse

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trying:
    """Another agent uses the sign-in for the first time; wait for its sign of life, at longest until then."""

    use: SignInUse
    until_boot_ms: int


@dataclass(frozen=True, slots=True)
class Held:
    """The sign-in has reached a limit; nobody tries before then."""

    limited: Limited
    until_boot_ms: int


Answer = Remembered | Trying | Held | None
"""What `ask` says; None: go ahead."""


@dataclass(slots=True)
class _Known:
    """Everything of one shape. `is_open`: it was seen at work. `canary`: who is waited for, since its start; the newest where those
    before showed nothing in time. `doubts`: how often one that had worked ended in a way that may mean a dead sign-in.
    """

    generation: int = 0
    doubts: int = 0
    failure: Remembered | None = None
    held: Held | None = None
    is_open: bool = False
    canary: str = ""
    canary_since_ms: int = 0
    waits: int = 0
    """How many were waited for in vain."""
    may_start: int = 0
    """How many more may start beside the newest: after each wait in vain twice as many as after the one before."""
    retries: deque[int] = field(default_factory=deque)
    sources: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Using:
    """An attempt that uses a shape. generation, doubts: of the shape when it began. is_trial: a person started it to see whether
    the sign-in works again, as nothing else can tell.
    """

    shape: Shape
    use: SignInUse
    generation: int
    doubts: int
    is_trial: bool


class SignInMemory:
    """See the module. One for each process that owns runs."""

    def __init__(self, policy: SharedPolicy = SHARED) -> None:
        self._policy = policy
        self._known: dict[Shape, _Known] = {}
        self._using: dict[str, _Using] = {}
        self._watchers: list[Callable[[], None]] = []
        self._waiting: dict[tuple[str, str], Shape] = {}

    # ------------------------------------------------------------------------------- before a claim

    def ask(self, shape: Shape, now_ms: int) -> Answer:
        """Whether an agent of that sign-in may start now."""
        known = self._known.get(shape)
        if known is None:
            return None
        if known.failure is not None:
            return known.failure
        if known.held is not None:
            if now_ms < known.held.until_boot_ms:
                return known.held
            known.held, known.is_open, known.canary = None, False, ""
            self._changed()
        if known.is_open or not known.canary:
            return None
        until = self._patience_ends_ms(known)
        may_start = known.may_start > 0 or now_ms >= until
        return None if may_start else Trying(self._using[known.canary].use, until)

    def begin(self, shape: Shape, use: SignInUse, now_ms: int, *, is_shared: bool) -> None:
        """An agent was claimed with that sign-in. is_shared: others wait for its sign of life where it is the first, or follows
        one that was waited for long enough in vain: then one more tries, after the next wait two, then four, and not all of them.
        """
        known = self._known.setdefault(shape, _Known())
        known.sources.add(use.source)
        is_trial = known.failure is not None
        self._using[use.attempt_id] = _Using(shape, use, known.generation, known.doubts, is_trial)
        if not is_shared or known.is_open:
            return
        if not known.canary or now_ms >= self._patience_ends_ms(known):
            known.waits = known.waits + 1 if known.canary else 0
            known.may_start = max(0, 2 ** min(known.waits - 1, 16) - 1) if known.waits else 0
            known.canary, known.canary_since_ms = use.attempt_id, now_ms
        else:
            known.may_start = max(0, known.may_start - 1)

    def started(self, attempt: str, now_ms: int) -> None:
        """Its process runs: what a busy machine took for its start is no time in which it could show a sign of life."""
        using = self._using.get(attempt)
        known = self._known[using.shape] if using is not None else None
        if known is not None and known.canary == attempt:
            known.canary_since_ms = now_ms

    def note_refused(self, shape: Shape) -> None:
        """An agent was not started because the sign-in is remembered; it is counted for the one message (AUT7)."""
        known = self._known[shape]
        if known.failure is not None:
            known.failure = replace(known.failure, refused=known.failure.refused + 1)
            self._changed()

    def note_waiting(self, shape: Shape, run: str, slot: str) -> None:
        """A slot waits for a sign-in that is limited."""
        if self._waiting.get((run, slot)) != shape:
            self._waiting[run, slot] = shape
            self._changed()

    def drop_waiting(self, run: str, slot: str) -> None:
        """It waits no more."""
        if self._waiting.pop((run, slot), None) is not None:
            self._changed()

    # ------------------------------------------------------------------------------- what agents tell

    def is_used_by(self, attempt: str) -> bool:
        """Whether the attempt has a sign-in, and has not ended."""
        return attempt in self._using

    def alive(self, attempt: str) -> None:
        """A sign of life: the sign-in works. What failed before, for an agent that only a person could try, is forgotten, and who
        began before this trial sets it no more (AUT5). What began before the sign-in came into doubt shows nothing of it any more.
        """
        using = self._current(attempt)
        if using is None or using.doubts != self._known[using.shape].doubts:
            return
        known = self._known[using.shape]
        is_news = bool(known.canary) and not known.is_open
        if using.is_trial and known.failure is not None:
            known.failure, is_news = None, True
            known.generation += 1
            self._using[attempt] = replace(using, generation=known.generation)
        known.is_open = True
        if is_news:
            self._changed()

    def failed(self, attempt: str, message: str, now: Moment) -> bool:
        """A strong signal that the sign-in is dead (AUT6). False where it was cleared since the attempt began, or is known."""
        using = self._current(attempt)
        if using is None:
            return False
        known = self._known[using.shape]
        if known.failure is not None:
            return False
        known.failure = Remembered(using.use, now.wall_ms, message)
        known.held, known.is_open, known.canary = None, False, ""
        log.warning("the sign-in %s failed, as %s told; it is remembered", using.use.source, attempt)
        self._changed()
        return True

    def doubted(self, attempt: str) -> None:
        """One that had worked ended with what may be a dead sign-in: nobody is launched any more, but one, who tries it (AUT4).
        The others that worked before and end alike tell nothing new.
        """
        using = self._current(attempt)
        if using is None or using.doubts != self._known[using.shape].doubts:
            return
        known = self._known[using.shape]
        known.doubts += 1
        known.is_open, known.canary = False, ""
        log.info("the sign-in %s is in doubt, as %s ended; one tries it", using.use.source, attempt)
        self._changed()

    def limited(self, attempt: str, error_class: str, message: str, told_ms: int | None, now: Moment) -> None:
        """A limit was reached. told_ms: how long it lasts as the service said, None where it did not say."""
        using = self._current(attempt)
        if using is None:
            return
        known = self._known[using.shape]
        held_ms = self._policy.held_ms(error_class, told_ms)
        until = now.boot_ms + held_ms
        if known.failure is not None or (known.held is not None and known.held.until_boot_ms >= until):
            return
        told = Limited(using.use, error_class, message, now.wall_ms + held_ms, told_ms is not None)
        known.held = Held(told, until)
        self._changed()

    def passed(self, attempt: str) -> None:
        """It ended well after the limit that it met. Where only we supposed how long that holds, it holds no longer."""
        using = self._current(attempt)
        known = self._known[using.shape] if using is not None else None
        limited = known.held.limited if known is not None and known.held is not None else None
        if (
            known is not None
            and limited is not None
            and limited.use.attempt_id == attempt
            and not limited.is_known
        ):
            known.held = None
            self._changed()

    def ended(self, attempt: str) -> None:
        """The attempt is over. One that showed no sign of life proved nothing: the next one tries."""
        using = self._using.pop(attempt, None)
        known = self._known.get(using.shape) if using is not None else None
        if known is not None and known.canary == attempt:
            known.canary = ""
            self._changed()

    # ------------------------------------------------------------------------------- retries

    def retries_left(self, attempt: str, now_ms: int) -> int | None:
        """How many retries the users of its sign-in have left together (AUT8); None where it has none."""
        using = self._using.get(attempt)
        if using is None:
            return None
        made = self._known[using.shape].retries
        while made and made[0] <= now_ms - self._policy.window_ms:
            made.popleft()
        return self._policy.retries - len(made)

    def note_retry(self, attempt: str, now_ms: int) -> None:
        """The attempt is to be followed by another one by itself."""
        using = self._using.get(attempt)
        if using is not None:
            self._known[using.shape].retries.append(now_ms)

    # ------------------------------------------------------------------------------- clearing

    def clear(self, cleared: Cleared) -> int:
        """Forget what a save or a passed test clears, and nothing else (AUT5); starts nothing. How many failures it were."""
        gone = 0
        for shape, known in self._known.items():
            if not any(cleared.fits(shape, source) for source in known.sources):
                continue
            gone += known.failure is not None
            known.generation += 1
            known.failure, known.held, known.is_open, known.canary = None, None, False, ""
        self._changed()
        return gone

    def try_now(self, source: str) -> None:
        """A person does not wait for a limit any longer; one agent tries first."""
        for known in self._known.values():
            if known.held is not None and source in known.sources:
                known.held, known.is_open, known.canary = None, False, ""
        self._changed()

    # ------------------------------------------------------------------------------- looking

    def remembered(self) -> tuple[Remembered, ...]:
        """The sign-ins that failed, oldest first."""
        found = [known.failure for known in self._known.values() if known.failure is not None]
        return tuple(sorted(found, key=lambda one: one.wall_ms))

    def shapes_of(self, source: str) -> tuple[Shape, ...]:
        """The sign-ins that were used under that name: those that failed, or, where none did, all."""
        used = [(shape, known) for shape, known in self._known.items() if source in known.sources]
        failed = tuple(shape for shape, known in used if known.failure is not None)
        return failed or tuple(shape for shape, _ in used)

    def limits(self, now_ms: int) -> tuple[Limited, ...]:
        """The limits that hold now, each with the number of slots that wait for it."""
        found = []
        for shape, known in self._known.items():
            if known.held is not None and now_ms < known.held.until_boot_ms:
                waiting = sum(one == shape for one in self._waiting.values())
                found.append(replace(known.held.limited, waiting=waiting))
        return tuple(found)

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after every change, on the loop; call what comes back to end it."""
        self._watchers.append(told)

        def end() -> None:
            if told in self._watchers:
                self._watchers.remove(told)

        return end

    def _current(self, attempt: str) -> _Using | None:
        """The attempt's use, unless its shape was cleared since it began."""
        using = self._using.get(attempt)
        if using is None or self._known[using.shape].generation != using.generation:
            return None
        return using

    def _patience_ends_ms(self, known: _Known) -> int:
        """Until when its canary is waited for (ruling 27)."""
        return known.canary_since_ms + self._policy.canary_ms

    def _changed(self) -> None:
        for told in tuple(self._watchers):
            told()
