"""Live progress on stderr: a line per agent redrawn in place on a terminal, plain lines of what changed otherwise.

Pure but for the writer: `frame_lines` makes the text of a frame; `LiveBlock` knows what it drew last and replaces it
with one write, also after the terminal was resized. Nothing here reads the door.
"""

from __future__ import annotations

from typing import Protocol

from quarterdeck.cli.console import PacedWriter
from quarterdeck.cli.plain_text import (
    clipped,
    count_text,
    duration_text,
    escaped,
    money_text,
    padded,
    width,
)
from quarterdeck.cli.words import (
    AT_WORK,
    NOT_BEGUN,
    counts_text,
    elapsed_ms,
    icon,
    run_elapsed_ms,
    run_money,
    slot_title,
    title_text,
    unrecorded,
)
from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Code
from quarterdeck.domain.views import RunView, SlotView

TITLE_COLUMNS_MAX = 28
WORDS_MAX = 400
"""Of a question on its agent's line, in characters; it is asked whole elsewhere."""
BEGIN_FRAME, END_FRAME = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized update: a terminal that knows it shows the frame whole, others ignore it."""
RECORDING_STOPPED = "Recording stopped: the disk takes nothing; what waits is recorded once it does."
HOW_TO_END = "What waits is recorded once that is well again. Ctrl+C ends the run; what is not recorded then is settled at the next start."
RECORDING_RESUMED = "Recording again."
CLEAR_LINE, CLEAR_BELOW = "\x1b[K", "\x1b[J"


class RecordingNews:
    """Says once that recording stopped, for what the run waits and how to end it, and once that it goes on (JNL8)."""

    def __init__(self) -> None:
        self._is_recording = True

    def of(self, view: RunView) -> str:
        """The sentence; empty where nothing is new. Of what cannot be kept for good the run's end tells."""
        if not self.turned(view):
            return ""
        if self._is_recording:
            return "" if view.fault else RECORDING_RESUMED
        if not view.waits_for:
            return RECORDING_STOPPED
        if view.foreign:
            return unrecorded(view)
        return escaped(f"Recording stopped. The run waits for {view.waits_for}. {HOW_TO_END}")

    def turned(self, view: RunView) -> bool:
        """Whether it stopped or goes on since the look before; a run that is over does neither."""
        if not view.is_live:
            return False
        was, self._is_recording = self._is_recording, view.recording is not False or bool(view.fault)
        return was is not self._is_recording


class Progress(Protocol):
    """What supervision tells about a run as it goes."""

    def show(self, view: RunView, now_ms: int) -> None:
        """The run as it stands; cheap, called up to ten times a second."""

    def say(self, text: str) -> None:
        """A sentence that stays."""

    def hold(self) -> None:
        """Draw nothing until `release`: a person is typing."""

    def release(self) -> None:
        """Draw again."""

    def close(self) -> None:
        """Leave the last state standing."""


def new_progress(writer: PacedWriter, *, dumb: bool) -> Progress:
    """The live block where stderr is a terminal that can move its cursor, else plain lines."""
    return LiveBlock(writer) if writer.sink.is_terminal and not dumb else PlainLines(writer)


# ------------------------------------------------------------------------------------------- frames


def frame_lines(
    view: RunView, now_ms: int, columns: int, lines_max: int, *, ascii_only: bool = False
) -> list[str]:
    """At most `lines_max` lines of at most `columns` columns: one an agent, the run last.

    Where not all fit, agents at work come first, then those that ended, then those that wait; what is left out is
    counted. The order stays the workflow's.
    """
    room = max(1, lines_max - 1)
    slots = list(view.slots)
    left_out = 0
    if len(slots) > room:
        ranked = sorted(range(len(slots)), key=lambda i: (_rank(slots[i]), i))[: max(0, room - 1)]
        left_out = len(slots) - len(ranked)
        slots = [slots[i] for i in sorted(ranked)]
    titles = [escaped(slot_title(slot)) for slot in slots]
    title_columns = min(TITLE_COLUMNS_MAX, max((width(title) for title in titles), default=0))
    lines = [
        _slot_line(slot, padded(title, title_columns), now_ms, ascii_only)
        for slot, title in zip(slots, titles, strict=True)
    ]
    if left_out and room > 1:
        lines.append(f"  and {count_text(left_out, 'agent')} more")
    lines.append(_run_line(view, now_ms))
    return [clipped(line, columns) for line in lines[-lines_max:]]


def _rank(slot: SlotView) -> int:
    if slot.display in AT_WORK:
        return 0
    return 2 if slot.display in NOT_BEGUN else 1


def _slot_line(slot: SlotView, title: str, now_ms: int, ascii_only: bool) -> str:
    mark = icon(slot.display, ascii_only=ascii_only)
    line = f"{mark} {title}  {padded(slot.display, 11)}"
    took = elapsed_ms(slot, now_ms)
    if took is None:
        return f"{line}  {escaped(slot.reason)}".rstrip()
    money = money_text(slot.cost_usd, slot.cost_is_complete, slot.cost_source)
    line += f"  {duration_text(took):>7}  {count_text(slot.turns, 'turn'):>8}  {money:>7}"
    return f"{line}  {_last_words(slot)}".rstrip()


def _last_words(slot: SlotView) -> str:
    if slot.approvals:
        return escaped(slot.approvals[0].question[:WORDS_MAX])
    if slot.display not in AT_WORK:
        return escaped(slot.reason)
    attempt = slot.attempts[-1]
    parts = []
    if attempt.progress is not None:
        done, total, label = attempt.progress
        parts.append(f"{done:g}/{total:g} {label}" if total is not None else f"{done:g} {label}")
    lines = attempt.tail.rstrip().splitlines()
    parts.append(lines[-1].strip() if lines else "")
    return escaped("  ".join(part for part in parts if part))


