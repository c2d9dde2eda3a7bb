"""Claude Code 2.1.197 itself, run by the engine against the scripted service: ends, money, leave, resume, secrets."""

from __future__ import annotations

import json
import os
import signal
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import AttemptView, RunView
from quarterdeck.engine.service import Engine
from tests.engine import works
from tests.engine.works import A, at_work, attempt_of, ended, launch_file, shows, slot_of, until, write
from tests.programs.claude_program import KEY
from tests.service import anthropic
from tests.service.server import ModelService
from tests.shim.harness import marked

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
WITHIN_S = 120.0
MODEL = "claude-sonnet-4-5"
PRICE = dict(zip(("input", "output", "cache_read", "cache_write"), anthropic.PRICES[MODEL], strict=True))


@pytest.fixture(autouse=True)
def _key_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    monkeypatch.setattr(works, "WITHIN_S", WITHIN_S)


def agent(claude: Path, service: ModelService, scenario: str, home: Path, **more: Any) -> dict[str, Any]:
    env = {"HOME": str(home), "ANTHROPIC_BASE_URL": service.url(scenario), "CLAUDE_CODE_MAX_RETRIES": "1"}
    return {
        "kind": "claude-code", "argv": [str(claude)], "model": MODEL, "credential": "env:SCRIPTED_KEY", "env": env,
        "permissions": "full", "prices": {MODEL: PRICE}, **more,
    }  # fmt: skip


async def run_of(
    engine: Engine, folder: Path, one: dict[str, Any], **more: Any
) -> tuple[RunView, AttemptView]:
    """Launch one agent and wait for the end; nothing of it may be left."""
    path = write(folder, {"a": one}, nodes={"a": {"prompt": "do the task of this test"}}, **more)
    view = await works.to_end(engine, path)
    attempt = attempt_of(view, "a")
    assert not marked(attempt.attempt_id)
    return view, attempt


GOOD = ["plain", "tool", "write", "quoting", "quotingtool", "rate429,plain", "drop,plain", "flood"]


@pytest.mark.parametrize("scenario", GOOD)
async def test_it_ends_well_and_its_money_is_the_services_to_the_last_digit(
    engine: Engine, tmp_path: Path, claude: Path, service: ModelService, home: Path, scenario: str
) -> None:
    folder = tmp_path / "w"
    _, attempt = await run_of(engine, folder, agent(claude, service, scenario, home))
    assert (attempt.status, attempt.exit_code) == (AttemptStatus.SUCCEEDED, 0)
    assert attempt.has_output or attempt.output_file
    kept = anthropic.books(service.asked)
    figures = attempt.figures
    assert (figures.cost_usd, figures.cost_is_complete, figures.cost_source) == (
        kept.cost_usd,
        True,
        "reported",
    )
    assert (figures.tokens.input_tokens, figures.tokens.output_tokens) == (
        kept.input_tokens,
        kept.output_tokens,
    )
    assert (figures.tokens.cache_read_tokens, figures.tokens.cache_write_tokens) == (
        kept.cache_read_tokens,
        kept.cache_write_tokens,
    )
    if scenario == "write":
        assert [(one.name, one.size_bytes) for one in attempt.artifacts] == [("made.txt", 18)]
        assert (folder / "made.txt").read_text() == "made by the agent\n"
    if scenario == "tool":
        assert (folder / "ran.log").read_text() == "ran\n"
        assert [(one.state, one.target) for one in attempt.effects] == [("confirmed", anthropic.COMMAND)]


BAD = [
    ("auth401", "auth"), ("auth401raw", "auth"), ("auth403", "other"), ("auth401mid", "auth"), ("rate429", "rate_limit"),
    ("rate429ra", "rate_limit"), ("over529", "overloaded"), ("quota", "usage_limit"), ("bad400", "invalid"), ("drop", "overloaded"),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "error_class"), BAD)
async def test_a_failure_has_its_class_and_costs_what_was_served(
    engine: Engine,
    tmp_path: Path,
    claude: Path,
    service: ModelService,
    home: Path,
    scenario: str,
    error_class: str,
) -> None:
    _, attempt = await run_of(engine, tmp_path / "w", agent(claude, service, scenario, home))
    assert attempt.status is AttemptStatus.FAILED
    assert attempt.errors[-1].error_class == error_class
    assert attempt.figures.cost_usd == anthropic.books(service.asked).cost_usd


