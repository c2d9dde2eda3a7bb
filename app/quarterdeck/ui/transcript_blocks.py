"""From the lines of a transcript to blocks by kind, and from blocks to the rows of the text view. Pure.

A block is what belongs together: a text of the agent, one effect through its states, an error, a run of other lines. An
agent that knows no protocol has plain output only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.views import MessageView
from quarterdeck.engine.attempt_details import TranscriptLine, TranscriptPage
from quarterdeck.ui.block_lines import body, fenced, fold, indented, muted
from quarterdeck.ui.call_lines import call_lines, call_markdown, note_line, thinking_lines
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.printed_text import Hue, Ink, Piece, Printer, broken, raw_line
from quarterdeck.ui.words import money_text, one_line, shown_plainly, tokens_text

tr = Texts("TranscriptBlocks")

TARGET_CHARS_MAX = 60
"""Of an effect's target while it is folded; open, it stands whole."""
TEXT_CHARS_MAX = 64_000
PROMPT_KEY = -1


class Kind(StrEnum):
    """What a block is."""

    PROMPT = tr.later("Prompt")
    AGENT = tr.later("Agent")
    SUBAGENT = tr.later("Subagent")
    """Of one that the agent sent out itself."""
    PERSON = tr.later("You")
    """A turn of a person's, at its place between what the agent printed."""
    THINKING = tr.later("Thinking")
    TOLD = tr.later("Told")
    """What the program says that it was told: the history of a session, or words that it put in itself."""
    CALL = tr.later("Tool call")
    EFFECT = tr.later("Effect")
    FILE = tr.later("Saved file")
    QUESTION = tr.later("Question")
    ERROR = tr.later("Error")
    RESULT = tr.later("Result")
    NOTE = tr.later("Note")
    FIGURES = tr.later("Figures")
    OTHER = tr.later("Other output")
    PLAIN = tr.later("Output")
    """Of an agent that knows no protocol, or of the raw view: it needs no heading."""


HEADED = frozenset(
    {Kind.AGENT, Kind.PERSON, Kind.TOLD, Kind.ERROR, Kind.RESULT, Kind.OTHER, Kind.QUESTION, Kind.SUBAGENT}
)
FOLDED = frozenset({Kind.PROMPT, Kind.EFFECT, Kind.CALL, Kind.THINKING})
_STATE_HUES = {"confirmed": Hue.GREEN, "refused": Hue.RED, "sent": Hue.BLUE, "intended": Hue.BLUE}


@dataclass(frozen=True, slots=True)
class Block:
    """`offset` to `end` are its bytes; `items` what the protocol said; `rows_of_text` plain lines, ready to be shown."""

    kind: Kind
    offset: int
    end: int
    items: tuple[Mapping[str, Any], ...] = ()
    text: tuple[tuple[Piece, ...], ...] = ()

    @property
    def key(self) -> int:
        """Identifies the block in its attempt; what no byte of the agent is has a negative one."""
        if self.kind is Kind.PERSON:
            return PROMPT_KEY - 1 - int(self.items[0]["number"])
        return PROMPT_KEY if self.kind is Kind.PROMPT else self.offset

    @property
    def may_grow(self) -> bool:
        """Whether what follows in the transcript may belong to it."""
        is_open = self.kind in {Kind.EFFECT, Kind.CALL}
        return is_open or bool(self.items and self.items[-1].get("grows"))


@dataclass(frozen=True, slots=True)
class Row:
    """One paragraph of the text view. `is_head`: the heading above a block, which may be shared by its neighbours."""

    block: Block
    pieces: tuple[Piece, ...]
    is_head: bool = False
    is_first: bool = False

    @property
    def text(self) -> str:
        """Its characters."""
        return "".join(piece.text for piece in self.pieces)


# ------------------------------------------------------------------------------------------- lines → blocks


def blocks_of(lines: Iterable[TranscriptLine], is_protocol: bool, is_raw: bool = False) -> list[Block]:
    """The blocks of some lines, in order; effects that follow each other under one id are one block."""
    printer = Printer("muted" if is_protocol else "mono")
    found: list[Block] = []
    for line in lines:
        if is_raw or line.item is None:
            kind = Kind.PLAIN if is_raw or not is_protocol else Kind.OTHER
            pieces = raw_line(line.content) if is_raw else printer.line(line.content)
            found.append(Block(kind, line.offset, line.end, (), (pieces,)))
            continue
        block = Block(_kind_of(line.item), line.offset, line.end, (line.item,))
        if found and _is_same_effect(found[-1], block):
            last = found.pop()
            block = Block(Kind.EFFECT, last.offset, line.end, last.items + block.items)
        found.append(block)
    return found