def _run_line(view: RunView, now_ms: int) -> str:
    money = run_money(view)
    if view.budget_usd is not None:
        money += f" of {money_text(view.budget_usd, is_complete=True)}"
    stopping = "stopping · " if view.stopping and view.is_live else ""
    recording = " · recording stopped" if view.recording is False else ""
    name = f"{title_text(view.workflow_name)} {view.run_id[:14]}"
    return f"{name}  {duration_text(run_elapsed_ms(view, now_ms))}  {money}  {stopping}{counts_text(view)}{recording}"


# ------------------------------------------------------------------------------------------- a terminal


class LiveBlock:
    """Redraws in place. A frame is skipped while the last one is not written, or when it would look the same."""

    def __init__(self, writer: PacedWriter) -> None:
        self._writer = writer
        self._drawn: list[str] = []
        self._drawn_for: tuple[int, int] = (0, 0)
        self._is_held = False
        self._last: tuple[RunView, int] | None = None
        self._recording = RecordingNews()
        self._ascii_only = b"\\" in writer.sink.encode("✓‖◼▸…")

    def show(self, view: RunView, now_ms: int) -> None:
        """Draw the run as it stands."""
        self._last = (view, now_ms)
        if news := self._recording.of(view):
            self.say(news)
        if not self._is_held and self._writer.is_idle:
            self._draw("")

    def say(self, text: str) -> None:
        """The sentence above the block."""
        if self._is_held:
            self._writer.offer(text + "\n")
        else:
            self._draw(text + "\n")

    def hold(self) -> None:
        """Take the block away; the cursor stands where it began."""
        if not self._is_held:
            self._writer.offer(self._erase())
            self._drawn = []
            self._is_held = True

    def release(self) -> None:
        """Draw again from the next frame on."""
        self._is_held = False
        self._draw("")

    def close(self) -> None:
        """Draw the last state once more, whatever was skipped."""
        if not self._is_held:
            self._draw("")

    def _draw(self, above: str) -> None:
        lines = self._frame()
        size = self._writer.sink.size()
        if not above and lines == self._drawn and size == self._drawn_for:
            return
        body = "".join(f"{line}{CLEAR_LINE}\n" for line in lines)
        said = above.replace("\n", f"{CLEAR_LINE}\n")
        self._writer.offer(f"{BEGIN_FRAME}{self._up()}{said}{body}{CLEAR_BELOW}{END_FRAME}")
        self._drawn, self._drawn_for = lines, size

    def _frame(self) -> list[str]:
        if self._last is None:
            return []
        columns, lines = self._writer.sink.size()
        # One column and one line are left free: a full last column wraps, a full screen scrolls.
        return frame_lines(*self._last, max(1, columns - 1), max(1, lines - 1), ascii_only=self._ascii_only)

    def _up(self) -> str:
        """To the first row of what was drawn; a narrower terminal has wrapped its lines since."""
        columns, lines = self._writer.sink.size()
        rows = sum(max(1, -(-width(line) // max(1, columns))) for line in self._drawn)
        rows = min(rows, lines - 1)
        return f"\r\x1b[{rows}A" if rows else "\r"

    def _erase(self) -> str:
        return f"{self._up()}{CLEAR_BELOW}"


# ------------------------------------------------------------------------------------------- no terminal


class PlainLines:
    """One line whenever an agent's state, or its latest attempt, changed; never a cursor movement. What many agents wait for, or
    are refused for, is told once (AUT7); the end of the run says how many it concerned.
    """

    def __init__(self, writer: PacedWriter) -> None:
        self._writer = writer
        self._said: dict[SlotId, tuple[str, int, str]] = {}
        self._told_for: dict[str, SlotId] = {}
        self._recording = RecordingNews()

    def show(self, view: RunView, now_ms: int) -> None:
        """Say what changed since the last look."""
        if news := self._recording.of(view):
            self._writer.offer(news + "\n")
        for slot in view.slots:
            state = (slot.display, len(slot.attempts), slot.reason if not slot.attempts else "")
            if self._said.get(slot.slot_id, ("Not started", 0, "")) != state:
                self._said[slot.slot_id] = state
                if not self._is_told_of_another(slot):
                    self._writer.offer(self._line(slot, now_ms) + "\n")

    def _is_told_of_another(self, slot: SlotView) -> bool:
        """Whether the same was told of an agent before: what it waits for, or that its sign-in is known to fail."""
        is_refused = slot.refused == Code.E_CRED_REMEMBERED
        if not is_refused and (slot.attempts or not slot.reason):
            return False
        why = Code.E_CRED_REMEMBERED.value if is_refused else f"{slot.display} {slot.reason}"
        return self._told_for.setdefault(why, slot.slot_id) != slot.slot_id

    def _line(self, slot: SlotView, now_ms: int) -> str:
        again = f" (attempt {len(slot.attempts)})" if len(slot.attempts) > 1 else ""
        line = f"{slot_title(slot)}: {slot.display}{again}"
        took = elapsed_ms(slot, now_ms)
        if slot.display in NOT_BEGUN or slot.display in AT_WORK or took is None:
            return escaped(line + (f", {slot.reason}" if slot.reason else ""))
        money = money_text(slot.cost_usd, slot.cost_is_complete, slot.cost_source)
        line += f", {duration_text(took)}, {count_text(slot.turns, 'turn')}, {money}"
        return escaped(line + (f": {slot.reason}" if slot.reason else ""))

    def say(self, text: str) -> None:
        """A sentence."""
        self._writer.offer(text + "\n")

    def hold(self) -> None:
        """Lines do not disturb each other."""

    def release(self) -> None:
        """Nothing was held."""

    def close(self) -> None:
        """Nothing is open."""