async def test_without_a_key_it_says_so_at_once(
    engine: Engine, tmp_path: Path, claude: Path, service: ModelService, home: Path
) -> None:
    _, attempt = await run_of(engine, tmp_path / "w", agent(claude, service, "plain", home, credential=None))
    assert (attempt.status, attempt.errors[-1].error_class) == (AttemptStatus.FAILED, "auth")
    assert not service.work()


@pytest.mark.parametrize(("choice", "ran"), [("Allow once", True), ("Deny", False)])
async def test_a_person_is_asked_with_the_exact_command_and_their_answer_counts(
    engine: Engine, tmp_path: Path, claude: Path, service: ModelService, home: Path, choice: str, ran: bool
) -> None:
    folder = tmp_path / "w"
    path = write(folder, {"a": agent(claude, service, "tool", home, permissions="ask")})
    run = await works.launch(engine, path)
    view = await until(engine, run, lambda one: slot_of(one, "a").approvals)
    (asked,) = slot_of(view, "a").approvals
    assert anthropic.COMMAND in asked.question
    assert not (folder / "ran.log").exists()
    assert await engine.answer(run, asked.request_id, choice) is None
    attempt = attempt_of(await ended(engine, run), "a")
    assert attempt.status is AttemptStatus.SUCCEEDED
    assert [one.state for one in attempt.effects] == ["confirmed" if ran else "refused"]
    assert (folder / "ran.log").exists() == ran
    assert not marked(attempt.attempt_id)


async def killed_in_a_call(engine: Engine, path: Path, service: ModelService, folder: Path) -> RunId:
    """A run whose agent was killed by SIGKILL in the middle of a tool call."""
    run = await at_work(engine, path, "a")
    view = await until(
        engine, run, lambda one: attempt_of(one, "a").effects and (folder / "ran.log").exists()
    )
    await until(engine, run, lambda one: attempt_of(one, "a").figures.tokens.output_tokens)
    attempt = attempt_of(view, "a")
    assert attempt.pid is not None
    os.kill(attempt.pid, signal.SIGKILL)
    await ended(engine, run)
    assert not marked(attempt.attempt_id)
    return run


async def resumed(engine: Engine, run: RunId, **more: Any) -> RunView:
    """The run once its slot was taken up and has ended again."""
    assert await engine.reassign(run, A, "go on with it", **more) is None
    assert not isinstance(await engine.claim(run, A), Refusal)
    return await ended(engine, run)


async def test_after_a_kill_in_a_call_a_resume_goes_on_in_its_session_with_our_own_words_and_every_cent_is_counted(
    engine: Engine, data: Path, tmp_path: Path, claude: Path, service: ModelService, home: Path
) -> None:
    folder = tmp_path / "w"
    path = write(
        folder, {"a": agent(claude, service, "slowtool,plain", home)}, nodes={"a": {"prompt": "the task"}}
    )
    run = await killed_in_a_call(engine, path, service, folder)
    view = await resumed(engine, run)
    first, second = slot_of(view, "a").attempts
    assert [one.state for one in first.effects] == ["unknown"]
    assert second.status is AttemptStatus.SUCCEEDED
    assert first.session_id == second.session_id
    argv = launch_file(data, run, second.attempt_id)["argv"]
    assert argv[argv.index("--resume") + 1] == first.session_id
    said = json.dumps(service.work()[-1].body["messages"])
    assert "Each may have happened" in said
    assert anthropic.SLOW_COMMAND in said
    kept = anthropic.books(service.asked)
    assert kept.requests == 2
    assert view.cost_usd == kept.cost_usd
    figures = [one.figures for one in (first, second)]
    assert sum(one.tokens.output_tokens for one in figures) == kept.output_tokens
    assert [one.cost_source for one in figures] == ["estimated", "reported"]
    assert all(one.cost_is_complete for one in figures), "no call was in flight at the kill"