def prompt_block(prompt: str) -> Block:
    """The prompt, above the first line."""
    return Block(Kind.PROMPT, 0, 0, ({"kind": "prompt", "text": prompt},))


def with_messages(
    blocks: Sequence[Block], messages: Sequence[MessageView], page: TranscriptPage
) -> list[Block]:
    """The blocks of a page, with what a person said there between them: a message stands before the first block that begins at
    or behind its place. Behind the last page nothing follows.
    """
    start, end, is_last = page.start, page.end, page.end >= page.size_bytes
    said = [
        Block(Kind.PERSON, at, at, ({"kind": "person", "number": number, "message": one},))
        for number, one in enumerate(messages)
        if (at := one.at_byte) is not None and (start <= at < end or (is_last and at >= end))
    ]
    found: list[Block] = []
    for block in blocks:
        while said and said[0].offset <= block.offset:
            found.append(said.pop(0))
        found.append(block)
    return [*found, *said]


def _kind_of(item: Mapping[str, Any]) -> Kind:
    match item["kind"]:
        case "text":
            return Kind.SUBAGENT if item.get("by") else Kind.AGENT
        case "thinking":
            return Kind.THINKING
        case "told":
            return Kind.TOLD
        case "call":
            return Kind.CALL
        case "effect":
            return Kind.EFFECT
        case "artifact" | "checkpoint":
            return Kind.FILE
        case "approval":
            return Kind.QUESTION
        case "error":
            return Kind.ERROR
        case "output":
            return Kind.RESULT
        case "note":
            return Kind.NOTE
        case _:
            return Kind.FIGURES


def _is_same_effect(before: Block, block: Block) -> bool:
    if before.kind is not Kind.EFFECT or block.kind is not Kind.EFFECT:
        return False
    return bool(before.items[-1]["id"] == block.items[0]["id"])


# ------------------------------------------------------------------------------------------- blocks → rows


def rows_of(blocks: Sequence[Block], opened: frozenset[int], before: Kind | None) -> list[Row]:
    """The rows of blocks. opened: keys of folded blocks that are open. before: kind of the block above the first."""
    rows: list[Row] = []
    for block in blocks:
        if block.kind in HEADED and (block.kind is not before or block.kind is Kind.ERROR):
            rows.append(
                Row(
                    block,
                    (Piece(tr.find(block.kind.value), _HEADS.get(block.kind, Ink("head"))),),
                    True,
                    True,
                )
            )
        rows += block_rows(block, block.key in opened, is_first=block.kind not in HEADED)
        before = block.kind
    return rows


_HEADS = {
    Kind.ERROR: Ink("head", Hue.RED),
    Kind.QUESTION: Ink("head", Hue.YELLOW),
    Kind.RESULT: Ink("head", Hue.GREEN),
}


def block_rows(block: Block, is_open: bool, is_first: bool = True) -> list[Row]:
    """The rows of one block without its heading."""
    made: list[tuple[Piece, ...]] = []
    for line in _lines(block, is_open):
        made += broken(line)
    return [Row(block, pieces, is_first=is_first and place == 0) for place, pieces in enumerate(made)]


def _lines(block: Block, is_open: bool) -> list[tuple[Piece, ...]]:
    if not block.items:
        return list(block.text)
    item = block.items[-1]
    match block.kind:
        case Kind.AGENT | Kind.SUBAGENT | Kind.TOLD:
            return body(item["text"])
        case Kind.THINKING:
            return thinking_lines(item["text"], is_open)
        case Kind.CALL:
            return call_lines(item, is_open)
        case Kind.PERSON:
            return _person(item["message"])
        case Kind.EFFECT:
            return _effect(block, is_open)
        case Kind.PROMPT:
            return _prompt(item["text"], is_open)
        case Kind.ERROR:
            return body(": ".join(filter(None, (str(item["class"]), str(item["message"])))))
        case Kind.QUESTION:
            return body(item["question"]) + ([muted(" / ".join(item["options"]))] if item["options"] else [])
        case Kind.RESULT:
            return body(_value(item["value"]), "mono")
        case Kind.FILE:
            return [_file(item)]
        case Kind.NOTE:
            return [note_line(item)]
        case _:
            return [muted(_figures(item))]


def _person(said: MessageView) -> list[tuple[Piece, ...]]:
    if said.delivered:
        return body(said.text)
    waits = tr("It waits until the agent's program takes it.")
    return [
        *body(said.text),
        muted(tr("The agent's program did not take it.") if said.delivered is False else waits),
    ]


