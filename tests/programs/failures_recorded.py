"""Plays failing answers through the real programs and keeps what these print: `python -m tests.programs.failures_recorded PROGRAM… [--list later] [--only WORD]`.

Each is launched by the product, its wire spoken by the product's adapter (which must answer a handshake), in a home of its own; what the adapter
makes of a failure is neither looked at nor kept. Retries are cut short by the programs' own settings; what still tries again is ended after a while.
The recordings lie in `tests/agents/recorded/failures`, by list, a line for each answer; names of this machine are replaced.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from quarterdeck.agents.launching import Ask, Launch
from quarterdeck.agents.registry import adapter_for, launch_of
from quarterdeck.domain.workflow import AgentSpec
from tests.programs.failing_service import FailingService, failing
from tests.programs.failures_leads import LEADS, way_of
from tests.programs.installed import BASE, installed
from tests.service.answers import (
    anthropics,
    copies,
    googles,
    later,
    lines_between,
    openais,
    reported,
    routers,
)
from tests.service.answers.told import Failing
from tests.service.recording import MARK, end_all

RECORDED = Path(__file__).parents[1] / "agents" / "recorded" / "failures"
PROMPT = "Do the scripted work."
END_S = 2.0
LINES_MAX = 60
"""More says only a program that begins anew again and again."""
LONG = ("tools", "slash_commands", "agents", "skills", "plugins", "mcp_servers", "memory_paths", "capabilities", "availableCommands", "availableModels")  # fmt: skip
"""Lists in which a program says what it can do: kept empty."""
ANSWERS: Mapping[str, tuple[Failing, ...]] = {
    "first": (
        *lines_between.BETWEEN, *lines_between.LINES, *anthropics.ANTHROPICS, *googles.GOOGLES, *openais.OPENAIS, *routers.ROUTERS, *copies.COPIES,
    ),
    "later": later.LATER,
    "reported": reported.REPORTED,
}  # fmt: skip
"""{list: its answers}; each list has a file of each program."""


@dataclass
class Said:
    """What one run printed, by the line and in order; code: None where it was ended."""

    code: int | None = None
    lines: list[tuple[str, str]] = field(default_factory=list)
    left: dict[str, bytes] = field(default_factory=lambda: {"out": b"", "err": b""})

    def take(self, stream: str, chunk: bytes) -> None:
        """Keep the whole lines of a chunk."""
        *whole, self.left[stream] = (self.left[stream] + chunk).split(b"\n")
        self.lines += [(stream, line.decode("utf-8", "replace")) for line in whole]


# ------------------------------------------------------------------------------------------- one run


def launch_and_env(
    name: str, program: Path, home: Path, work: Path, url: str, answer: Failing
) -> tuple[Launch, dict[str, str], str]:
    """(launch, environment, the mark of its processes)."""
    known, mark = way_of(name), uuid4().hex
    argv = (str(program), *known.beside)
    ask = Ask(
        AgentSpec("writer", argv=argv, **known.spec), argv, argv[0], PROMPT, str(work), None, str(uuid4())
    )
    launch = launch_of(ask)
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        known.key_name: known.key,
        MARK: mark,
    }
    return launch, {**env, **launch.env, **LEADS[name].env(home, url, answer)}, mark


def talk(name: str, launch: Launch, env: Mapping[str, str], work: Path, limit_s: float) -> Said:
    """Run it to its end, or for so long. What it asks is allowed."""
    adapter, said = adapter_for(way_of(name).spec["kind"], launch.protocol, launch.wire), Said()
    process = subprocess.Popen(
        launch.argv, cwd=work, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    names = {process.stdout: ("out", "stdout"), process.stderr: ("err", "stderr")}
    _give(process, PROMPT.encode() if launch.stdin == "prompt" else adapter.begin() + adapter.take_input())
    if launch.stdin != "open":
        process.stdin.close()
    until_s = time.monotonic() + limit_s
    while names and time.monotonic() < until_s:
        readable, _, _ = select.select(list(names), [], [], 0.5)
        for stream in readable:
            chunk, (short, long) = os.read(stream.fileno(), 65536), names[stream]
            if not chunk:
                del names[stream]
                continue
            said.take(short, chunk)
            for report in adapter.feed(long, chunk):
                if report["kind"] == "approval":
                    _give(process, adapter.answer(report["id"], "Allow once") or b"")
                    list(adapter.take_due())
            _give(process, adapter.take_input())
        if adapter.is_over and not process.stdin.closed:
            process.stdin.close()
            until_s = min(until_s, time.monotonic() + END_S)
    said.code = process.poll() if names else process.wait(END_S)
    return said


def _give(process: subprocess.Popen[bytes], content: bytes) -> None:
    assert process.stdin is not None
    if content and not process.stdin.closed:
        try:
            process.stdin.write(content)
            process.stdin.flush()
        except BrokenPipeError:
            return  # it has ended; what it said is read


@dataclass(frozen=True, slots=True)
class Places:
    """Where answers are served: plainly, and with a certificate of nobody; a port where nothing listens."""

    answers: Sequence[Failing]
    plain: FailingService
    tls: FailingService
    closed: int

    def url(self, number: int, way: str) -> str:
        """The address of an answer."""
        if way == "refused":
            return f"http://127.0.0.1:{self.closed}/s/{number}"
        if way in ("lost", "proxy"):
            return f"https://models.invalid/s/{number}"
        return (self.tls if way == "tls" else self.plain).url(number)


def play(name: str, program: Path, number: int, places: Places) -> dict[str, Any]:
    """One answer through one program: what is kept of it."""
    answer, lead = places.answers[number], LEADS[name]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        home, work = Path(base, "home"), Path(base, "project")
        home.mkdir()
        work.mkdir()
        launch, env, mark = launch_and_env(name, program, home, work, places.url(number, answer.way), answer)
        if answer.way == "proxy":
            env |= dict.fromkeys(("HTTPS_PROXY", "https_proxy"), f"http://127.0.0.1:{places.plain.port}")
        started_s = time.monotonic()
        try:
            said = talk(name, launch, env, work, lead.limit_s)
        finally:
            end_all(mark)
        print(
            name,
            number,
            answer.name,
            said.code,
            len(said.lines),
            f"{time.monotonic() - started_s:.0f} s",
            flush=True,
        )
        kept = {
            "name": answer.name, "is_a": answer.is_a, "or_is": answer.or_is, "when": "mid" if answer.mid else "start", "code": said.code,
            "wire": dict(launch.wire), "said": said.lines,
        }  # fmt: skip
        return dict(json.loads(masked(json.dumps(kept, ensure_ascii=False), base)))


def masked(text: str, base: str) -> str:
    """Without names of this machine."""
    text = text.replace(f"{base}/home", "/home/ada").replace(f"{base}/project", "/home/ada/project")
    text = text.replace(f"{base}", "/home/ada").replace(str(BASE), "/home/ada/agents")
    text = text.replace(str(Path.home()) + "/", "/home/ada/").replace(socket.gethostname(), "host")
    return re.sub(r"127\.0\.0\.1:[0-9]+", "127.0.0.1:8080", text)


def shorter(kept: dict[str, Any]) -> dict[str, Any]:
    """Without the lists of what a program can do, without where in its own code an error was raised, and without the end of what repeats itself."""
    lines = [
        (stream, line) for stream, line in kept["said"] if stream == "out" or not line.startswith("    at ")
    ]
    return {**kept, "said": [[stream, _shorter_line(line)] for stream, line in lines[:LINES_MAX]]}


def _shorter_line(line: str) -> str:
    long = (*LONG, "configOptions") if '"config_option_update"' in line else LONG
    if not line.startswith("{") or not any(f'"{name}"' in line for name in long):
        return line
    try:
        value = json.loads(line)
    except ValueError:
        return line
    return json.dumps(_emptied(value, long), ensure_ascii=False, separators=(",", ":"))


def _emptied(value: Any, long: Sequence[str]) -> Any:
    if isinstance(value, dict):
        if value.get("id") == "model" and "options" in value:
            return {**value, "options": []}
        return {
            name: ([] if isinstance(inner, list) and name in long else _emptied(inner, long))
            for name, inner in value.items()
        }
    return [_emptied(inner, long) for inner in value] if isinstance(value, list) else value


# ------------------------------------------------------------------------------------------- all of them


def certificate(folder: Path) -> Path:
    """A key and a certificate that nobody vouches for, in one file."""
    path = folder / "both.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-keyout", str(path), "-out", str(folder / "certificate.pem")]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (folder / "certificate.pem").read_bytes())
    return path


def wanted(name: str, answers: Sequence[Failing], only: str) -> list[int]:
    """The numbers of the answers that a program is to meet."""
    lead = LEADS[name]
    return [
        number
        for number, one in enumerate(answers)
        if lead.wire in one.wires and not lead.skips(one) and (not only or re.search(only, one.name))
    ]


def record(name: str, called: str, numbers: Sequence[int], beside: int) -> None:
    """Play them, so many at once, and add what came to the file of the program."""
    known, answers = way_of(name), ANSWERS[called]
    program = installed(known.title, known.name, known.package, known.version)
    if not isinstance(program, Path):
        raise SystemExit(program)
    (RECORDED / called).mkdir(parents=True, exist_ok=True)
    path, lock = RECORDED / called / f"{name}-{known.version}.jsonl", threading.Lock()
    _forget(path, {answers[number].name for number in numbers})
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plain = stack.enter_context(failing(answers))
        tls = stack.enter_context(failing(answers, certificate(folder)))
        with socket.create_server(("127.0.0.1", 0)) as taken:
            closed = taken.getsockname()[1]
        places = Places(answers, plain, tls, closed)

        def one(number: int) -> None:
            kept = json.dumps(shorter(play(name, program, number, places)), ensure_ascii=False)
            with lock, path.open("a", encoding="utf-8") as file:
                file.write(kept + "\n")

        with ThreadPoolExecutor(beside) as pool:
            list(pool.map(one, numbers))


def _forget(path: Path, names: set[str]) -> None:
    """Take out of the file what is played anew."""
    lines = path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []
    path.write_text("".join(line for line in lines if json.loads(line)["name"] not in names), "utf-8")


def main() -> None:
    """From the command line."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("programs", nargs="+", choices=sorted(LEADS))
    words.add_argument("--list", default="first", choices=sorted(ANSWERS))
    words.add_argument("--only", default="")
    words.add_argument("--every", type=int, default=1, help="each n-th alone")
    words.add_argument("--first", type=int, default=0, help="from which on")
    words.add_argument("--beside", type=int, default=2)
    told = words.parse_args()
    for name in told.programs:
        numbers = wanted(name, ANSWERS[told.list], told.only)
        record(name, told.list, numbers[told.first :: told.every], told.beside)


if __name__ == "__main__":
    main()
