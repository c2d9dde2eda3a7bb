"""What one attempt used, as its reports tell it: turns, usage by agent session and model, and the figures of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from quarterdeck.domain.figures import FiguresTotals, ModelSpend, TokenCounts, source_of
from quarterdeck.domain.kept_facts import MESSAGES, SESSIONS
from quarterdeck.domain.money import EXACT, ZERO, parse_usd, sum_known
from quarterdeck.domain.spend import Baseline, SessionCount, UsageLine, add_lines, model_spend
from quarterdeck.domain.usage_limits import BEYOND_MESSAGES, BEYOND_SESSIONS, ToldApart


class UsageFold:
    """Turns and usage of one attempt; `domain.spend` holds the rules of counting."""

    __slots__ = (
        "_baseline",
        "_count",
        "_counts",
        "_rest",
        "_told",
        "_unplaced",
        "is_turn_open",
        "session_id",
        "turns",
    )

    def __init__(self, baseline: Baseline) -> None:
        self.turns = 0
        self.is_turn_open = False
        """A turn began and no usage came since."""
        self.session_id: str | None = None
        self._baseline = baseline
        self._told = ToldApart()
        self._counts: dict[str | None, SessionCount] = {None: SessionCount(self._told)}
        self._count = self._counts[None]
        self._rest: SessionCount | None = None
        """Sessions beyond the limit, together."""
        self._unplaced: list[tuple[UsageLine, str | None, bool]] | None = [] if baseline.sessions else None
        """What was counted before the agent named its session; None where it need not, or can no more, be counted anew."""

    def begin_turn(self) -> None:
        """A turn was reported."""
        self.turns += 1
        self.is_turn_open = True

    def take(self, report: Mapping[str, Any]) -> None:
        """A usage report. A cost that is no sane amount counts as not told."""
        get = report.get
        text = get("cost_usd")
        cost = None if text is None else parse_usd(text)
        is_cumulative = bool(get("cumulative"))
        line = UsageLine(
            self._told.model(get("model") or ""),
            get("input_tokens") or 0,
            get("output_tokens") or 0,
            get("cache_read_tokens") or 0,
            get("cache_write_tokens") or 0,
            cost,
            cost is None,
            cost is not None and get("source") == "estimated",
        )
        message_id = get("message_id")
        if message_id is not None and self._count is self._rest:
            message_id = f"{self.session_id} {message_id}"
        self.is_turn_open = False
        if is_cumulative and get("of") == "attempt":
            self._count.set_own(line)
            return
        self._count.count(line, message_id, is_cumulative)
        if self.session_id is None and self._unplaced is not None:
            self._unplaced.append((line, message_id, is_cumulative))
            if len(self._unplaced) > MESSAGES.count:
                self._unplaced = None
                self._told.beyond.add(BEYOND_MESSAGES)

    def enter_session(self, session: str) -> None:
        """The agent named its session; from here on usage counts there."""
        if session == self.session_id:
            return
        known = self._counts.get(session)
        if self.session_id is None:
            known = self._placed(session)
        elif known is None and len(self._counts) >= SESSIONS.count:
            self.session_id, self._count = session, self._shared()
            return
        elif known is None:
            known = SessionCount(self._told, self._baseline.sessions.get(session))
        self.session_id = session
        self._counts[session] = self._count = known

    def _shared(self) -> SessionCount:
        self._told.beyond.add(BEYOND_SESSIONS)
        self._rest = self._rest or SessionCount(self._told, is_shared=True)
        return self._rest

    def _placed(self, session: str) -> SessionCount:
        """What was counted before the agent named its session, now counted in it."""
        before = self._counts.pop(None)
        base = self._baseline.sessions.get(session)
        if base is None or self._unplaced is None:
            return before
        count = SessionCount(self._told, base)
        for line, message_id, is_cumulative in self._unplaced:
            count.count(line, message_id, is_cumulative)
        self._unplaced = None
        return count

    def counts(self) -> Iterable[tuple[str, SessionCount]]:
        """What was counted in each named agent session."""
        return [(session, count) for session, count in self._counts.items() if session is not None]

    def totals(self, *, call_in_flight: bool, is_known_free: bool) -> FiguresTotals:
        """Figures now. is_known_free: without any usage the cost is a known 0 and not unknown (ruling 11)."""
        lines: dict[str, UsageLine] = {}
        unknown, sources = 0, set()
        for count in (*self._counts.values(), *([self._rest] if self._rest is not None else [])):
            for model, total in count.models.items():
                if not total.is_empty:
                    line = total.as_line(model)
                    lines[model] = add_lines(lines[model], line) if model in lines else line
                    unknown += total.unknown
                    sources.add(total.source)
        if not lines:
            if not is_known_free:
                return FiguresTotals(turns=self.turns)
            return FiguresTotals(self.turns, cost_usd=ZERO, cost_is_complete=True, cost_source="none")
        tokens = TokenCounts(*map(sum, zip(*(line.tokens for line in lines.values()), strict=True)))
        cost = sum_known(line.cost for line in lines.values())
        complete = cost is not None and unknown == 0 and not call_in_flight
        by_model = tuple(model_spend(lines[model]) for model in sorted(lines))
        source = "unknown" if cost is None else source_of(sources)
        beyond = tuple(sorted(self._told.beyond))
        return FiguresTotals(self.turns, tokens, cost, complete, source, by_model, beyond=beyond)


def difference(now: FiguresTotals, then: FiguresTotals) -> FiguresTotals:
    """What `now` has beyond `then`, exactly and marked late; both of one fold (ruling 9)."""
    before = {spend.model: spend for spend in then.by_model}
    by_model = []
    for spend in now.by_model:
        old = before.get(spend.model, ModelSpend(spend.model, None, TokenCounts()))
        if spend != old:
            cost = _less_money(spend.cost_usd, old.cost_usd)
            by_model.append(ModelSpend(spend.model, cost, _less(spend.tokens, old.tokens)))
    cost = sum_known(spend.cost_usd for spend in by_model)
    source = now.cost_source if by_model else "none"
    tokens = _less(now.tokens, then.tokens)
    turns = now.turns - then.turns
    return FiguresTotals(turns, tokens, cost, now.cost_is_complete, source, tuple(by_model), late=True)


def _less_money(a: Decimal | None, b: Decimal | None) -> Decimal | None:
    return a if a is None or b is None else EXACT.subtract(a, b)


def _less(a: TokenCounts, b: TokenCounts) -> TokenCounts:
    return TokenCounts(
        a.input_tokens - b.input_tokens,
        a.output_tokens - b.output_tokens,
        a.cache_read_tokens - b.cache_read_tokens,
        a.cache_write_tokens - b.cache_write_tokens,
    )
