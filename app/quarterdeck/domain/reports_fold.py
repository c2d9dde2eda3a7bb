"""The fold of one attempt's reports: figures, effects, artifacts, questions, errors, output (design §5).

It takes reports in their own sequence and knows nothing of the journal. The shim folds with it for `exit` and its cap,
the engine for what is shown, recovery for what a dead shim left; so all of them count alike. Reports of kinds it does not
know are passed over. A flood of turns and usage must stay cheap: plain dict operations, no object for each report beyond
one tuple.

The live engine sees only the kinds in `reports.SENT_ONE_BY_ONE`, so gaps are ordinary there; `missing` counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quarterdeck.domain import reports as r
from quarterdeck.domain.effect_table import MOVE_OF_REPORT, OPEN_EFFECT, effect_after
from quarterdeck.domain.figures import FiguresTotals, ModelSpend, TokenCounts
from quarterdeck.domain.figures_json import figures_from_json, figures_to_json
from quarterdeck.domain.money import EXACT, ZERO, parse_usd, sum_known
from quarterdeck.domain.spend import (
    EMPTY,
    Baseline,
    SessionCount,
    UsageLine,
    add_lines,
    merge_counts,
    model_spend,
)
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import ArtifactView, ErrorView

__all__ = [
    "EMPTY",
    "NOTHING_SPENT",
    "AttemptFold",
    "Baseline",
    "EffectFact",
    "baseline_of",
    "figures_from_json",
    "figures_to_json",
    "split_late",
]

NOTHING_SPENT = FiguresTotals(cost_usd=ZERO, cost_is_complete=True, cost_source="none")
"""Figures of an attempt whose agent never started: a known 0."""
ERRORS_KEPT = 100
NOTES_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class EffectFact:
    """An effect as the agent told it, last word first judged by `effect_table`."""

    id: str
    state: EffectState
    type: str
    target: str
    detail: str


class AttemptFold:
    """What one attempt's reports say, up to `upto`.

    baseline: what earlier attempts of the slot counted in the agent's sessions. reports_cost: whether agents of this kind
    tell their usage; one that does not and reports none costs a known 0 (ruling 11).
    """

    def __init__(self, baseline: Baseline = EMPTY, *, reports_cost: bool = False) -> None:
        self.upto = 0
        self.missing = 0
        self.turns = 0
        self.starting: r.Report | None = None
        self.started: r.Report | None = None
        self.session_id: str | None = None
        self.resumable = False
        self.effects: dict[str, EffectFact] = {}
        self.checkpoints: dict[str, r.Report] = {}
        self.notes: list[r.Report] = []
        self.error_reports: list[r.Report] = []
        self.open_questions: dict[str, r.Report] = {}
        """Approval reports without an answer, by the agent's own id."""
        self.output: Any = None
        self.has_output = False
        self.output_report: r.Report | None = None
        self.progress: tuple[float, float | None, str] | None = None
        self.paused = False
        self.ending: r.Report | None = None
        self.exit: r.Report | None = None
        self.over_long = 0
        self._artifacts: dict[str, ArtifactView] = {}
        self._baseline = baseline
        self._reports_cost = reports_cost
        self._counts: dict[str | None, SessionCount] = {None: SessionCount()}
        self._count = self._counts[None]
        self._unplaced: list[tuple[UsageLine, str | None, bool]] = []
        self._turn_is_open = False
        self._turn_of_error = 0
        self._sources: set[str] = set()
        self._frozen: FiguresTotals | None = None

    # --------------------------------------------------------------------------------------- taking reports

    def apply(self, report: Mapping[str, Any]) -> None:
        """Take one report; one whose sequence was passed already changes nothing."""
        seq = report["seq"]
        if seq != self.upto + 1:
            if seq <= self.upto:
                return
            self.missing += seq - self.upto - 1
        self.upto = seq
        take = _TAKERS.get(report["kind"])
        if take is not None:
            take(self, report)

    def close(self) -> None:
        """The attempt ended at `upto`: what comes now is late, counts only in `totals(late=True)` (ruling 9)."""
        if self._frozen is None:
            self._frozen = self._sum()

    def apply_late(self, report: Mapping[str, Any]) -> None:
        """Take one report beyond the end: turns and usage count as late, every other kind is only kept in its file."""
        self.close()
        if report["kind"] in (r.TURN, r.USAGE):
            self.apply(report)
        elif report["seq"] > self.upto:
            self.upto = report["seq"]

    # --------------------------------------------------------------------------------------- reading it

    @property
    def artifacts(self) -> tuple[ArtifactView, ...]:
        """The last of each name, in the order of their first report."""
        return tuple(self._artifacts.values())

    @property
    def errors(self) -> tuple[ErrorView, ...]:
        """Reported errors, oldest first; the last hundred."""
        return tuple(
            ErrorView(str(e.get("class") or "other"), str(e.get("message") or "")) for e in self.error_reports
        )

    @property
    def standing_error(self) -> r.Report | None:
        """The last error, unless it was a passing one and another turn began after it (case 82)."""
        if not self.error_reports:
            return None
        last = self.error_reports[-1]
        is_passing = last.get("class") in ("rate_limit", "overloaded")
        return None if is_passing and self.turns > self._turn_of_error else last

    @property
    def has_open_effects(self) -> bool:
        """Whether an effect was sent and never answered (EFF2, ruling 4)."""
        return any(effect.state in OPEN_EFFECT for effect in self.effects.values())

    @property
    def call_in_flight(self) -> bool:
        """A turn began, its usage never came, and the agent did not end well by itself: money may be missing."""
        if not self._turn_is_open:
            return False
        ended = self.exit
        return ended is None or bool(ended.get("after_ending")) or ended.get("code") != 0

    @property
    def has_late(self) -> bool:
        """Whether something was counted beyond the end."""
        return self._frozen is not None and self._sum() != self._frozen

    def totals(self, late: bool = False) -> FiguresTotals:
        """Folded figures; after `close` those of the end. late: what came beyond it, alone and marked (ruling 9)."""
        if self._frozen is None:
            return FiguresTotals(late=True) if late else self._sum()
        return _difference(self._sum(), self._frozen) if late else self._frozen

    def counts(self) -> Iterable[tuple[str, SessionCount]]:
        """What was counted in each agent session, late usage included."""
        return [(session, count) for session, count in self._counts.items() if session is not None]

    def _sum(self) -> FiguresTotals:
        lines: dict[str, UsageLine] = {}
        unknown = 0
        for count in self._counts.values():
            for model, total in count.models.items():
                if not total.is_empty:
                    line = total.as_line(model)
                    lines[model] = add_lines(lines[model], line) if model in lines else line
                    unknown += total.unknown
        if not lines:
            return self._without_usage()
        tokens = TokenCounts(*map(sum, zip(*(line.tokens for line in lines.values()), strict=True)))
        cost = sum_known(line.cost for line in lines.values())
        complete = cost is not None and unknown == 0 and not self.call_in_flight
        by_model = tuple(model_spend(lines[model]) for model in sorted(lines))
        return FiguresTotals(self.turns, tokens, cost, complete, self._source(cost), by_model)

    def _without_usage(self) -> FiguresTotals:
        if self._reports_cost and self.started is not None:
            return FiguresTotals(turns=self.turns)
        return FiguresTotals(self.turns, cost_usd=ZERO, cost_is_complete=True, cost_source="none")

    def _source(self, cost: Decimal | None) -> str:
        if cost is None:
            return "unknown"
        return "mixed" if len(self._sources) > 1 else next(iter(self._sources), "reported")

    # --------------------------------------------------------------------------------------- one kind each

    def _turn(self, report: r.Report) -> None:
        self.turns += 1
        self._turn_is_open = True

    def _usage(self, report: r.Report) -> None:
        get = report.get
        text = get("cost_usd")
        cost = None if text is None else parse_usd(text)
        if cost is not None:
            self._sources.add("estimated" if get("source") == "estimated" else "reported")
        line = UsageLine(
            get("model") or "",
            get("input_tokens") or 0,
            get("output_tokens") or 0,
            get("cache_read_tokens") or 0,
            get("cache_write_tokens") or 0,
            cost,
            cost is None,
        )
        message_id = get("message_id")
        is_cumulative = bool(get("cumulative"))
        self._turn_is_open = False
        self._count.count(line, message_id, is_cumulative)
        if self.session_id is None and self._baseline.sessions:
            self._unplaced.append((line, message_id, is_cumulative))

    def _session(self, report: r.Report) -> None:
        session = str(report.get("id") or "")
        self.resumable = bool(report.get("resumable"))
        if not session or session == self.session_id:
            return
        known = self._counts.get(session)
        if self.session_id is None:
            known = self._placed(session)
        elif known is None:
            known = SessionCount(self._baseline.sessions.get(session))
        self.session_id = session
        self._counts[session] = self._count = known

    def _placed(self, session: str) -> SessionCount:
        """What was counted before the agent named its session, now counted in it."""
        before = self._counts.pop(None)
        base = self._baseline.sessions.get(session)
        if base is None:
            return before
        count = SessionCount(base)
        for line, message_id, is_cumulative in self._unplaced:
            count.count(line, message_id, is_cumulative)
        self._unplaced.clear()
        return count

    def _effect(self, report: r.Report) -> None:
        effect_id = str(report.get("id") or "")
        move = MOVE_OF_REPORT.get(str(report.get("state")))
        if move is None or not effect_id:
            return
        old = self.effects.get(effect_id)
        state = effect_after(effect_id, old.state if old else EffectState.INTENDED, move)
        self.effects[effect_id] = EffectFact(
            effect_id,
            state,
            str(report.get("type") or (old.type if old else "")),
            str(report.get("target") or (old.target if old else "")),
            str(report.get("detail") or (old.detail if old else "")),
        )

    def _artifact(self, report: r.Report) -> None:
        name = str(report.get("name") or "")
        self._artifacts[name] = ArtifactView(
            name,
            str(report.get("sha256") or ""),
            int(report.get("size_bytes") or 0),
            report.get("path"),
            report.get("stored"),
        )

    def _checkpoint(self, report: r.Report) -> None:
        self.checkpoints[str(report.get("step") or "")] = report

    def _note(self, report: r.Report) -> None:
        self.notes.append(report)
        del self.notes[:-NOTES_KEPT]

    def _progress(self, report: r.Report) -> None:
        self.progress = (report.get("done") or 0, report.get("total"), str(report.get("label") or ""))

    def _approval(self, report: r.Report) -> None:
        self.open_questions[str(report.get("id") or "")] = report

    def _approval_answered(self, report: r.Report) -> None:
        self.open_questions.pop(str(report.get("id") or ""), None)

    def _error(self, report: r.Report) -> None:
        self.error_reports.append(report)
        del self.error_reports[:-ERRORS_KEPT]
        self._turn_of_error = self.turns

    def _output(self, report: r.Report) -> None:
        self.output, self.has_output, self.output_report = report.get("value"), True, report

    def _starting(self, report: r.Report) -> None:
        self.starting = report

    def _started(self, report: r.Report) -> None:
        self.started = report

    def _paused(self, report: r.Report) -> None:
        self.paused = True

    def _continued(self, report: r.Report) -> None:
        self.paused = False

    def _over_long(self, report: r.Report) -> None:
        self.over_long += 1

    def _ending(self, report: r.Report) -> None:
        self.ending = report

    def _exit(self, report: r.Report) -> None:
        self.exit = report


