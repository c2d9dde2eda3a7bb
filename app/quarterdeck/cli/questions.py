"""Open questions of agents, asked of the person at this terminal, one after the other, in the order they came.

While one is asked the live block rests, so that nothing overwrites what the person types. A question that somebody
answers elsewhere is taken away. Lines are read when the terminal has one, never by a waiting thread.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from quarterdeck.cli.plain_text import escaped
from quarterdeck.cli.progress import Progress
from quarterdeck.cli.words import told_of
from quarterdeck.domain.ids import RequestId
from quarterdeck.domain.views import ApprovalView

LINE_BYTES_MAX = 64 * 1024
QUIET_S = 0.5
"""How long a question stands there before anything that is typed can answer it: that was not typed for it."""
IS_CLOSED = "That question is closed: it was answered elsewhere, or its agent has ended."


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that the person typed; text None: end of input, nobody can be asked here any more."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Closed:
    """The question was answered elsewhere, or its agent has ended."""

    request: RequestId


Arrival = Typed | Closed


@contextmanager
def reading_lines(fd: int, arrivals: asyncio.Queue[Arrival]) -> Iterator[None]:
    """Lines that the person types inside the block arrive in the queue; what was typed before is thrown away.

    So nothing that was typed for the shell answers a question. In the background there is nobody to ask: end of input.
    """
    loop = asyncio.get_running_loop()
    while not arrivals.empty():
        arrivals.get_nowait()
    # Put in the background while it asks, the read fails (end of input) where it would else stop this process.
    before = signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    reader = _LineReader(fd, arrivals, loop)
    try:
        if os.tcgetpgrp(fd) == os.getpgrp():
            termios.tcflush(fd, termios.TCIFLUSH)
            loop.add_reader(fd, reader.read)
        else:
            arrivals.put_nowait(Typed(None))
        yield
    finally:
        loop.remove_reader(fd)
        signal.signal(signal.SIGTTIN, before)


class _LineReader:
    """Cuts what a terminal gives into lines."""

    def __init__(self, fd: int, arrivals: asyncio.Queue[Arrival], loop: asyncio.AbstractEventLoop) -> None:
        self._fd = fd
        self._arrivals = arrivals
        self._loop = loop
        self._partial = b""

    def read(self) -> None:
        """The loop says that there is something."""
        try:
            content = os.read(self._fd, LINE_BYTES_MAX)
        except OSError:  # the terminal has gone, or we are in the background
            content = b""
        if not content:
            self._loop.remove_reader(self._fd)
            self._arrivals.put_nowait(Typed(None))
            return
        *lines, rest = (self._partial + content).split(b"\n")
        self._partial = rest[-LINE_BYTES_MAX:]
        for line in lines:
            self._arrivals.put_nowait(Typed(line.decode("utf-8", "replace").strip()))


def question_text(question: ApprovalView, title: str) -> str:
    """The exact question, with whatever could fool a reader escaped, and its options by number."""
    lines = [f"{escaped(title)} asks: {escaped(question.question)}"]
    lines += [f"  {name}: {escaped(said)}" for name, said in told_of(question)]
    lines += [f"  {number}. {escaped(option)}" for number, option in enumerate(question.choices, start=1)]
    return "\n".join(lines)


def prompt_text(question: ApprovalView) -> str:
    """What stands before the cursor."""
    return f"Answer (1–{len(question.choices)}): " if question.choices else "Answer: "


def command_text(question: ApprovalView) -> str:
    """How to answer from another terminal. Pasted into a shell it can do nothing else, whatever the agent calls its question."""
    choice = " | ".join(escaped(option) for option in question.choices) or "TEXT"
    named = " ".join(shlex.quote(escaped(word)) for word in (question.run_id, question.request_id))
    return f"Answer it with `quarterdeck answer {named} CHOICE`; choices: {choice}."


def chosen(question: ApprovalView, typed: str) -> str | None:
    """The option that the line means: its number, its text, or an unambiguous start of it; None where none is meant."""
    if not question.choices:
        return typed or None
    if typed in question.choices:
        return typed
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(question.choices):
        return question.choices[int(typed) - 1]
    same = [one for one in question.choices if one.casefold() == typed.casefold()]
    if len(same) == 1:
        return same[0]
    alike = [one for one in question.choices if typed and one.casefold().startswith(typed.casefold())]
    return alike[0] if len(alike) == 1 else None


async def ask(
    question: ApprovalView, progress: Progress, arrivals: asyncio.Queue[Arrival]
) -> str | Closed | None:
    """The chosen option of a question that is shown; None at the end of input; Closed where the question is gone."""
    while True:
        progress.say(prompt_text(question).rstrip())
        match await arrivals.get():
            case Closed(request=request) as closed:
                if request == question.request_id:
                    progress.say(IS_CLOSED)
                    return closed
            case Typed(text=text):
                if text is None:
                    return None
                option = chosen(question, text)
                if option is not None:
                    return option
                progress.say("Type the number of an option." if question.choices else "Type an answer.")
