"""What follows what: dependencies, conditions, outputs handed on, approvals, retries, and how a run ends (rulings 1–6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RequestId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.service import Engine
from tests.engine.works import (
    PYTHON,
    A,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    slot_of,
    to_end,
    until,
    write,
)


async def test_nodes_run_after_what_they_depend_on_and_get_its_output(engine: Engine, tmp_path: Path) -> None:
    work = {"a": shell("printf one"), "b": shell("printf two"), "c": shell("cat")}
    prompt = {"c": {"prompt": "{{ nodes.a.output }}+{{ nodes.b.output }}+{{ nodes.a.status }}"}}
    view = await to_end(engine, write(tmp_path, work, ("a", "c"), ("b", "c"), nodes=prompt))
    assert (view.outcome, view.exit_code) == (Outcome.COMPLETED, 0)
    assert attempt_of(view, "c").output == "one+two+succeeded"


async def test_no_more_agents_run_at_a_time_than_the_file_allows(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    work = {name: shell("sleep 0.05") for name in "abcdef"}
    view = await to_end(engine, write(tmp_path, work, limits={"max_parallel": 2}))
    assert view.outcome is Outcome.COMPLETED
    living = most = 0
    for kind in journal_kinds(data, view.run_id):
        living += {"attempt_claimed": 1, "attempt_ended": -1}.get(kind, 0)
        most = max(most, living)
    assert most == 2


async def test_a_large_output_and_an_artifact_are_handed_on_whole(engine: Engine, tmp_path: Path) -> None:
    large = "say('artifact', name='list', text='x' * 10)\nsay('output', value='y' * 700_000)"
    reads = (
        "context = json.load(open(os.environ['QUARTERDECK_CONTEXT']))\n"
        "node = context['nodes']['a']\n"
        "say('output', value=[len(node['output']), open(node['artifacts']['list']).read()])"
    )
    view = await to_end(engine, write(tmp_path, {"a": python(large), "b": python(reads)}, ("a", "b")))
    assert attempt_of(view, "b").output == [700_000, "x" * 10], displays(view)


@pytest.mark.parametrize(
    ("code", "when", "shown", "outcome"),
    [
        (0, "success", {"a": "Done", "b": "Done"}, Outcome.COMPLETED),
        (0, "failure", {"a": "Done", "b": "Skipped"}, Outcome.COMPLETED),
        (0, "always", {"a": "Done", "b": "Done"}, Outcome.COMPLETED),
        (3, "success", {"a": "Failed", "b": "Not started"}, Outcome.FAILED),
        (3, "failure", {"a": "Failed", "b": "Done"}, Outcome.COMPLETED),
        (3, "always", {"a": "Failed", "b": "Done"}, Outcome.COMPLETED),
    ],
)
async def test_edges_follow_success_failure_or_always(
    engine: Engine, tmp_path: Path, code: int, when: str, shown: dict[str, str], outcome: Outcome
) -> None:
    work = {"a": shell(f"exit {code}"), "b": shell("true")}
    view = await to_end(engine, write(tmp_path, work, ("a", "b", when)))
    found = displays(view)
    if shown["b"] == "Not started":
        assert found.pop("b") in ("Not started", "Waiting")
        shown = {"a": shown["a"]}
    assert (found, view.outcome) == (shown, outcome)
    assert view.exit_code == (1 if outcome is Outcome.FAILED else 0)


async def test_an_expression_decides_by_the_output(engine: Engine, tmp_path: Path) -> None:
    work = {"a": python("say('output', value={'score': 7})"), "b": shell("true"), "c": shell("true")}
    edges = (("a", "b", "output.score > 5"), ("a", "c", "output.score > 9"))
    view = await to_end(engine, write(tmp_path, work, *edges))
    assert displays(view) == {"a": "Done", "b": "Done", "c": "Skipped"}
    assert view.outcome is Outcome.COMPLETED


async def test_an_expression_that_cannot_be_worked_out_fails_the_run_in_words(
    engine: Engine, tmp_path: Path
) -> None:
    work = {"a": python("say('output', value={'score': 7})"), "b": shell("true")}
    view = await to_end(engine, write(tmp_path, work, ("a", "b", "output.sore > 5")))
    assert displays(view) == {"a": "Done", "b": "Failed"}
    assert (view.outcome, view.exit_code) == (Outcome.FAILED, 1)
    assert "sore" in slot_of(view, "b").reason


async def test_an_approval_node_waits_for_its_one_answer(engine: Engine, data: Path, tmp_path: Path) -> None:
    """Ruling 6: a held slot without attempt or process."""
    nodes = {"gate": {"kind": "approval", "question": "Ship {{ nodes.a.output }}?"}}
    path = write(
        tmp_path, {"a": shell("printf it"), "b": shell("true")}, ("a", "gate"), ("gate", "b"), nodes=nodes
    )
    run = await launch(engine, path)
    view = await until(engine, run, shows("gate", "Needs you"))
    (asked,) = slot_of(view, "gate").approvals
    assert asked.question == "Ship it?"
    assert slot_of(view, "gate").attempts == ()
    refused = await engine.answer(run, asked.request_id, "Perhaps")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_REQUEST
    assert await engine.answer(run, asked.request_id, "Approve") is None
    late = await engine.answer(run, asked.request_id, "Reject")
    view = await ended(engine, run)
    assert isinstance(late, Refusal)
    assert late.code in (Code.E_REQUEST, Code.E_ATTEMPT_STATE)
    assert displays(view) == {"a": "Done", "b": "Done", "gate": "Done"}
    assert journal_kinds(data, run).count("approval_answered") == 1


async def test_a_failure_is_retried_as_often_as_the_node_says(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quarterdeck.domain.retry.RetryPolicy.delay_ms", lambda *_, **__: 30)
    tries = f'echo x >> "{tmp_path}/tries"; test "$(wc -l < "{tmp_path}/tries")" -ge 3'
    path = write(tmp_path, {"a": shell(tries)}, nodes={"a": {"retry": {"max_attempts": 3}}})
    view = await to_end(engine, path)
    assert view.outcome is Outcome.COMPLETED
    statuses = [attempt.status.value for attempt in slot_of(view, "a").attempts]
    assert statuses == ["failed", "failed", "succeeded"]
    assert [attempt.epoch for attempt in slot_of(view, "a").attempts] == [1, 2, 3]


async def test_a_failure_that_left_an_effect_open_is_never_retried_by_itself(
    engine: Engine, tmp_path: Path
) -> None:
    """Ruling 4; ruling 13: the effect is unknown afterwards."""
    sends = "say('effect', id='mail', state='sent', kind='mail', target='x')\nsys.exit(1)"
    path = write(tmp_path, {"a": python(sends)}, nodes={"a": {"retry": {"max_attempts": 3}}})
    view = await to_end(engine, path)
    (attempt,) = slot_of(view, "a").attempts
    assert attempt.effects[0].state.value == "unknown"
    assert "effect may have happened" in attempt.reason
    assert (view.outcome, view.exit_code) == (Outcome.FAILED, 1)


async def test_an_error_that_passed_does_not_fail_an_agent_that_ended_well(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 82: the error stands only while no turn came after it, and turns never reach the app one by one."""
    passing = (
        "say('error', **{'class': 'rate_limit', 'message': 'wait'})\nsay('turn')\nsay('output', value=1)"
    )
    standing = "say('turn')\nsay('error', **{'class': 'overloaded', 'message': 'gone'})"
    view = await to_end(engine, write(tmp_path, {"a": python(passing), "b": python(standing)}))
    assert displays(view) == {"a": "Done", "b": "Failed"}