def _effect(block: Block, is_open: bool) -> list[tuple[Piece, ...]]:
    item = block.items[-1]
    name = one_line(item["type"] or tr("effect"), 80)
    target = next((i["target"] for i in reversed(block.items) if i["target"]), "")
    state = Piece(
        in_words(item["state"].replace("_", " ")), Ink("state", _STATE_HUES.get(item["state"], Hue.YELLOW))
    )
    line = [fold(is_open), Piece(f"{name}  ", Ink("name")), state]
    if target:
        line.append(Piece(f"  {one_line(target, TARGET_CHARS_MAX)}", Ink("mono")))
    rows = [tuple(line)]
    if is_open:
        rows.append(
            indented(tr("states"), " → ".join(in_words(i["state"].replace("_", " ")) for i in block.items))
        )
        rows.append(indented("id", str(item["id"])))
        if len(target) > TARGET_CHARS_MAX:
            rows.append(indented(tr("target"), target, TEXT_CHARS_MAX))
        for detail in dict.fromkeys(i["detail"] for i in block.items if i["detail"]):
            rows += [(Piece("   ", Ink("muted")), *line) for line in body(detail, "mono")]
    return rows


def _prompt(text: str, is_open: bool) -> list[tuple[Piece, ...]]:
    head = (fold(is_open), Piece(tr("Prompt"), Ink("name")))
    if is_open:
        return [head, *body(text)]
    return [(*head, Piece(f"  {one_line(text.strip(), 120)}", Ink("muted")))]


def _file(item: Mapping[str, Any]) -> tuple[Piece, ...]:
    if item["kind"] == "checkpoint":
        return (
            Piece(f"{tr('Checkpoint')}  ", Ink("name")),
            Piece(one_line(str(item["step"]), 160), Ink("mono")),
        )
    return (Piece(f"{tr('Saved')}  ", Ink("name")), Piece(one_line(str(item["name"]), 160), Ink("mono")))


def _figures(item: Mapping[str, Any]) -> str:
    match item["kind"]:
        case "turn":
            return tr("Turn")
        case "session":
            return tr("Session {id}", id=item["id"])
        case "progress":
            return "  ".join(filter(None, (tr("Progress"), _progress(item), item["label"])))
        case "usage":
            return _usage(item)
        case _:
            return f"{item.get('type', item['kind'])}"


def _progress(item: Mapping[str, Any]) -> str:
    if item["done"] is None:
        return ""
    done = f"{item['done']:g}"
    return done if item["total"] is None else tr("{done} of {total}", done=done, total=f"{item['total']:g}")


def _usage(item: Mapping[str, Any]) -> str:
    sent = item["input_tokens"] + item["cache_read_tokens"] + item["cache_write_tokens"]
    said = [
        tr("{tokens} in", tokens=tokens_text(sent)),
        tr("{tokens} out", tokens=tokens_text(item["output_tokens"])),
    ]
    if item["cost_usd"] is not None:
        said.append(money_text(parse_usd(item["cost_usd"]), True, str(item.get("source") or "reported")))
    name = tr("Usage so far") if item["cumulative"] else tr("Usage")
    return f"{name}  {' · '.join(said)}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


# ------------------------------------------------------------------------------------------- Markdown


_QUOTED = frozenset(
    {Kind.ERROR, Kind.QUESTION, Kind.PROMPT, Kind.PERSON, Kind.TOLD, Kind.THINKING, Kind.SUBAGENT}
)


def markdown_of(blocks: Sequence[Block]) -> str:
    """Blocks as Markdown: the agent's own text as it is, output fenced, one line for each effect and figure."""
    parts: list[str] = []
    output: list[str] = []
    for block in blocks:
        if block.kind in {Kind.PLAIN, Kind.OTHER}:
            output += ["".join(piece.text for piece in line) for line in block.text]
            continue
        if output:
            parts.append(fenced(output))
            output = []
        parts.append(_markdown(block))
    if output:
        parts.append(fenced(output))
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown(block: Block) -> str:
    item = block.items[-1]
    if block.kind is Kind.AGENT:
        return shown_plainly(str(item["text"]))
    if block.kind is Kind.CALL:
        return call_markdown(item)
    plain = "\n".join("".join(p.text for p in line) for line in _lines(block, True))
    if block.kind is Kind.RESULT:
        return f"**{tr.find(block.kind.value)}**\n\n{fenced(plain.splitlines())}"
    if block.kind in _QUOTED:
        plain = shown_plainly(str(item["text"])) if block.kind in {Kind.PROMPT, Kind.THINKING} else plain
        quoted = "\n".join(f"> {line}" for line in plain.splitlines())
        return f"**{tr.find(block.kind.value)}**\n\n{quoted}"
    if block.kind is Kind.EFFECT:
        head = "".join(piece.text for piece in _effect(block, False)[0][1:])
        return f"- **{tr.find(block.kind.value)}** {' '.join(head.split())}"
    return f"- {plain}"
