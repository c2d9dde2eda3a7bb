"""How a tool call and a thought look, folded and open: the lines of their blocks. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.domain.call_states import CallState
from quarterdeck.ui.block_lines import body, fenced, fold, muted
from quarterdeck.ui.language import Texts
from quarterdeck.ui.printed_text import Hue, Ink, Piece
from quarterdeck.ui.words import duration_text, one_line

tr = Texts("CallLines")

TARGET_CHARS_MAX = 60
"""Of what a call is about, while it is folded; open, its arguments stand whole."""
THOUGHT_CHARS_MAX = 120
_STATES: Mapping[str, str] = {
    CallState.CALLED: tr.later("called"),
    CallState.ASKED: tr.later("asked for leave"),
    CallState.RUNNING: tr.later("at work"),
    CallState.DONE: tr.later("done"),
    CallState.FAILED: tr.later("failed"),
    CallState.REFUSED: tr.later("refused"),
}
_HUES: Mapping[str, Hue] = {
    CallState.DONE: Hue.GREEN,
    CallState.FAILED: Hue.RED,
    CallState.REFUSED: Hue.RED,
    CallState.ASKED: Hue.YELLOW,
}
NOTES = (
    tr.later("Program"),
    tr.later("Tries again"),
    tr.later("Compacted"),
    tr.later("Usage limit"),
    tr.later("Warning"),
    tr.later("Session"),
    tr.later("Turn"),
)
"""What the readers of wires call their notes; those of agents are shown as they are."""
Line = tuple[Piece, ...]
_INDENT = Piece("   ", Ink("muted"))


def call_lines(call: Mapping[str, Any], is_open: bool) -> list[Line]:
    """One call (`agents.said`): name, state, time and what it is about; open, its arguments and its result."""
    lines = [(fold(is_open), *_head(call))]
    if not is_open:
        return lines
    told = call.get("arguments") or call.get("target")
    if told:
        lines += [(_INDENT, *line) for line in body(str(told), "mono")]
    if call.get("result"):
        lines.append((_INDENT, *muted(tr("Result"))))
        lines += [(_INDENT, *line) for line in body(str(call["result"]), "mono")]
    return lines


def call_markdown(call: Mapping[str, Any]) -> str:
    """The same as Markdown: a line, its arguments and its result fenced."""
    head = " ".join("".join(piece.text for piece in _head(call)).split())
    texts = [str(text) for text in (call.get("arguments"), call.get("result")) if text]
    blocks = [fenced(["".join(p.text for p in line) for line in body(text, "mono")]) for text in texts]
    return "\n\n".join([f"- **{tr('Tool call')}** {head}", *blocks])


def note_line(note: Mapping[str, Any]) -> Line:
    """A few words about the work."""
    name = str(note["note"])
    shown = tr.find(name) if name in NOTES else name
    return (Piece(f"{shown}  ", Ink("name")), *muted(note["text"]))


def thinking_lines(text: str, is_open: bool) -> list[Line]:
    """A thought of the model, folded to its first words."""
    head = (fold(is_open), Piece(f"{tr('Thinking')}  ", Ink("name")))
    if is_open:
        return [head, *((_INDENT, *line) for line in body(text))]
    return [(*head, *muted(one_line(text.strip(), THOUGHT_CHARS_MAX)))]


def _head(call: Mapping[str, Any]) -> Line:
    is_rest = bool(call.get("goes_on")) and not call.get("arguments") and not call.get("target")
    name = one_line(str(call.get("name") or tr("Tool")), 80)
    state = str(call.get("state") or CallState.CALLED)
    line = [
        Piece(f"{tr('Result of {name}', name=name) if is_rest else name}  ", Ink("name")),
        Piece(tr.find(_STATES.get(state, state)), Ink("state", _HUES.get(state, Hue.BLUE))),
    ]
    took_ms = call.get("took_ms")
    if took_ms is not None:
        took = duration_text(took_ms) if took_ms >= 1000 else tr("{n} ms", n=took_ms)
        line.append(Piece(f"  {took}", Ink("muted")))
    about = call.get("target") or (call.get("result") if is_rest else "")
    if about:
        line.append(Piece(f"  {one_line(str(about).strip(), TARGET_CHARS_MAX)}", Ink("mono")))
    return tuple(line)
