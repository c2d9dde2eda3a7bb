"""Values that JSON libraries disagree about: what an agent says arrives as it was said, live, restored and at the next agent."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.service import Engine
from quarterdeck.shim.exit_file import CRASH_FILE
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
