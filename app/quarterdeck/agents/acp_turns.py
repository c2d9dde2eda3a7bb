"""The agent's words of one turn and the count of its model calls. No agent of this protocol says how many it made."""

from __future__ import annotations

from quarterdeck.agents.adapter import OUTPUT_BYTES_MAX


class Message:
    """The last message of the agent: what it says after its last tool call is its result. At most OUTPUT_BYTES_MAX bytes."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._bytes = 0
        self._id: str | None = None
        self.is_cut = False

    def add(self, text: str, message_id: str | None) -> None:
        """A piece; another id than before begins another message."""
        if message_id != self._id:
            self.begin()
        self._id = message_id
        room = OUTPUT_BYTES_MAX - self._bytes
        content = text.encode("utf-8", "backslashreplace")
        self.is_cut = self.is_cut or len(content) > room
        self._pieces.append(content[:room].decode("utf-8", "ignore"))
        self._bytes += min(len(content), max(room, 0))

    def begin(self) -> None:
        """What was said before belongs to work in between."""
        self._pieces, self._bytes, self._id, self.is_cut = [], 0, None, False

    def text(self) -> str:
        """Without space around it."""
        return "".join(self._pieces).strip()


class Turns:
    """When a model call begins: with the first sign of an answer after the prompt or after the tools before it have ended.

    An agent that runs several calls of one answer one after the other, and announces each only then, is counted a turn each.
    """

    def __init__(self) -> None:
        self._is_open = False
        self._message_id: str | None = None

    def spoke(self, message_id: str | None = None) -> bool:
        """A text, a thought or a new tool call; True where a call began with it."""
        is_other = message_id is not None and self._message_id not in (None, message_id)
        began = not self._is_open or is_other
        self._is_open = True
        self._message_id = message_id if began or message_id is not None else self._message_id
        return began

    def paused(self) -> None:
        """The model has said all of this answer."""
        self._is_open = False
