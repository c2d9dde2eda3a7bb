"""The open questions of one attempt, as the fold of its reports keeps them: by the agent's own id, with their exact bytes.

A question is what was asked, not the id under which it was: other bytes under an id that was used before are another
question, with a name of its own, so that no answer reaches what nobody has read (case 122). The same bytes again, while it
is open, are the same question, asked once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from quarterdeck.domain.canonical import canonical_json
from quarterdeck.domain.ids import AttemptId, RequestId
from quarterdeck.domain.kept_facts import QUESTION_IDS, QUESTIONS, FirstFacts, NewestFacts, chars_of
from quarterdeck.domain.reports import Report

ASKED_FIELDS = ("question", "options", "tool", "action", "where", "network", "writes", "whole_sha256")
"""Of an approval report: all that a person is shown and agrees to."""


TYPABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.=+,/-]{0,99}")
"""An agent's own id that can stand in a command line as it is. It holds no `:` and no `@`, which are ours."""


def exact_of(report: Mapping[str, Any]) -> str:
    """SHA-256 of what is asked: two requests are byte-identical where it is the same."""
    asked = {name: report.get(name) for name in ASKED_FIELDS}
    return hashlib.sha256(canonical_json(asked)).hexdigest()


def request_id_of(attempt_id: AttemptId, name: str) -> RequestId:
    """How an agent's question is named in journal and views."""
    return RequestId(f"{attempt_id}:{name}")


class OpenQuestions(FirstFacts[Report]):
    """{the agent's own id: its approval report}, oldest first, as many as `kept_facts` has room for."""

    def __init__(self) -> None:
        super().__init__(QUESTIONS)
        self._names: dict[str, str] = {}
        self._exact: dict[str, str] = {}
        self._used: NewestFacts[bool] = NewestFacts(QUESTION_IDS)

    def ask(self, report: Report) -> None:
        """A question came. The same again changes nothing; another under the same id takes the place of the open one."""
        own = str(report.get("id") or "")
        before = self.get(own)
        if before is not None and _asked(before) == _asked(report):
            return
        name = self._name_for(own, int(report["seq"]))
        self.drop(own)
        if self.put(own, report, chars_of(report)):
            self._names[own] = name
            self._used.put(own, True, len(own))

    def _name_for(self, own: str, seq: int) -> str:
        """One that no other question of the attempt ever has, and that a person can type."""
        if not TYPABLE.fullmatch(own):
            return f"@{seq}"
        was_used = own in self._used or self._used.beyond
        return f"{own}@{seq}" if was_used else own

    def take_answer(self, report: Report) -> None:
        """It was answered; an answer that says which asking it was for closes no later one."""
        own, asked_seq = str(report.get("id") or ""), report.get("asked_seq")
        asked = self.get(own)
        if asked is not None and asked_seq in (None, asked["seq"]):
            self.drop(own)

    def drop(self, key: str) -> None:
        """Forget a question that is settled."""
        super().drop(key)
        self._names.pop(key, None)
        self._exact.pop(key, None)

    def exact(self, own: str) -> str:
        """SHA-256 of what the open question asks, worked out once."""
        if own not in self._exact:
            self._exact[own] = exact_of(self[own])
        return self._exact[own]

    def name_of(self, own: str) -> str:
        """The name of the open question: the agent's id, with the report's sequence where that id was used before; the sequence
        alone (`@7`) where the id cannot be typed.
        """
        return self._names.get(own, own)

    def own_id_of(self, name: str) -> str | None:
        """The agent's id of the open question of that name."""
        return next((own for own, known in self._names.items() if known == name), None)


def _asked(report: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(report.get(name) for name in ASKED_FIELDS)
