"""A slot that waits gets another agent: behind a limit, for its turn, refused for its sign-in, or for the time of its retry."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import CommandId, RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.engine.secret_vault import SecretVault
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.test_credentials_list import SECRET, MemoryKeyring, agent, entry
from tests.engine.works import (
    A,
    B,
    attempt_of,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    slot_of,
    until,
    write,
)

LIMIT = (
    "say('turn')\nsay('error', **{'class': 'usage_limit', 'message': 'weekly limit', "
    "'resets_at': '2126-11-30T00:00:00Z'})\nsys.exit(1)\n"
)
WORKS = "say('turn')\nsay('output', value='done')\n"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_KEY", "the-one")
    monkeypatch.setenv("OTHER_KEY", "another-one")


async def test_an_agent_that_waits_behind_a_limit_is_switched_and_begins_at_once(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """One row waits with the reset; the other agent has another sign-in, so nothing holds it."""
    agents = {
        "a": python(LIMIT, credential="env:ONE_KEY"),
        "b": python(WORKS, credential="env:ONE_KEY"),
        "other": python(WORKS, credential="env:OTHER_KEY"),
    }
    nodes = {"a": {}, "b": {"alternatives": ["other"]}}
    run = await launch(engine, write(tmp_path, agents, ("a", "b", "always"), nodes=nodes))
    view = await until(engine, run, lambda one: "limit that A met" in slot_of(one, "b").reason)
    assert slot_of(view, "b").display == "Waiting"
    assert slot_of(view, "b").alternatives == ("other",)
    command = CommandId("c-" + "5" * 32)
    assert await engine.switch_agent(run, B, "other", command_id=command) is None
    assert await engine.switch_agent(run, B, "other", command_id=command) is None, "the same again"
    view = await ended(engine, run)
    last = attempt_of(view, "b")
    assert (last.agent, last.status) == ("other", AttemptStatus.SUCCEEDED)
    assert journal_kinds(data, run).count("agent_switched") == 1


async def test_an_agent_that_waits_for_its_turn_begins_as_the_one_that_was_chosen(
    engine: Engine, tmp_path: Path
) -> None:
    gate = tmp_path / "go"
    agents = {
        "a": shell(f"while [ ! -e {gate} ]; do sleep 0.05; done"),
        "b": shell("echo first"),
        "other": shell("echo other"),
    }
    path = write(tmp_path, agents, ("a", "b"), nodes={"b": {"alternatives": ["other"]}})
    run = await launch(engine, path)
    await until(engine, run, shows("a", "Running"))
    assert await engine.switch_agent(run, B, "other") is None
    view = await engine.run(run)
    assert view is not None
    assert (slot_of(view, "b").agent, slot_of(view, "b").attempts) == ("other", ())
    refused = await engine.switch_agent(run, A, "other")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_SLOT_STATE, "it is at work"
    gate.touch()
    view = await ended(engine, run)
    assert view.outcome is Outcome.COMPLETED
    assert attempt_of(view, "b").output == "other"


async def switched_while_it_retries(
    engine: Engine, tmp_path: Path, other: dict[str, Any], after_s: int
) -> RunId:
    """Its agent is told to wait for so long and is replaced meanwhile; the run ends well, with one attempt of each."""
    error = f"'class': 'rate_limit', 'message': 'slow down', 'retry_after_s': {after_s}"
    agents = {"a": python(f"say('error', **{{{error}}})\nsys.exit(1)\n"), "other": other}
    nodes = {"a": {"alternatives": ["other"], "retry": {"max_attempts": 3}}}
    run = await launch(engine, write(tmp_path, agents, nodes=nodes))
    await until(engine, run, shows("a", "Retrying"))
    assert await engine.switch_agent(run, A, "other") is None
    view = await ended(engine, run)
    assert [one.agent for one in slot_of(view, "a").attempts] == ["a", "other"]
    assert view.outcome is Outcome.COMPLETED
    return run


async def test_an_agent_that_waits_for_its_retry_is_opened_again_and_started_as_the_other(
    engine: Engine, tmp_path: Path
) -> None:
    await switched_while_it_retries(engine, tmp_path, python(WORKS), 25)


class SlowKeyring(MemoryKeyring):
    """Gives a secret after 0.3 s: far longer than a run's turn waits for it."""

    def get_password(self, service: str, username: str) -> str | None:
        threading.Event().wait(0.3)
        return super().get_password(service, username)


async def test_an_agent_whose_sign_in_takes_long_to_read_takes_the_place_of_one_that_waits_for_its_retry(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """The run is neither ended meanwhile nor is the slot re-opened for nobody: it starts as the other, in the same sitting."""
    ring = SlowKeyring()
    engine = await open_engine(vault=SecretVault(lambda: ring))
    await engine.sign_ins.save(entry(), SECRET)
    run = await switched_while_it_retries(engine, tmp_path, agent(WORKS), 250)
    assert journal_kinds(data, run).count("slot_reassigned") == 1
    assert "sitting_opened" not in journal_kinds(data, run)
