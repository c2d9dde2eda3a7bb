"""The bundled practice agent: a program that does what its prompt says, one instruction a line (docs/practice-agents.md).

It speaks the lines protocol like any other program, uses no model and no network, and imports nothing of Quarterdeck.
The costs that it reports are pretended. Run as `python -I -S practice_program.py` with QUARTERDECK_CONTEXT set.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

WORDS_USED_UP, BAD_SCRIPT, FAILED = 0, 2, 1
DEFAULT_SCRIPT = "work 3s in 3 steps\noutput Practice is over."
UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = r"(\d+(?:\.\d+)?)(ms|s|m|h)"
NUMBER = r"(\d+(?:\.\d+)?)"


class Instruction(NamedTuple):
    """One line of the script that was understood."""

    line: int
    name: str
    words: tuple[str, ...]


PATTERNS: dict[str, re.Pattern[str]] = {
    "work": re.compile(rf"work {DURATION}(?: in (\d+) steps?)?"),
    "wait": re.compile(rf"wait {DURATION}"),
    "cost": re.compile(rf"cost {NUMBER} a step"),
    "tokens": re.compile(r"tokens (\d+) in (\d+) out a step"),
    "model": re.compile(r"model (\S+)"),
    "say": re.compile(r"say (.+)"),
    "print": re.compile(r"print (.+)"),
    "complain": re.compile(r"complain (.+)"),
    "write": re.compile(r"write ([^:]+):(.*)"),
    "ask": re.compile(r"ask ([^|]+)((?:\|[^|]+)+)"),
    "effect": re.compile(r"effect (\S+) ([^:]+): *((?:intended|sent|confirmed|refused)(?:\|\w+)*)"),
    "save": re.compile(r"save (.+)"),
    "note": re.compile(r"note (decision|source|other): *(.+)"),
    "flood": re.compile(rf"flood (\d+) lines a second for {DURATION}"),
    "helper": re.compile(rf"helper for {DURATION}"),
    "fail": re.compile(rf"fail(?: after {DURATION})?(?: as (\w+))?: *(.+)"),
    "exit": re.compile(r"exit (\d{1,3})"),
    "stubborn": re.compile(r"stubborn"),
    "quiet": re.compile(r"quiet"),
    "output": re.compile(r"output (.+)"),
}
SETTINGS = frozenset({"cost", "tokens", "model", "stubborn", "quiet"})
"""Instructions that hold from their line on; they are followed again when a resumed attempt skips saved steps."""
ERROR_CLASSES = frozenset({"auth", "rate_limit", "usage_limit", "overloaded", "invalid", "other"})


def parse(script: str) -> tuple[list[Instruction], list[str]]:
    """(what was understood, a sentence for each line that was not). Blank lines and lines from `#` are passed over."""
    found: list[Instruction] = []
    problems: list[str] = []
    for number, raw in enumerate(script.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name = line.split()[0].rstrip(":")
        pattern = PATTERNS.get(name)
        match = pattern.fullmatch(line) if pattern else None
        if pattern is None:
            problems.append(f"Line {number}: “{name}” is no instruction of a practice agent.")
        elif match is None:
            problems.append(f"Line {number}: “{line}” is not how “{name}” is written.")
        else:
            found.append(Instruction(number, name, tuple(word or "" for word in match.groups())))
    return found, problems


def seconds(amount: str, unit: str) -> float:
    """A duration as written, in seconds."""
    return float(amount) * UNITS_S[unit]


def pause(duration_s: float) -> None:
    """Let so much time pass."""
    if duration_s > 0:
        select.select([], [], [], duration_s)


def send(kind: str, /, **fields: Any) -> None:
    """One line of the protocol."""
    sys.stdout.write(json.dumps({"type": kind, **fields}) + "\n")
    sys.stdout.flush()


class Performer:
    """Follows a script. Each method is one instruction."""

    def __init__(self) -> None:
        self._cost: str | None = None
        self._tokens = (0, 0)
        self._model = "practice"
        self._steps = self._questions = 0
        self._attempt = os.environ.get("QUARTERDECK_ATTEMPT", "alone")

    def follow(self, instruction: Instruction) -> None:
        """Do what one line says."""
        method: Callable[..., None] = getattr(self, "do_" + instruction.name)
        method(*instruction.words)

    def do_work(self, amount: str, unit: str, steps: str) -> None:
        """Work in steps: each is a turn with its progress, and its cost where one was set."""
        total = max(1, int(steps or 1))
        for done in range(1, total + 1):
            send("turn")
            pause(seconds(amount, unit) / total)
            self._spend()
            send("progress", done=done, total=total, label=f"step {done} of {total}")
            send("text", text=f"Practised step {done} of {total}.")

    def _spend(self) -> None:
        self._steps += 1
        if self._cost is None and self._tokens == (0, 0):
            return
        usage: dict[str, Any] = {"message_id": f"{self._attempt}-{self._steps}", "model": self._model}
        usage["input_tokens"], usage["output_tokens"] = self._tokens
        if self._cost is not None:
            usage["cost_usd"] = self._cost
        send("usage", **usage)

    def do_wait(self, amount: str, unit: str) -> None:
        """Be silent."""
        pause(seconds(amount, unit))

    def do_cost(self, amount: str) -> None:
        """Pretend that each step costs so many dollars."""
        self._cost = amount

    def do_tokens(self, taken: str, given: str) -> None:
        """Pretend that each step uses so many tokens."""
        self._tokens = (int(taken), int(given))

    def do_model(self, name: str) -> None:
        """Pretend to be this model."""
        self._model = name

    def do_say(self, text: str) -> None:
        """A text of the agent."""
        send("text", text=text)

    def do_print(self, text: str) -> None:
        """A plain line on stdout."""
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def do_complain(self, text: str) -> None:
        """A plain line on stderr."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def do_write(self, name: str, text: str) -> None:
        """Write a file in the agent's folder and hand it over as an artifact."""
        path = Path(name.strip())
        if not path.resolve().is_relative_to(Path.cwd().resolve()):
            send(
                "error",
                **{
                    "class": "invalid",
                    "message": f"A practice agent writes only in its own folder, not {path}",
                },
            )
            sys.exit(FAILED)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.strip().replace("\\n", "\n") + "\n", "utf-8")
        send("artifact", name=path.name, path=str(path))

    def do_ask(self, question: str, choices: str) -> None:
        """Ask a person, and go on with the answer."""
        self._questions += 1
        request = f"question-{self._questions}"
        options = [choice.strip() for choice in choices.split("|") if choice.strip()]
        send("approval", id=request, question=question.strip(), options=options)
        for line in sys.stdin:
            said = json.loads(line)
            if said.get("type") == "approval" and said.get("id") == request:
                send("text", text=f"The answer was: {said.get('answer')}")
                return
        send("error", **{"class": "other", "message": "The question was never answered."})
        sys.exit(FAILED)

    def do_effect(self, kind: str, target: str, states: str) -> None:
        """Report an outside effect through the states named; its id is the same in every attempt."""
        effect = f"{kind}:{target.strip()}"
        for state in states.split("|"):
            send("effect", id=effect, state=state, kind=kind, target=target.strip(), detail="practice")

    def do_save(self, step: str) -> None:
        """Save a checkpoint; a resumed attempt goes on behind it."""
        send("checkpoint", step=step.strip(), data={"line": step.strip()})

    def do_note(self, kind: str, text: str) -> None:
        """Save a note for a successor."""
        send("note", kind=kind, text=text)

    def do_flood(self, rate: str, amount: str, unit: str) -> None:
        """Print numbered lines at that rate."""
        total, start = int(int(rate) * seconds(amount, unit)), time.monotonic()
        for number in range(1, total + 1):
            sys.stdout.write(f"practice line {number}\n")
            if number % max(1, int(rate) // 20) == 0:
                sys.stdout.flush()
                pause(start + number / int(rate) - time.monotonic())
        sys.stdout.flush()

    def do_helper(self, amount: str, unit: str) -> None:
        """Start another process, in a session of its own, as real agents do."""
        if os.fork() == 0:
            os.setsid()
            pause(seconds(amount, unit))
            os._exit(0)

    def do_fail(self, amount: str, unit: str, kind: str, reason: str) -> None:
        """Report an error and end."""
        if amount:
            pause(seconds(amount, unit))
        send("error", **{"class": kind if kind in ERROR_CLASSES else "other", "message": reason})
        sys.exit(FAILED)

    def do_exit(self, code: str) -> None:
        """End with this code."""
        sys.exit(int(code))

    def do_stubborn(self) -> None:
        """Ignore every polite request to end."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def do_quiet(self) -> None:
        """Say nothing but what the script says; `perform` heeds it from the first word on."""

    def do_output(self, text: str) -> None:
        """Give the node's output: JSON where it is JSON, else the text."""
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        send("output", value=value)


def read_json(variable: str) -> dict[str, Any]:
    """The JSON object in the file that a variable names; an empty one where there is none."""
    path = os.environ.get(variable)
    if not path:
        return {}
    value = json.loads(Path(path).read_text("utf-8"))
    return value if isinstance(value, dict) else {}


def saved_steps(resume: dict[str, Any]) -> list[str]:
    """Names of the checkpoints that earlier attempts saved, oldest first."""
    sources = [resume, *(a for a in resume.get("attempts") or [] if isinstance(a, dict))]
    found = [c for source in sources for c in source.get("checkpoints") or []]
    return [str(c.get("step")) if isinstance(c, dict) else str(c) for c in found]


def behind_last_save(script: list[Instruction], saved: list[str]) -> tuple[int, str | None]:
    """(index of the first instruction that is not saved yet, name of the checkpoint before it)."""
    for index in range(len(script) - 1, -1, -1):
        if script[index].name == "save" and script[index].words[0].strip() in saved:
            return index + 1, script[index].words[0].strip()
    return 0, None


def perform() -> int:
    """Follow the prompt; returns the exit code."""
    prompt = str(read_json("QUARTERDECK_CONTEXT").get("prompt") or "")
    script, problems = parse(prompt if prompt.strip() else DEFAULT_SCRIPT)
    if not any(instruction.name == "quiet" for instruction in script):
        send("text", text="Practice agent: no model is asked and nothing is paid.")
    if problems:
        send("error", **{"class": "invalid", "message": " ".join(problems)})
        return BAD_SCRIPT
    send("session", id="practice-" + os.environ.get("QUARTERDECK_ATTEMPT", "alone"), resumable=True)
    performer, first = Performer(), 0
    resume = read_json("QUARTERDECK_RESUME")
    if resume:
        first, step = behind_last_save(script, saved_steps(resume))
        word = f"from checkpoint “{step}”" if step else "from the beginning: no checkpoint was saved"
        send("text", text=f"This attempt continues {word}.")
    for index, instruction in enumerate(script):
        if index >= first or instruction.name in SETTINGS:
            performer.follow(instruction)
    return WORDS_USED_UP


if __name__ == "__main__":
    sys.exit(perform())
