"""Secrets that agents print, in what the terminal prints: asterisks, as far as the process that prints knows them."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.cli import exits, history, recovering, transcripts
from quarterdeck.cli.console import PacedWriter
from quarterdeck.cli.masking import Masks, named_like_secrets
from quarterdeck.domain.figures import TokenCounts
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.domain.views import ErrorView
from quarterdeck.engine.recovery import Owed
from tests.cli.builders import attempt, ended, run_view, slot
from tests.cli.call import MemorySink, desk
from tests.cli.fake_door import FakeDoor
from tests.cli.real import python, quarterdeck, workflow
from tests.ui import interrupted_made as left

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
    for more in (("--words",), ("--json",), ("a", "--words")):
        calls.append(quarterdeck("logs", run, *more, CKEY=CANARY))
    assert [one.returncode for one in calls[:4]] == [1, 1, 0, 0], "its error stands"
    assert all(one.returncode == 0 for one in calls[4:])
    for one in calls:
        said = (one.stdout + one.stderr).decode()
        at = max(said.find(CANARY), said.find(CANARY_ESCAPED))
        found = said[max(0, at - 200) : at + 60] if at >= 0 else ""
        assert found == "", one.args
    assert "the service did not take ****" in calls[3].stdout.decode(), "the rest of the words stays"
    assert "tok ****" in calls[-1].stdout.decode()
    for raw in ((), ("--raw",)):
        told = quarterdeck("logs", run, "a", *raw, CKEY=CANARY).stdout.decode()
        assert told.count(CANARY) == 1, "what it wrote to stderr, to the byte"
        assert f"raw {CANARY}" in told
        assert CANARY_ESCAPED in told


async def test_show_hides_what_the_engine_knows_also_where_a_text_is_cut(tmp_path: Path) -> None:
    long = "x" * 395 + CANARY
    tried = attempt(errors=(ErrorView("other", f"not {CANARY}"),), output=long, has_output=True)
    view = ended(run_view(slot("lint", "Done", tried)), Outcome.FAILED, 1, reason=f"why {CANARY}")
    for as_json in (False, True):
        door = _knows(FakeDoor(view))
        told = desk(door, as_json=as_json)
        assert await history.show(told.call, "r-1") == exits.DONE
        assert CANARY[:4] not in told.out.text
        assert "not ****" in told.out.text


def _knows(door: FakeDoor) -> FakeDoor:
    async def known(run: str) -> frozenset[str]:
        return frozenset({CANARY})

    door.recovery.known_secrets = known  # type: ignore[method-assign]
    return door


@pytest.mark.parametrize("in_words", [None, True])
@pytest.mark.parametrize("follow", [False, True])
async def test_logs_hide_a_secret_also_where_it_lies_in_two_pieces(
    monkeypatch: pytest.MonkeyPatch, in_words: bool | None, follow: bool
) -> None:
    """AUT2: pieces of every size, on a terminal, and in words into a pipe; nothing else is lost or held back."""
    view = ended(run_view(slot("lint", "Done", attempt(status=AttemptStatus.SUCCEEDED))))
    door = _knows(FakeDoor(view))
    whole = f"one {CANARY} two {CANARY_ESCAPED} kJ8w {CANARY}{CANARY} end {CANARY[:7]}"
    door.transcripts[AttemptId("a-" + "1" * 32)] = whole.encode()
    for size in (1, 2, 3, 7, len(CANARY), 1000):
        monkeypatch.setattr(transcripts, "CHUNK_BYTES", size)
        told = desk(door, is_terminal=in_words is None)
        assert await transcripts.logs(told.call, "r-1", "lint", follow, in_words=in_words) == exits.DONE
        assert told.out.text == whole.replace(CANARY, "*" * len(CANARY)).replace(
            CANARY_ESCAPED, "*" * len(CANARY_ESCAPED)
        )
    told = desk(door, is_terminal=True)
    await transcripts.logs(told.call, "r-1", "lint", follow, in_words=False)
    assert told.out.text == whole, "--raw"


async def test_logs_as_json_hide_also_the_rest_of_a_secret_at_the_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    door = _knows(FakeDoor(ended(run_view(slot("lint", "Done", attempt(status=AttemptStatus.SUCCEEDED))))))
    door.transcripts[AttemptId("a-" + "1" * 32)] = f"before {CANARY} behind {CANARY[:8]}".encode()
    monkeypatch.setattr(transcripts, "TEXT_BYTES_MAX", len(f"{CANARY[4:]} behind {CANARY[:8]}".encode()))
    told = desk(door, as_json=True)
    await transcripts.logs(told.call, "r-1", None, follow=False)
    assert told.document()["attempts"][0]["text"] == "*" * len(CANARY[4:]) + " behind ********"


def test_what_is_left_of_a_secret_where_a_text_was_cut_is_hidden_down_to_what_could_be_any_text() -> None:
    masks = Masks()
    masks.add(["pässword-123456"])
    assert masks.cut_text("\ufffdssword-123456 x pässwo…") == "\ufffd************* x ******…"
    assert masks.cut_text("23456 x pässw") == "23456 x pässw", "five characters may be anything"
    assert [masks.cut_text(one) for one in ("", " …\n", "a")] == ["", " …\n", "a"]


@pytest.mark.parametrize("as_json", [False, True])
async def test_recover_hides_what_agents_told_and_printed_last(as_json: bool) -> None:
    """AUT2: the last lines are cut to a length, perhaps within a secret."""
    known = f"error: not {CANARY}"
    agents = (
        left.agent("a", "Drafter", last_line=f"said {CANARY}", last_known=known),
        left.agent("b", "Cut", last_line=f"said {CANARY[:8]}…"),
    )
    door = _knows(FakeDoor())

    async def owed() -> Owed:
        return Owed((left.run(left.FIRST, 0, 60, agents),))

    door.recovery.owed = owed  # type: ignore[attr-defined]
    told = desk(door, as_json=as_json)
    assert await recovering.recover(told.call, with_evidence=False) == exits.DONE
    assert CANARY[:8] not in told.out.text
    assert "said ********…" in told.out.text
    assert f"error: not {'*' * len(CANARY)}" in told.out.text


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
