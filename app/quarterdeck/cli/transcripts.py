"""`logs RUN [NODE] [--follow]`: the transcripts, by node as the workflow lists them, then by attempt.

On a terminal what a protocol says is told in words, everything but text is escaped, and colours are left out. Into a file or a pipe
the bytes go as they are when one node is named; with several, each line goes under a heading of its attempt. `--words` and `--raw`
say which of both, wherever it goes. `--json` carries the last TEXT_BYTES_MAX of each attempt. Known secrets are masked in all of it,
but not in what is raw: that is what the agent printed, to the byte.
"""

from __future__ import annotations

import asyncio
import codecs
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.errors import UsageProblem
from quarterdeck.cli.finding import find_run, find_slot
from quarterdeck.cli.loop import Call
from quarterdeck.cli.masking import Masks, mask_run
from quarterdeck.cli.plain_text import escaped, escaped_lines
from quarterdeck.cli.progress import RECORDING_RESUMED, RecordingNews
from quarterdeck.cli.readable import text_of
from quarterdeck.cli.words import slot_title, unrecorded
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.outputs import transcript_lost
from quarterdeck.domain.states import TERMINAL_ATTEMPT
from quarterdeck.domain.views import AttemptView, RunView, SlotView
from quarterdeck.engine.attempt_details import TranscriptLine, Way

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

CHUNK_BYTES = 256 * 1024
TEXT_BYTES_MAX = 4 * 1024 * 1024
LOOK_EVERY_S = 0.25


@dataclass
class _Reading:
    """How far one attempt's transcript was printed."""

    offset: int = 0
    is_whole: bool = False
    held: str = ""
    """The end of what was read, with which a secret may begin: printed with what follows it."""
    decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("backslashreplace")
    )


async def logs(
    call: Call, start: str, node: str | None, follow: bool, *, in_words: bool | None = None
) -> int:
    """Print what the agents of a run, or of one slot, printed. in_words: None says that a terminal gets words."""
    if follow and call.console.as_json:
        raise UsageProblem("--follow has no end and --json is one document; choose one of them.")
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        slot = find_slot(view, node) if node is not None else None
        tells = call.console.out.is_terminal if in_words is None else in_words
        if tells or call.console.as_json:
            await mask_run(call.console.masks, door, view.run_id)
        if call.console.as_json:
            call.console.print_document(await _document(door, view, slot, call.console.masks))
            return exits.DONE
        printer = _Printer(door, call.console, view, slot, in_words=tells, follows=follow)
        await printer.print_once()
        printer.say_unrecorded()
        while follow and printer.may_grow:
            await asyncio.sleep(LOOK_EVERY_S)
            printer.view = await door.run(view.run_id) or printer.view
            await printer.print_once()
            printer.say_unrecorded()
    return exits.DONE


def _attempts(view: RunView, only: SlotView | None) -> list[tuple[SlotView, int, AttemptView]]:
    """Slot, number and attempt: nodes as the workflow lists them, the attempts of each oldest first."""
    slots = [slot for slot in view.slots if only is None or slot.slot_id == only.slot_id]
    return [
        (slot, number, attempt) for slot in slots for number, attempt in enumerate(slot.attempts, start=1)
    ]


