"""The fold of one attempt's reports: figures, effects, artifacts, questions, errors, output (design §5).

It takes reports in their own sequence and knows nothing of the journal. The shim folds with it for `exit` and its cap,
the engine for what is shown, recovery for what a dead shim left; so all of them count alike. Reports of kinds it does not
know are passed over. A flood of turns and usage must stay cheap: plain dict operations, no object for each report beyond
one tuple.

The live engine sees only the kinds in `reports.SENT_ONE_BY_ONE`, so gaps are ordinary there; `missing` counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from quarterdeck.domain import kept_facts as kept
from quarterdeck.domain import reports as r
from quarterdeck.domain.effect_table import MOVE_OF_REPORT, OPEN_EFFECT, effect_after
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.figures_json import figures_from_json, figures_to_json
from quarterdeck.domain.kept_facts import FirstFacts, NewestFacts, chars_of
from quarterdeck.domain.money import ZERO
from quarterdeck.domain.open_questions import OpenQuestions
from quarterdeck.domain.outputs import RECORDING, lost_words, transcript_lost_words
from quarterdeck.domain.spend import EMPTY, Baseline, SessionCount, merge_counts
from quarterdeck.domain.states import EffectState, ErrorClass
from quarterdeck.domain.usage_fold import UsageFold, difference
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
BEYOND_LIMITS = ErrorClass.BEYOND_LIMITS.value
"""Class of the error that says what an attempt told beyond the limits of `kept_facts`."""


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
        self.last: Mapping[str, Any] | None = None
        """The last report that counts: a sign that the agent, or its keeper, was there."""
        self.starting: r.Report | None = None
        self.started: r.Report | None = None
        self.resumable = False
        self.takes_messages = False
        """Whether the agent said that it takes messages of a person while it works."""
        self.messages: NewestFacts[r.Report] = NewestFacts(kept.MESSAGES_HEARD)
        """What became of a person's messages, by their ids."""
        self.effects: FirstFacts[EffectFact] = FirstFacts(kept.EFFECTS)
        self.checkpoints: NewestFacts[r.Report] = NewestFacts(kept.CHECKPOINTS)
        self.open_questions = OpenQuestions()
        self.output: Any = None
        self.has_output = False
        self.output_report: r.Report | None = None
        self.progress: tuple[float, float | None, str] | None = None
        self.paused = False
        self.ending: r.Report | None = None
        self.exit: r.Report | None = None
        self.over_long = 0
        self.unread = ""
        """Why the report file cannot be read, or not wholly, in words: more may have been told (results, effects, costs)."""
        self._artifacts: FirstFacts[ArtifactView] = FirstFacts(kept.ARTIFACTS)
        self._notes: NewestFacts[r.Report] = NewestFacts(kept.NOTES)
        self._errors: NewestFacts[r.Report] = NewestFacts(kept.ERRORS)
        self._reports_cost = reports_cost
        self._usage = UsageFold(baseline)
        self._turn_of_error = 0
        self._frozen: FiguresTotals | None = None
        self._session_at_end: str | None = None
        self._told_version = ""
        self._has_late = False

    # --------------------------------------------------------------------------------------- taking reports

    def apply(self, report: Mapping[str, Any]) -> None:
        """Take one report; one whose sequence was passed already changes nothing."""
        seq = report["seq"]
        if seq != self.upto + 1:
            if seq <= self.upto:
                return
            self.missing += seq - self.upto - 1
        self.upto = seq
        if self._frozen is None:
            self.last = report
        take = _TAKERS.get(report["kind"])
        if take is not None:
            take(self, report)

    def close(self) -> None:
        """The attempt ended at `upto`: what comes now is late, counts only in `totals(late=True)` (ruling 9)."""
        if self._frozen is None:
            self._frozen = self._sum()
            self._session_at_end = self._usage.session_id

    def apply_late(self, report: Mapping[str, Any]) -> None:
        """Take one report beyond the end: turns and usage count as late, every other kind is only kept in its file."""
        self.close()
        if report["seq"] <= self.upto:
            return
        if report["kind"] in (r.TURN, r.USAGE):
            self._has_late = True
            self.apply(report)
            return
        self.upto = report["seq"]
        if report["kind"] == r.SESSION and report.get("id"):
            self._usage.enter_session(str(report["id"]))  # the late usage is that session's

    def attest(self, exit_file: Mapping[str, Any]) -> None:
        """Take the attested end of `exit.json` where no `exit` report was counted: a full disk may have kept it away."""
        if self.exit is None:
            self.exit = dict(exit_file)

    # --------------------------------------------------------------------------------------- reading it

    @property
    def program_version(self) -> str:
        """As the program said it, else as it was found at its start; empty where that is not known."""
        return self._told_version or str((self.started or {}).get("program_version") or "")

    @property
    def turns(self) -> int:
        """Turns so far, late ones included."""
        return self._usage.turns

    @property
    def session_id(self) -> str | None:
        """The agent's own session, as it named it last before its end."""
        return self._usage.session_id if self._frozen is None else self._session_at_end

    @property
    def artifacts(self) -> tuple[ArtifactView, ...]:
        """The last of each name, in the order of their first report."""
        return tuple(self._artifacts.values())

    @property
    def notes(self) -> list[r.Report]:
        """The newest notes, oldest first."""
        return list(self._notes.values())

    @property
    def error_reports(self) -> list[r.Report]:
        """The newest errors as they were reported, oldest first."""
        return list(self._errors.values())

    @property
    def errors(self) -> tuple[ErrorView, ...]:
        """Reported errors, oldest first, and last what was told beyond the limits of what is kept."""
        return _told_errors(self)

    @property
    def beyond_limits(self) -> dict[str, int]:
        """{kind of fact: reports of it that are not kept}, for those with any; `kept_facts` declares the limits.

        Notes are left out: only the newest are ever shown, and the live engine does not hear them.
        """
        beyond = {
            "effects": self.effects.beyond,
            "files": self._artifacts.beyond,
            "questions": self.open_questions.beyond,
            "checkpoints": self.checkpoints.beyond,
            "errors": self._errors.beyond,
        }
        return {kind: count for kind, count in beyond.items() if count}

    @property
    def standing_error(self) -> r.Report | None:
        """The last error, unless it was a passing one and another turn began after it (case 82)."""
        if not self._errors:
            return None
        last = next(reversed(self._errors.values()))
        is_passing = last.get("class") in ("rate_limit", "overloaded") or bool(last.get("passing"))
        return None if is_passing and self.turns > self._turn_of_error else last

    @property
    def has_open_effects(self) -> bool:
        """Whether an effect was sent and never answered (EFF2, ruling 4); those that are not known may have been."""
        is_unknown = self.effects.beyond > 0 or bool(self.unread)
        return is_unknown or any(effect.state in OPEN_EFFECT for effect in self.effects.values())

    @property
    def call_in_flight(self) -> bool:
        """A turn began, its usage never came, and the agent did not end well by itself: money may be missing."""
        if not self._usage.is_turn_open:
            return False
        ended = self.exit
        if ended is None or ended.get("after_ending"):
            return True
        return ended.get("code") != 0 and not ended.get("over")

    @property
    def has_late(self) -> bool:
        """Whether something was counted beyond the end."""
        return self._has_late

    def totals(self, late: bool = False) -> FiguresTotals:
        """Folded figures; after `close` those of the end. late: what came beyond it, alone and marked (ruling 9)."""
        if self._frozen is None:
            return FiguresTotals(late=True) if late else self._sum()
        return difference(self._sum(), self._frozen) if late else self._frozen

    def counts(self) -> Iterable[tuple[str, SessionCount]]:
        """What was counted in each agent session, late usage included."""
        return self._usage.counts()

    def _sum(self) -> FiguresTotals:
        is_known_free = not self._reports_cost or self.started is None
        figures = self._usage.totals(call_in_flight=self.call_in_flight, is_known_free=is_known_free)
        return replace(figures, cost_is_complete=False) if self.unread else figures

    # --------------------------------------------------------------------------------------- one kind each

    def _turn(self, report: r.Report) -> None:
        self._usage.begin_turn()

    def _usage_line(self, report: r.Report) -> None:
        self._usage.take(report)

    def _session(self, report: r.Report) -> None:
        self.resumable = bool(report.get("resumable"))
        self.takes_messages = bool(report.get("messages"))
        session = str(report.get("id") or "")
        if session:
            self._usage.enter_session(session)
        if isinstance(version := report.get("version"), str):
            self._told_version = version

    def _effect(self, report: r.Report) -> None:
        effect_id = str(report.get("id") or "")
        move = MOVE_OF_REPORT.get(str(report.get("state")))
        if move is None or not effect_id:
            return
        old = self.effects.get(effect_id)
        state = effect_after(effect_id, old.state if old else EffectState.INTENDED, move)
        type_ = str(report.get("type") or (old.type if old else ""))
        target = str(report.get("target") or (old.target if old else ""))
        detail = str(report.get("detail") or (old.detail if old else ""))
        chars = len(effect_id) + len(type_) + len(target) + len(detail)
        is_kept = self.effects.put(effect_id, EffectFact(effect_id, state, type_, target, detail), chars)
        if not is_kept and old is not None:  # the new words have no room, but how it stands is never left out
            self.effects[effect_id] = replace(old, state=state)

    def _artifact(self, report: r.Report) -> None:
        name = str(report.get("name") or "")
        path, stored = report.get("path"), report.get("stored")
        view = ArtifactView(
            name, str(report.get("sha256") or ""), int(report.get("size_bytes") or 0), path, stored
        )
        self._artifacts.put(name, view, len(name) + len(view.sha256) + len(path or "") + len(stored or ""))

    def _checkpoint(self, report: r.Report) -> None:
        self.checkpoints.put(str(report.get("step") or ""), report, chars_of(report))

    def _note(self, report: r.Report) -> None:
        self._notes.put(str(report["seq"]), report, chars_of(report))

    def _progress(self, report: r.Report) -> None:
        self.progress = (report.get("done") or 0, report.get("total"), str(report.get("label") or ""))

    def _error(self, report: r.Report) -> None:
        self._errors.put(str(report["seq"]), report, chars_of(report))
        self._turn_of_error = self.turns

    def _output(self, report: r.Report) -> None:
        self.output, self.has_output, self.output_report = report.get("value"), True, report

    def _keep_whole(self, report: r.Report) -> None:
        setattr(self, _KEPT_WHOLE[report["kind"]], report)

    def _paused(self, report: r.Report) -> None:
        self.paused = True

    def _continued(self, report: r.Report) -> None:
        self.paused = False

    def _over_long(self, report: r.Report) -> None:
        self.over_long += 1


