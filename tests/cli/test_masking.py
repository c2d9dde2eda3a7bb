"""Secrets that agents print, in what the terminal prints: asterisks, as far as the process that prints knows them."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.cli import exits, history
from quarterdeck.cli.console import PacedWriter
from quarterdeck.cli.masking import Masks, named_like_secrets
from quarterdeck.domain.figures import TokenCounts
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import ErrorView
from tests.cli.builders import attempt, ended, run_view, slot
from tests.cli.call import MemorySink, desk
from tests.cli.fake_door import FakeDoor
from tests.cli.real import python, quarterdeck, workflow

CANARY = "kJ8w-canary-ü-q2Z"
CANARY_ESCAPED = json.dumps(CANARY)[1:-1]
LEAKS = """
import json, os, sys
def say(**line): print(json.dumps(line), flush=True)
tok = os.environ["TOK"]
say(type="session", id="s-" + tok, resumable=False)
say(type="text", text="tok " + tok)
say(type="progress", done=1, total=2, label="with " + tok)
say(type="effect", id="e1", state="confirmed", kind="post", target="https://x/?key=" + tok)
say(type="error", **{"class": "other"}, message="the service did not take " + tok)
print("raw " + tok, file=sys.stderr, flush=True)
say(type="output", value={"got": [tok]})
"""


def test_what_a_run_tells_of_a_secret_is_hidden_wherever_the_terminal_prints_it(tmp_path: Path) -> None:
    """AUT2, design §6: the run itself, then another process in whose environment the variable is set."""
    path = workflow(tmp_path, a=python(LEAKS, secrets={"TOK": "env:CKEY"}))
    calls = [quarterdeck("run", path, "--json", "--events", CKEY=CANARY)]
    calls.append(quarterdeck("run", path, CKEY=CANARY))
    listed = quarterdeck("runs", CKEY=CANARY).stdout.decode().split()
    run = next(word for word in listed if word.startswith("r-"))
    for verb in (("show", run), ("show", run, "--json"), ("status", tmp_path), ("runs",), ("runs", "--json")):
        calls.append(quarterdeck(*verb, CKEY=CANARY))
    assert [one.returncode for one in calls[:4]] == [1, 1, 0, 0], "its error stands"
    assert all(one.returncode == 0 for one in calls[4:])
    for one in calls:
        said = (one.stdout + one.stderr).decode()
        at = max(said.find(CANARY), said.find(CANARY_ESCAPED))
        found = said[max(0, at - 200) : at + 60] if at >= 0 else ""
        assert found == "", one.args
    assert "the service did not take ****" in calls[3].stdout.decode(), "the rest of the words stays"


async def test_show_hides_what_the_engine_knows_also_where_a_text_is_cut(tmp_path: Path) -> None:
    long = "x" * 395 + CANARY
    tried = attempt(errors=(ErrorView("other", f"not {CANARY}"),), output=long, has_output=True)
    view = ended(run_view(slot("lint", "Done", tried)), Outcome.FAILED, 1, reason=f"why {CANARY}")
    for as_json in (False, True):
        door = FakeDoor(view)

        async def known(run: str) -> frozenset[str]:
            return frozenset({CANARY})

        door.recovery.known_secrets = known  # type: ignore[method-assign]
        told = desk(door, as_json=as_json)
        assert await history.show(told.call, "r-1") == exits.DONE
        assert CANARY[:4] not in told.out.text
        assert "not ****" in told.out.text


async def test_live_lines_hide_what_this_process_gave_since() -> None:
    sink, masks = MemorySink(), Masks()
    given: set[str] = set()
    masks.live = lambda: given
    writer = PacedWriter(sink, masks)
    writer.offer("before\n")
    given.add("s3cr\x1bet")
    writer.offer("it said s3cr\\x1bet and s3cr\x1bet\n")
    await writer.drained(10)
    writer.close()
    assert sink.text == "before\nit said ********** and *******\n"


def test_only_texts_change_in_a_view() -> None:
    masks = Masks()
    view = run_view(slot("lint", "Done", attempt(output={"a": [1, Decimal(2), "abcdef", None]})))
    assert masks.value(view) is view
    masks.add(["abcdef", "12345", ""])
    assert masks.value(view) == replace(
        view,
        slots=(slot("lint", "Done", attempt(output={"a": [1, Decimal(2), "******", None]})),),
    )
    assert masks.value(TokenCounts()) == TokenCounts()


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("GITHUB_TOKEN", True), ("MY_API_KEY", True), ("DB_PASSWORD", True), ("PATH", False), ("CKEY", False)],
)
def test_variables_that_are_named_like_a_secret_are_known(name: str, is_one: bool) -> None:
    assert named_like_secrets({name: CANARY, "X_CREDENTIALS": "/home/ada/key.json"}) == (
        {CANARY} if is_one else set()
    )