_TAKERS: dict[str, Callable[[AttemptFold, Any], None]] = {
    r.STARTING: AttemptFold._starting,
    r.STARTED: AttemptFold._started,
    r.SESSION: AttemptFold._session,
    r.TURN: AttemptFold._turn,
    r.USAGE: AttemptFold._usage,
    r.EFFECT: AttemptFold._effect,
    r.ARTIFACT: AttemptFold._artifact,
    r.CHECKPOINT: AttemptFold._checkpoint,
    r.NOTE: AttemptFold._note,
    r.PROGRESS: AttemptFold._progress,
    r.APPROVAL: AttemptFold._approval,
    r.APPROVAL_ANSWERED: AttemptFold._approval_answered,
    r.ERROR: AttemptFold._error,
    r.OUTPUT: AttemptFold._output,
    r.PAUSED: AttemptFold._paused,
    r.CONTINUED: AttemptFold._continued,
    r.OVER_LONG: AttemptFold._over_long,
    r.ENDING: AttemptFold._ending,
    r.EXIT: AttemptFold._exit,
}


def baseline_of(folds: Iterable[AttemptFold]) -> Baseline:
    """What the attempts of one slot, oldest first, counted: the baseline of its next attempt.

    The folds must have taken whole report files: turns and usage do not reach the app one by one.
    """
    return merge_counts(pair for fold in folds for pair in fold.counts())


