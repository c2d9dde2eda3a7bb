"""What the keeper of an agent does with answers and messages of a person: each is for what the agent asks now, or for nothing."""

from __future__ import annotations

from tests.shim.harness import Dock

TOLD = "def told(): return json.loads(sys.stdin.readline())\n"


def test_an_answer_to_a_question_that_was_replaced_meanwhile_is_not_given(dock: Dock) -> None:
    """Case 122: the app answered the older question while the newer one was on its way to it."""
    source = TOLD + (
        "say('approval', id='q', question='ls', options=['Allow once'])\n"
        "say('approval', id='q', question='rm -rf /', options=['Allow once', 'Deny'])\n"
        "say('output', value=told())\n"
    )
    running = dock.lines(source)
    running.wait_message(lambda m: m.get("fact", {}).get("question") == "rm -rf /")
    older, newer = running.facts("approval")
    running.say(do="answer", id="q", answer="Allow once", asked_seq=older["seq"])
    stale = running.wait_fact("approval_answered")
    assert (stale["delivered"], stale["asked_seq"]) == (False, older["seq"])
    running.say(do="answer", id="q", answer="Deny", asked_seq=newer["seq"])
    running.wait_end()
    assert running.of_kind("output")[0]["value"]["answer"] == "Deny"
    assert [one["delivered"] for one in running.of_kind("approval_answered")] == [False, True]


def test_a_message_reaches_an_agent_that_takes_them_and_its_place_is_told(dock: Dock) -> None:
    source = TOLD + (
        "print('before', flush=True)\nsay('session', id='s', resumable=False, messages=True)\n"
        "say('output', value=told())\n"
    )
    running = dock.lines(source)
    running.wait_fact("session")
    running.say(do="say", id="m-1", text="Look into ü too.")
    running.wait_end()
    assert running.of_kind("output")[0]["value"] == {"type": "message", "text": "Look into ü too."}
    (said,) = running.of_kind("said")
    assert (said["id"], said["delivered"]) == ("m-1", True)
    assert said["at_byte"] >= len(b"before\n")


def test_an_agent_that_takes_no_messages_is_told_nothing_and_that_is_said(dock: Dock) -> None:
    source = TOLD + (
        "say('session', id='s', resumable=False)\n"
        "say('approval', id='q', question='Go?', options=['yes'])\nsay('output', value=told())\n"
    )
    running = dock.lines(source)
    running.wait_fact("approval")
    running.say(do="say", id="m-1", text="Anything")
    assert running.wait_fact("said")["delivered"] is False
    running.say(do="answer", id="q", answer="yes")
    running.wait_end()
    assert running.of_kind("output")[0]["value"] == {"type": "approval", "id": "q", "answer": "yes"}
