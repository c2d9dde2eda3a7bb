"""AUT8: a scripted service that counts sees exactly as many calls as the one policy says, for each class of error and each program's wire."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from quarterdeck.domain.retry import RETRIED_CLASSES
from quarterdeck.engine.service import Engine
from tests.engine.works import launch, python, slot_of, until, write

CLASSES = ("auth", "rate_limit", "usage_limit", "overloaded", "invalid", "other", "")
"""The last one: it ends badly and says nothing."""
ATTEMPTS = 2
WITHIN_S = 120
CALL = """
import _socket as s
with_service = s.socket(s.AF_INET, s.SOCK_STREAM)
with_service.connect(("127.0.0.1", int(os.environ["SERVICE_PORT"])))
with_service.sendall(b"POST /{name} HTTP/1.0" + b"\\r\\n\\r\\n")
while with_service.recv(1000): pass
"""
ENDS = """
if {kind!r}: say("error", **{{"class": {kind!r}, "message": "no"}})
sys.exit(1)
"""


class Counting(BaseHTTPRequestHandler):
    """Answers all, and counts by path."""

    seen: ClassVar[Counter[str]] = Counter()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        type(self).seen[self.path] += 1
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def service() -> Iterator[str]:
    Counting.seen = Counter()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield str(server.server_port)
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_service_is_asked_exactly_as_often_as_the_policy_says_for_each_class_of_error(
    engine: Engine, tmp_path: Path, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each agent has a sign-in of its own, and makes one call in each attempt."""
    monkeypatch.setattr("quarterdeck.domain.retry.RetryPolicy.delay_ms", lambda *_, **__: 30)
    monkeypatch.setattr("quarterdeck.domain.retry.SharedPolicy.held_ms", lambda *_, **__: 0)
    names = {f"n{number}": kind for number, kind in enumerate(CLASSES)}
    crew = {
        name: python(
            CALL.format(name=name) + ENDS.format(kind=kind),
            credential=f"env:KEY_{name}",
            env={"SERVICE_PORT": service},
        )
        for name, kind in names.items()
    }
    for name in names:
        monkeypatch.setenv(f"KEY_{name}", f"key-of-{name}")
    nodes = {name: {"retry": {"max_attempts": ATTEMPTS}} for name in names}
    run = await launch(engine, write(tmp_path, crew, nodes=nodes))
    async with asyncio.timeout(WITHIN_S):
        view = await engine.wait_ended(run)
    wanted = {f"/{name}": ATTEMPTS if kind in RETRIED_CLASSES else 1 for name, kind in names.items()}
    assert dict(Counting.seen) == wanted
    assert {f"/{name}": len(slot_of(view, name).attempts) for name in names} == wanted


async def test_agents_that_wait_for_a_limit_ask_nothing_meanwhile(
    engine: Engine, tmp_path: Path, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No polling storm: of ten that share a sign-in one asks, and nine wait until the told time."""
    monkeypatch.setenv("SHARED", "key-of-all")
    limit = 'say("turn")\nsay("error", **{"class": "usage_limit", "message": "no", "retry_after_s": 3600})\nsys.exit(1)'
    first = python(CALL.format(name="all") + limit, credential="env:SHARED", env={"SERVICE_PORT": service})
    names = [f"n{number}" for number in range(10)]
    run = await launch(engine, write(tmp_path, dict.fromkeys(names, first)))
    await until(
        engine,
        run,
        lambda view: sum(bool(slot.attempts) for slot in view.slots) == 1 and _waiting(engine) == 9,
    )
    for _ in range(50):
        await asyncio.sleep(0)
    assert dict(Counting.seen) == {"/all": 1}
    await engine.stop_run(run)
    await engine.wait_ended(run)
    assert dict(Counting.seen) == {"/all": 1}


def _waiting(engine: Engine) -> int:
    return sum(one.waiting for one in engine.sign_ins.standing().limits)