class _Printer:
    """Prints each attempt's transcript from where it was left."""

    def __init__(
        self,
        door: Door,
        console: Console,
        view: RunView,
        only: SlotView | None,
        *,
        in_words: bool,
        follows: bool,
    ) -> None:
        self.view = view
        self._follows = follows
        self._in_words = in_words
        self._door = door
        self._console = console
        self._only = only
        self._readings: dict[AttemptId, _Reading] = {}
        self._headed: AttemptId | None = None
        self._recording = RecordingNews()
        self._is_single = only is not None and len(only.attempts) <= 1

    @property
    def may_grow(self) -> bool:
        """More can come: the run is live, or an attempt is not over."""
        attempts = _attempts(self.view, self._only)
        return self.view.is_live or any(attempt.status not in TERMINAL_ATTEMPT for _, _, attempt in attempts)

    async def print_once(self) -> None:
        """Everything that is there now."""
        for slot, number, attempt in _attempts(self.view, self._only):
            reading = self._readings.setdefault(attempt.attempt_id, _Reading())
            if not reading.is_whole:
                await self._print_attempt(slot, number, attempt, reading)
                reading.is_whole = attempt.status in TERMINAL_ATTEMPT

    def say_unrecorded(self) -> None:
        """Once, that what the agents print now may not come into the transcripts; and once that it does again (JNL8)."""
        if self._recording.turned(self.view):
            stopped = self.view.recording is False
            self._console.say(unrecorded(self.view) if stopped else RECORDING_RESUMED)

    async def _print_attempt(
        self, slot: SlotView, number: int, attempt: AttemptView, reading: _Reading
    ) -> None:
        if self._in_words and await self._print_words(slot, number, attempt, reading):
            return
        while True:
            chunk = await self._door.transcript(
                self.view.run_id, attempt.attempt_id, reading.offset, CHUNK_BYTES
            )
            if chunk.missing:
                if attempt.status in TERMINAL_ATTEMPT:
                    self._console.say(
                        f"The transcript of {attempt.attempt_id} ({slot_title(slot)}) is missing."
                    )
                return
            if not chunk.content:
                self._put_held(slot, number, attempt, reading)
                self._say_lost(slot, attempt)
                return
            reading.offset = chunk.offset + len(chunk.content)
            if self._console.out.is_terminal or self._in_words:
                text = escaped_lines(reading.decoder.decode(chunk.content))
                self._put(slot, number, attempt, reading, text)
            else:
                self._head(slot, number, attempt)
                self._console.out.write(chunk.content)

    async def _print_words(
        self, slot: SlotView, number: int, attempt: AttemptView, reading: _Reading
    ) -> bool:
        """What a protocol says, up to what is not said to its end; False where there is none, or no transcript."""
        is_over = attempt.status in TERMINAL_ATTEMPT
        while True:
            page = await self._door.details.page(
                self.view.run_id, attempt.attempt_id, reading.offset, Way.AFTER
            )
            if page.missing or not page.is_protocol:
                return False
            last = page.lines[-1] if page.lines and page.end >= page.size_bytes and not is_over else None
            is_unfinished = last is not None and (not last.ends or bool((last.item or {}).get("grows")))
            shown = page.lines[:-1] if is_unfinished else page.lines
            if text := "".join(map(self._told, shown)):
                self._put(slot, number, attempt, reading, escaped_lines(text))
            reading.offset = last.offset if is_unfinished and last is not None else page.end
            if page.end >= page.size_bytes:
                self._put_held(slot, number, attempt, reading)
                self._say_lost(slot, attempt)
                return True

    def _told(self, line: TranscriptLine) -> str:
        text = text_of(self._console.masks.value(line))
        return text if line.item is not None else self._console.masks.cut_text(text)

    def _put(self, slot: SlotView, number: int, attempt: AttemptView, reading: _Reading, text: str) -> None:
        """In words it is masked, also where a secret lies in two pieces of it; raw lines are only escaped."""
        if self._in_words:
            text, reading.held = self._console.masks.parted(reading.held + text)
        if text:
            self._head(slot, number, attempt)
            self._console.out.write(self._console.out.encode(text))

    def _put_held(self, slot: SlotView, number: int, attempt: AttemptView, reading: _Reading) -> None:
        """At the end of what is there: nothing comes behind it, or nobody waits for that."""
        if reading.held and (attempt.status in TERMINAL_ATTEMPT or not self._follows):
            self._head(slot, number, attempt)
            self._console.print_text(reading.held)
            reading.held = ""

    def _say_lost(self, slot: SlotView, attempt: AttemptView) -> None:
        if attempt.status in TERMINAL_ATTEMPT and (lost := transcript_lost(attempt.errors)):
            self._console.say(
                f"The transcript of {attempt.attempt_id} ({escaped(slot_title(slot))}) ends early: {lost}."
            )

    def _head(self, slot: SlotView, number: int, attempt: AttemptView) -> None:
        if self._is_single or self._headed == attempt.attempt_id:
            return
        between = "\n" if self._headed is not None else ""
        self._headed = attempt.attempt_id
        self._console.print_text(f"{between}==> {escaped(slot_title(slot))}, attempt {number} <==\n")


async def _document(door: Door, view: RunView, only: SlotView | None, masks: Masks) -> dict[str, Any]:
    shown = []
    for slot, _, attempt in _attempts(view, only):
        chunk = await door.transcript(view.run_id, attempt.attempt_id, -TEXT_BYTES_MAX, TEXT_BYTES_MAX)
        shown.append(
            {
                "slot": slot.slot_id,
                "attempt_id": attempt.attempt_id,
                "missing": chunk.missing,
                "size_bytes": chunk.size_bytes,
                "offset": chunk.offset,
                "lost": transcript_lost(attempt.errors) or None,
                "text": masks.cut_text(chunk.content.decode("utf-8", "replace")),
            }
        )
    return {"run_id": view.run_id, "recording": view.recording, "attempts": shown}