def _approval(fold: AttemptFold, report: r.Report) -> None:
    fold.open_questions.ask(report)


def _approval_answered(fold: AttemptFold, report: r.Report) -> None:
    fold.open_questions.take_answer(report)


def _said(fold: AttemptFold, report: r.Report) -> None:
    heard = {name: report.get(name) for name in ("id", "delivered", "at_byte")}
    fold.messages.put(str(report.get("id") or ""), heard, chars_of(heard))


def _told_errors(fold: AttemptFold) -> tuple[ErrorView, ...]:
    said = [
        ErrorView(str(e.get("class") or "other"), str(e.get("message") or "")) for e in fold.error_reports
    ]
    beyond = [f"{count} reports of {kind}" for kind, count in fold.beyond_limits.items()]
    lost = (fold.unread, lost_words(fold.output_report), transcript_lost_words(fold.exit))
    said += [ErrorView(RECORDING, words) for words in lost if words]
    if beyond:
        words = f"More was told than is kept here; {', '.join(beyond)} stand in the report file alone."
        said.append(ErrorView(BEYOND_LIMITS, words))
    return tuple(said)


_KEPT_WHOLE = {r.STARTING: "starting", r.STARTED: "started", r.ENDING: "ending", r.EXIT: "exit"}
_TAKERS: dict[str, Callable[[AttemptFold, Any], None]] = {
    **dict.fromkeys(_KEPT_WHOLE, AttemptFold._keep_whole),
    r.SESSION: AttemptFold._session,
    r.TURN: AttemptFold._turn,
    r.USAGE: AttemptFold._usage_line,
    r.EFFECT: AttemptFold._effect,
    r.ARTIFACT: AttemptFold._artifact,
    r.CHECKPOINT: AttemptFold._checkpoint,
    r.NOTE: AttemptFold._note,
    r.PROGRESS: AttemptFold._progress,
    r.APPROVAL: _approval,
    r.APPROVAL_ANSWERED: _approval_answered,
    r.SAID: _said,
    r.ERROR: AttemptFold._error,
    r.OUTPUT: AttemptFold._output,
    r.PAUSED: AttemptFold._paused,
    r.CONTINUED: AttemptFold._continued,
    r.OVER_LONG: AttemptFold._over_long,
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