async def test_resumes_of_one_session_count_each_attempt_once(
    engine: Engine,
    tmp_path: Path,
    claude: Path,
    service: ModelService,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ruling 10: by the services' books, whatever the program adds up over its session."""
    path = write(tmp_path / "w", {"a": agent(claude, service, "auth401mid", home)})
    run = await works.launch(engine, path)
    view = await ended(engine, run)
    spent = [view.cost_usd]
    monkeypatch.setenv(
        "SCRIPTED_KEY", f"{KEY}-2"
    )  # a new value: what was remembered of the old one holds no more
    view = await resumed(engine, run)
    spent.append(view.cost_usd)
    service.instead["auth401mid"] = "tool"
    monkeypatch.setenv("SCRIPTED_KEY", f"{KEY}-3")
    view = await resumed(engine, run)
    assert slot_of(view, "a").attempts[-1].status is AttemptStatus.SUCCEEDED
    assert len({one.session_id for one in slot_of(view, "a").attempts}) == 1
    assert spent[0] <= spent[1] < view.cost_usd, "one that meets the dead sign-in at once makes no call"
    assert view.cost_usd == anthropic.books(service.asked).cost_usd


async def test_a_session_that_is_gone_is_said_and_a_fresh_one_goes_on_from_what_was_saved(
    engine: Engine, data: Path, tmp_path: Path, claude: Path, service: ModelService, home: Path
) -> None:
    folder = tmp_path / "w"
    path = write(folder, {"a": agent(claude, service, "slowtool,plain", home)})
    run = await killed_in_a_call(engine, path, service, folder)
    (home / ".claude" / "projects").rename(home / "elsewhere")
    view = await resumed(engine, run)
    lost = attempt_of(view, "a")
    assert (lost.status, lost.errors[-1].error_class) == (AttemptStatus.FAILED, "invalid")
    assert "No conversation found" in lost.errors[-1].message
    view = await resumed(engine, run, continue_session=False)
    last = attempt_of(view, "a")
    assert last.status is AttemptStatus.SUCCEEDED
    assert last.session_id not in (None, slot_of(view, "a").attempts[0].session_id)
    assert "Each may have happened" in json.dumps(service.work()[-1].body["messages"])


async def test_its_key_stands_in_no_file_of_ours_and_in_no_argv(
    engine: Engine, data: Path, tmp_path: Path, claude: Path, service: ModelService, home: Path
) -> None:
    """Case 140: a canary."""
    path = write(tmp_path / "w", {"a": agent(claude, service, "hang", home)})
    run = await at_work(engine, path, "a")
    service.wait(lambda: len([one for one in service.asked if not one.is_side]) == 1, 60)
    view = await until(engine, run, shows("a", "Running"))
    pids = marked(attempt_of(view, "a").attempt_id)
    assert pids
    assert not [pid for pid in pids if KEY.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert service.work()[0].headers["x-api-key"] == KEY
    await engine.stop_run(run)
    await ended(engine, run)
    files = [one for one in data.rglob("*") if one.is_file()]
    assert files
    assert not [one for one in files if KEY.encode() in one.read_bytes()]


async def test_at_its_cap_it_is_ended_by_the_estimate_of_its_first_message(
    engine: Engine, tmp_path: Path, claude: Path, service: ModelService, home: Path
) -> None:
    """Rulings 12 and 23: it tells its cost only with its result, so the cap acts on tokens and prices."""
    view, attempt = await run_of(
        engine, tmp_path / "w", agent(claude, service, "slowtool", home, budget_usd="0.001")
    )
    assert attempt.status is AttemptStatus.STOPPED
    assert view.cost_usd == anthropic.books(service.asked).cost_usd
    assert view.cost_usd > Decimal("0.001")


async def test_without_prices_in_its_file_the_public_ones_make_its_cap_act(
    engine: Engine, tmp_path: Path, claude: Path, service: ModelService, home: Path
) -> None:
    """The estimate of a killed attempt is what the service served, to the last digit, and is called an estimate."""
    one = agent(claude, service, "slowtool", home, budget_usd="0.001", prices={})
    view, attempt = await run_of(engine, tmp_path / "w", one)
    assert (attempt.status, attempt.reason) == (AttemptStatus.STOPPED, "its spending cap was reached")
    assert view.cost_usd == anthropic.books(service.asked).cost_usd
    assert (view.cost_source, attempt.figures.is_unpriced) == ("estimated", False)
