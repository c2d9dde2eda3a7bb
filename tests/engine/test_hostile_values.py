"""Values that JSON libraries disagree about: what an agent says arrives as it was said, live, restored and at the next agent."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.service import Engine
from quarterdeck.shim.exit_file import CRASH_FILE
from quarterdeck.store.lines import frame, unframe
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.test_survivors import shim_of
from tests.engine.works import (
    FOREVER,
    attempt_of,
    displays,
    ended,
    launch,
    python,
    slot_of,
    to_end,
    until,
    write,
)

HALF = "\\ud800x"
"""Half of a surrogate pair, as Python lists a file whose name is no UTF-8."""
FACTS = {
    "output": f"say('output', value={{'a': '{HALF}', 'n': 2**64, 'm': -2**200, 'f': 0.1}})",
    "session": f"say('session', id='s{HALF}', resumable=True)",
    "effect": f"say('effect', id='e{HALF}', state='confirmed', kind='push', target='{HALF}', detail='{HALF}')",
    "artifact": f"say('artifact', name='n{HALF}', text='{HALF}')",
    "checkpoint": f"say('checkpoint', step='c{HALF}', data=[2**64, '{HALF}'])",
    "note": f"say('note', kind='decision', text='{HALF}')",
    "progress": f"say('progress', done=1, total=10**400, label='{HALF}')",
    "text": f"say('text', text='{HALF}')",
    "error": f"say('error', **{{'class': 'other'}}, message='{HALF}', resets_at=10**400, retry_after_s=10**400); sys.exit(3)",
    "usage": f"say('usage', input_tokens=1, cost_usd='0.5', model='{HALF}', message_id='{HALF}')",
}


@pytest.mark.parametrize("kind", FACTS)
async def test_no_value_of_an_agent_is_taken_for_a_fault_of_its_keeper(
    engine: Engine, tmp_path: Path, kind: str
) -> None:
    """A working agent is never ended for what it says (rulings 7, 22)."""
    view = await to_end(engine, write(tmp_path, {"a": python(FACTS[kind])}))
    attempt = attempt_of(view, "a")
    expected = (Outcome.FAILED, 3) if kind == "error" else (Outcome.COMPLETED, 0)
    assert (view.outcome, attempt.exit_code) == expected, slot_of(view, "a").reason
    json.dumps(run_to_json(view, with_slots=True))


async def test_whole_numbers_of_any_size_reach_the_next_agent_and_the_record_as_they_were_said(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    said = {"a": 2**64, "b": [-(2**63) - 1, 10**400]}
    agents = {
        "a": python(f"say('output', value={said!r})"),
        "b": python(
            "asked = json.load(open(os.environ['QUARTERDECK_CONTEXT']))\n"
            "say('output', value=[asked['prompt'], asked['nodes']['a']['output']])"
        ),
    }
    nodes = {"b": {"prompt": "{{ nodes.a.output }}"}}
    view = await to_end(engine, write(tmp_path, agents, ("a", "b"), nodes=nodes))
    assert displays(view) == {"a": "Done", "b": "Done"}
    assert attempt_of(view, "a").output == said
    prompt, handed_on = attempt_of(view, "b").output
    assert json.loads(prompt) == said
    assert handed_on == said
    again = await engine.run(view.run_id)
    assert again is not None
    assert attempt_of(again, "a").output == said
    record = json.loads((data / "runs" / view.run_id / "record.json").read_bytes())
    assert "1.8446744073709552e" not in json.dumps(record)


async def test_an_output_that_cannot_be_read_fails_its_agent_and_the_next_is_not_begun(
    engine: Engine, tmp_path: Path
) -> None:
    """A15 row 8: a good exit without its result is no success."""
    lost = python("""print('{"type":"output","value":{"a":Infinity}}', flush=True)""")
    view = await to_end(engine, write(tmp_path, {"a": lost, "b": python("")}, ("a", "b")))
    assert view.outcome is Outcome.FAILED
    assert displays(view) == {"a": "Failed", "b": "Not started"}
    assert any("its JSON cannot be read whole" in error.message for error in attempt_of(view, "a").errors)


async def test_an_agent_whose_keeper_failed_says_so_and_where_the_reason_lies(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """A fault of ours is told as ours: never as a process of which no trace was found."""
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    view = await until(engine, run, lambda view: any(one.session_id for one in slot_of(view, "a").attempts))
    attempt = attempt_of(view, "a")
    (data / "runs" / run / "attempts" / attempt.attempt_id / CRASH_FILE).write_text("OverflowError")
    os.kill(shim_of(data, run), signal.SIGKILL)
    view = await ended(engine, run)
    assert "its keeper met a fault of its own, told in shim-error.txt" in slot_of(view, "a").reason


async def test_questions_whose_names_are_no_utf8_are_answered_one_by_one_and_settle_as_they_were_live(
    engine: Engine, tmp_path: Path
) -> None:
    """CON5, ID4: two that differ in such a character alone are two, in the journal as well."""
    asks = (
        r"names = ['caf\udce9', 'caf\udce8']" + "\n"
        "for name in names: say('approval', id=name, question='Go?', options=['yes', 'no'])\n"
        "got = sorted((told()['id'], 1) for _ in names)\n"
        "say('output', value=got == sorted((n, 1) for n in names))"
    )
    run = await launch(engine, write(tmp_path, {"a": python(asks)}))
    view = await until(engine, run, lambda view: len(slot_of(view, "a").approvals) == 2)
    for question in slot_of(view, "a").approvals:
        assert await engine.answer(run, question.request_id, "yes") is None
    view = await ended(engine, run)
    assert view.outcome is Outcome.COMPLETED, slot_of(view, "a").reason
    assert attempt_of(view, "a").output is True
    assert len({answer.request_id for answer in slot_of(view, "a").answers}) == 2


async def test_a_journal_that_contradicts_itself_is_named_and_never_as_if_there_were_no_run(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """JNL6: whole lines that cannot follow one another are a fault of ours or of the disk; the person is told either way."""
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
    journal = data / "runs" / life.run / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    claimed = next(unframe(line) for line in lines if b'"attempt_claimed"' in line)
    journal.write_bytes(b"".join(lines) + frame({**claimed, "seq": unframe(lines[-1])["seq"] + 1}))
    engine = await open_engine(read_only=True)
    told = {one.run: one.why for one in await engine.keeping.unreadable()}
    assert "cannot be followed" in told[life.run]
    refused = await engine.find_run(life.run)
    assert isinstance(refused, Refusal)
    assert "cannot be read" in refused.message