def split_late(reports: Iterable[r.Report], upto: int) -> tuple[list[r.Report], list[r.Report]]:
    """(counted, late): reports up to the attempt's last counted sequence, and those beyond it (A15 row 6)."""
    counted: list[r.Report] = []
    late: list[r.Report] = []
    for report in reports:
        (counted if report["seq"] <= upto else late).append(report)
    return counted, late


def _difference(now: FiguresTotals, then: FiguresTotals) -> FiguresTotals:
    """What `now` has beyond `then`, exactly; both of one fold."""
    before = {spend.model: spend for spend in then.by_model}
    by_model = []
    for spend in now.by_model:
        old = before.get(spend.model, ModelSpend(spend.model, None, TokenCounts()))
        if spend != old:
            cost = spend.cost_usd if old.cost_usd is None else _minus(spend.cost_usd, old.cost_usd)
            by_model.append(ModelSpend(spend.model, cost, _less(spend.tokens, old.tokens)))
    cost = sum_known(spend.cost_usd for spend in by_model)
    source = now.cost_source if by_model else "none"
    tokens = _less(now.tokens, then.tokens)
    return FiguresTotals(
        now.turns - then.turns, tokens, cost, now.cost_is_complete, source, tuple(by_model), late=True
    )


def _minus(a: Decimal | None, b: Decimal) -> Decimal | None:
    return None if a is None else EXACT.subtract(a, b)


def _less(a: TokenCounts, b: TokenCounts) -> TokenCounts:
    return TokenCounts(
        a.input_tokens - b.input_tokens,
        a.output_tokens - b.output_tokens,
        a.cache_read_tokens - b.cache_read_tokens,
        a.cache_write_tokens - b.cache_write_tokens,
    )
