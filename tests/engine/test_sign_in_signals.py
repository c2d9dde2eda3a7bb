"""What of what agents tell moves the memory of sign-ins, and what does not (AUT4, AUT6; Q3): real agents, real runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Code
from quarterdeck.domain.retry import SharedPolicy
from quarterdeck.domain.views import SlotView
from quarterdeck.engine.service import Engine
from tests.engine.works import PYTHON, displays, ended, launch, python, to_end, until, write

WORKS = "say('turn')\nsay('output', value='done')\n"
RECORDED = Path(__file__).parents[1] / "agents" / "recorded"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEAD_KEY", "the-dead-one")


def program(path: Path, source: str) -> str:
    """A program of one's own that a person could have named in `argv`."""
    path.write_text(f"#!{PYTHON}\nimport os, sys, time, json\n{source}")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
async def test_a_key_that_may_not_use_one_model_is_not_remembered_as_dead(
    engine: Engine, tmp_path: Path, version: str
) -> None:
    """AUT6: what Claude Code prints at a 403 refuses no agent of another model."""
    recorded = RECORDED / f"claude-{version}" / "auth403.jsonl"
    source = f"sys.stdin.readline()\nsys.stdout.write(open({str(recorded)!r}).read())\nsys.exit(1)\n"
    one = {
        "kind": "claude-code",
        "argv": [program(tmp_path / "claude", source)],
        "credential": "env:DEAD_KEY",
    }
    view = await to_end(engine, write(tmp_path, {"a": one, "b": {**one, "model": "another-model"}}))
    assert displays(view) == {"a": "Failed", "b": "Failed"}
    assert [len(slot.attempts) for slot in view.slots] == [1, 1]
    assert not engine.sign_ins.standing().remembered


CODEX = """
open({started!r} + "/" + os.environ["QUARTERDECK_ATTEMPT"], "w").close()
def say(**line): sys.stdout.write(json.dumps(line) + chr(10)); sys.stdout.flush()
sys.stdin.read()
say(type="thread.started", thread_id="t-" + os.environ["QUARTERDECK_ATTEMPT"])
say(type="turn.started")
if not os.path.exists({dead!r}):
    say(type="item.completed", item=dict(id="i", type="agent_message", text="working"))
    while not os.path.exists({dead!r}): time.sleep(0.02)
say(type="turn.failed", error=dict(message="unexpected status 401 Unauthorized: token expired, url: https://x"))
sys.exit(1)
"""


async def test_q3_a_sign_in_that_dies_while_ten_of_forty_work_is_tried_by_one_more_and_refuses_the_rest(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT3, AUT4, Q3: Codex tells it in words alone, so that no signal is strong; ten and one are launched, 29 refused."""
    engine.sign_ins.memory._policy = SharedPolicy(canary_ms=600_000)
    started, dead = tmp_path / "started", tmp_path / "dead"
    started.mkdir()
    argv = [program(tmp_path / "codex", CODEX.format(started=str(started), dead=str(dead)))]
    one = {"kind": "codex", "argv": argv, "credential": "env:DEAD_KEY"}
    names = [f"n{number:02d}" for number in range(40)]
    run = await launch(engine, write(tmp_path, dict.fromkeys(names, one), limits={"max_parallel": 10}))
    feed = engine.subscribe()
    async with asyncio.timeout(90):
        while (view := engine.live_run(run)) is None or sum(spoke(slot) for slot in view.slots) < 10:
            await feed.wait_changed()
            feed.take()
    feed.close()
    dead.touch()
    async with asyncio.timeout(90):
        view = await engine.wait_ended(run)
    assert len(list(started.iterdir())) == 11
    assert sum(slot.refused == Code.E_CRED_REMEMBERED for slot in view.slots) == 29
    assert sum(len(slot.attempts) for slot in view.slots) == 11


def spoke(slot: SlotView) -> bool:
    return any(attempt.figures.turns for attempt in slot.attempts)


async def test_a_limit_that_an_agent_got_over_holds_nobody_once_it_is_done(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT4: Codex says of no limit how long it holds; who ended well after one shows that it holds no more."""
    got_over = "say('error', **{'class': 'rate_limit', 'message': 'slow'})\nsay('turn')\n" + WORKS
    view = await to_end(engine, write(tmp_path, {"a": python(got_over, credential="env:DEAD_KEY")}))
    assert displays(view) == {"a": "Done"}
    assert not engine.sign_ins.standing().limits


async def test_a_limit_is_taken_when_it_is_told_and_not_again_at_the_end(
    engine: Engine, tmp_path: Path
) -> None:
    """The time that a service tells counts from then: the next one starts when it is over, however long the first works on."""
    go = tmp_path / "go"
    over = "say('error', **{'class': 'rate_limit', 'message': 'slow', 'retry_after_s': 3600})\n"
    waits = f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n"
    first = python(over + waits + WORKS, credential="env:DEAD_KEY")
    run = await launch(engine, write(tmp_path, {"a": first}))
    await until(engine, run, lambda _: engine.sign_ins.standing().limits)
    [told] = engine.sign_ins.standing().limits
    await engine.sign_ins.try_now("env:DEAD_KEY")
    go.touch()
    view = await ended(engine, run)
    assert displays(view) == {"a": "Done"}
    assert not engine.sign_ins.standing().limits, told
