"""That runs were not kept as stopped: said with which and why, and withdrawn when it is over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present import Known
from quarterdeck.ui.recovery_asked import Refused
from quarterdeck.ui.words import one_line, short_id

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("AfterCrash")
NAMED_MAX = 5


class NotKept:
    """One for each window."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._words = ""
        self._runs: frozenset[RunId] = frozenset()
        self._was_unwritable = False

    def say(self, refused: Refused) -> None:
        """A refusal is said, but not of a run that was resumed elsewhere meanwhile: it is over, as was wanted."""
        told = [(run, why) for run, why in refused if why.code is not Code.E_ATTEMPT_STATE]
        if not told:
            return
        self._words, self._runs = _words(told), frozenset(run for run, _ in told)
        self._was_unwritable = bool(self._window.not_recording.words)
        self._window.notice.say(self._words)

    def follow(self, known: Known) -> None:
        """Withdraw it once none of the runs waits for an answer any more, or the records can be written again."""
        if not self._words:
            return
        is_unwritable = bool(self._window.not_recording.words)
        is_mended = self._was_unwritable and not is_unwritable
        self._was_unwritable = self._was_unwritable or is_unwritable
        if not is_mended and any(run.unanswered and run.run_id in self._runs for run in known.runs):
            return
        if self._window.notice.words == self._words:
            self._window.notice.say("")
        self._words, self._runs = "", frozenset()


def _words(told: Iterable[tuple[RunId, Refusal]]) -> str:
    """Which runs, what was to be done with them, and the first reason."""
    refused = list(told)
    names = ", ".join(short_id(run) for run, _ in refused[:NAMED_MAX])
    return tr.count(
        "{runs} were not kept as stopped. {why}",
        "{runs} was not kept as stopped. {why}",
        len(refused),
        runs=names + (" …" if len(refused) > NAMED_MAX else ""),
        why=one_line(in_words(refused[0][1].message), 400),
    )
