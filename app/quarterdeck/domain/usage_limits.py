"""What of an attempt's usage is told apart: so many models, messages and agent sessions (`kept_facts`).

What is beyond is counted all the same, so that sums and spending limits stay right: further models together, messages
without remembering the oldest, further sessions together. Which limits were passed goes with the figures, into every view.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.domain.kept_facts import MESSAGES, MODEL_CHARS, MODELS, SESSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

OTHER_MODELS: Final = "other models"
"""Where usage of models beyond the limit counts."""
BEYOND_MODELS: Final = "models"
BEYOND_MESSAGES: Final = "messages"
BEYOND_SESSIONS: Final = "sessions"

_WORDS = {
    BEYOND_MODELS: f"More models were named than are told apart ({MODELS.count}); the others count together. Running"
    " totals among them count at least.",
    BEYOND_MESSAGES: f"More messages were told than are remembered ({MESSAGES.count:,}); one of the oldest that is told"
    " again counts again.",
    BEYOND_SESSIONS: f"More agent sessions were named than are told apart ({SESSIONS.count}); the others count together."
    " Running totals among them count at least.",
}


def beyond_words(beyond: Iterable[str]) -> tuple[str, ...]:
    """What passing these limits means, a sentence or two each."""
    return tuple(_WORDS[limit] for limit in beyond if limit in _WORDS)


class ToldApart:
    """Names and message ids of one attempt, over all its agent sessions. `beyond`: the limits that were passed."""

    __slots__ = ("_chars", "_models", "_order", "_order_chars", "beyond")

    def __init__(self) -> None:
        self.beyond: set[str] = set()
        self._models: set[str] = set()
        self._order: deque[tuple[dict[str, Any], str]] = deque()
        self._chars = self._order_chars = 0

    def model(self, name: str) -> str:
        """The name under which usage of that model counts."""
        if name in self._models:
            return name
        name = name if len(name) <= MODEL_CHARS else name[:MODEL_CHARS] + "…"
        if name in self._models:
            return name
        if len(self._models) >= MODELS.count or self._chars + len(name) > MODELS.chars:
            self.beyond.add(BEYOND_MODELS)
            return OTHER_MODELS
        self._models.add(name)
        self._chars += len(name)
        return name

    def remember(self, messages: dict[str, Any], message_id: str) -> None:
        """A message id that is new in `messages`; the oldest of the attempt are taken out of theirs where there is no room."""
        self._order.append((messages, message_id))
        self._order_chars += len(message_id)
        while len(self._order) > MESSAGES.count or self._order_chars > MESSAGES.chars:
            holder, oldest = self._order.popleft()
            self._order_chars -= len(oldest)
            holder.pop(oldest, None)
            self.beyond.add(BEYOND_MESSAGES)