async def test_an_agent_that_runs_too_long_is_ended(engine: Engine, tmp_path: Path) -> None:
    view = await to_end(engine, write(tmp_path, {"a": shell("sleep 60", timeout_s=0.3)}))
    attempt = attempt_of(view, "a")
    assert (attempt.status.value, view.exit_code) == ("failed", 1)
    assert "time limit" in attempt.reason


async def test_an_answer_reaches_the_agent_that_asked_once(engine: Engine, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "a": python(
                "say('approval', id='q', question='Go?', options=['yes', 'no'])\nsay('output', value=[told()['answer'], 1])"
            )
        },
    )
    run = await launch(engine, path)
    view = await until(engine, run, shows("a", "Needs you"))
    (asked,) = slot_of(view, "a").approvals
    wrong = await engine.answer(run, RequestId("q"), "perhaps")
    assert isinstance(wrong, Refusal)
    assert wrong.code is Code.E_REQUEST
    assert await engine.answer(run, asked.request_id, "no") is None
    view = await ended(engine, run)
    assert attempt_of(view, "a").output == ["no", 1]
    stale = await engine.answer(run, asked.request_id, "yes")
    assert isinstance(stale, Refusal)
    assert stale.code is Code.E_REQUEST


async def test_a_program_that_vanished_since_the_launch_is_told_and_the_slot_stays_open(
    engine: Engine, tmp_path: Path
) -> None:
    """SLT17: the cause is named, one failed(spawn) attempt."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\ntrue\n")
    tool.chmod(0o755)
    work = {"a": shell(f"rm '{tool}'"), "b": {"kind": "command", "argv": [str(tool)]}}
    view = await to_end(engine, write(tmp_path, work, ("a", "b")))
    attempt = attempt_of(view, "b")
    assert (slot_of(view, "b").state.value, attempt.status.value) == ("retry_wait", "failed")
    assert str(tool) in attempt.reason
    assert (view.outcome, view.exit_code) == (Outcome.FAILED, 1)


async def test_a_folder_that_an_earlier_agent_should_have_made_is_told(
    engine: Engine, tmp_path: Path
) -> None:
    work = {"a": shell(f"printf {tmp_path}/none"), "b": shell("true", cwd="{{ nodes.a.output }}")}
    view = await to_end(engine, write(tmp_path, work, ("a", "b")))
    assert f"{tmp_path}/none is not there" in slot_of(view, "b").reason


async def test_a_template_that_fails_at_the_claim_is_told_and_hinders_no_sibling(
    engine: Engine, tmp_path: Path
) -> None:
    work = {"a": python("say('output', value={'x': 1})"), "b": shell("cat"), "c": shell("true")}
    path = write(tmp_path, work, ("a", "b"), nodes={"b": {"prompt": "{{ nodes.a.output.missing }}"}})
    view = await to_end(engine, path)
    assert displays(view) == {"a": "Done", "b": "Failed", "c": "Done"}
    assert "missing" in slot_of(view, "b").reason


async def test_a_secret_reaches_its_agent_and_lies_nowhere_on_disk(
    engine: Engine, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "hush-7f3a91c2")
    tell = (
        "import hashlib" + "\nsay('output', value=hashlib.sha256(os.environ['TOKEN'].encode()).hexdigest())"
    )
    agent = python(tell, secrets={"TOKEN": "env:MY_TOKEN"})
    agent["argv"] = [PYTHON, *agent["argv"][3:]]
    view = await to_end(engine, write(tmp_path, {"a": agent}))
    import hashlib

    assert attempt_of(view, "a").output == hashlib.sha256(b"hush-7f3a91c2").hexdigest()
    holders = [path for path in data.rglob("*") if path.is_file() and b"hush-7f3a91c2" in path.read_bytes()]
    assert holders == []


async def test_a_secret_that_is_not_set_starts_nothing(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launch is refused where it is not set; here it is taken away before the claim that needs it."""
    monkeypatch.setenv("MY_TOKEN", "x")
    wait = f"while [ ! -e '{tmp_path}/go' ]; do sleep 0.02; done"
    work = {"a": shell(wait), "b": shell("true", secrets={"TOKEN": "env:MY_TOKEN"})}
    run = await launch(engine, write(tmp_path, work, ("a", "b")))
    await until(engine, run, shows("a", "Running"))
    monkeypatch.delenv("MY_TOKEN")
    (tmp_path / "go").touch()
    view = await ended(engine, run)
    assert "MY_TOKEN" in slot_of(view, "b").reason
    assert attempt_of(view, "b").started_at is None


async def test_a_run_without_anybody_to_wait_for_ends_as_ruling_1_says(
    engine: Engine, tmp_path: Path
) -> None:
    """A person stopped one agent: the run waits for a person, exit 4; nothing behind it starts."""
    path = write(tmp_path, {"a": shell("sleep 60"), "b": shell("true")}, ("a", "b"))
    run = await launch(engine, path)
    await until(engine, run, shows("a", "Running"))
    assert await engine.stop_slot(run, A) is None
    view = await ended(engine, run)
    assert (view.outcome, view.exit_code) == (Outcome.STOPPED, 4)
    assert attempt_of(view, "a").status.value == "stopped"
    assert slot_of(view, "b").attempts == ()
    assert json.dumps(view.reason)
