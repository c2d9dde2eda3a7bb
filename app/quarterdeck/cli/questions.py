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

from quarterdeck.cli.finding import options_shown_as
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
    """How to answer from another terminal. Pasted into a shell it can do nothing else, whatever the agent calls its question; what
    may be chosen stands below it, as an option's words are the agent's own.
    """
    choice = " | ".join(escaped(option) for option in question.choices) or "any text"
    named = " ".join(shlex.quote(escaped(word)) for word in (question.run_id, question.request_id))
    return f"Answer it with `quarterdeck answer {named} CHOICE`.\nChoices: {choice}"


def meant(question: ApprovalView, typed: str) -> list[str]:
    """The options that the line could mean, in their order: by number (`2`, or `2.` as it is shown) and by text; where neither is
    so, by the start of their text. Only where it is one is it an answer: a number that is also the text of another is none.
    """
    options = list(dict.fromkeys(question.choices))
    number = typed.removesuffix(".")
    is_number = number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(question.choices)
    by_number = [question.choices[int(number) - 1]] if is_number else []
    by_text = options_shown_as(question, typed)
    found = [option for option in options if option in by_number or option in by_text]
    wanted = typed.casefold()
    return found or [one for one in options if wanted and escaped(one).casefold().startswith(wanted)]


def unclear_text(question: ApprovalView, typed: str, fitting: list[str]) -> str:
    """Why the line is no answer, and what is one."""
    if not question.choices:
        return "Type an answer."
    if not fitting:
        return "Type the number of an option."
    known = list(question.choices)
    names = ", or ".join(f"{known.index(option) + 1}. {escaped(option)}" for option in fitting)
    return f"{escaped(typed)!r} could mean {names}. Type the number of an option with its dot, such as `1.`, or its whole text."


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
                if not question.choices and text:
                    return text
                fitting = meant(question, text)
                if len(fitting) == 1:
                    return fitting[0]
                progress.say(unclear_text(question, text, fitting))
