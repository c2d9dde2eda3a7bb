"""Codex: what its recorded runs come to (EFF1, EFF2, AUT6, cases 71, 82, 83), and how it is started."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.agents.codex_errors import failed_call
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch
from quarterdeck.agents.registry import adapter_for, launch_of, program_name
from quarterdeck.agents.sign_ins import credential_variable
from quarterdeck.domain.reports_fold import baseline_of
from quarterdeck.domain.workflow import AgentSpec
from tests.agents.replays import VALUES, adapter_of, feed, fold_of, of_kind, recording, reports_of

SESSION = "01a22901-7f1a-7703-bada-1ca7dae49a53"


def _launch(session: str | None = None, extra: tuple[str, ...] = (), **fields: Any) -> Launch:
    spec = AgentSpec(name="writer", kind="codex", argv=("codex", *extra) if extra else (), **fields)
    argv = ("/bin/codex", *extra) if extra else ()
    return launch_of(Ask(spec, argv, "/bin/codex", "Do it.", "/home/ada", session, "0123456789abcdef"))


@pytest.mark.parametrize("scenario", ["plain", "tool", "write", "quoted", "resume_after_kill"])
def test_a_complete_turn_gives_its_last_words_and_what_it_was_booked(scenario: str) -> None:
    """Tokens as the service counts them, to the last digit; what they cost is not told."""
    recorded = recording("codex", scenario)
    fold = fold_of(reports_of(recorded))
    tokens = fold.totals().tokens
    assert fold.has_output
    assert fold.standing_error is None
    assert (fold.turns, fold.totals().cost_usd) == (1, None)
    assert tokens.input_tokens + tokens.cache_read_tokens == recorded.owed("asked")
    assert (tokens.cache_read_tokens, tokens.output_tokens) == (
        recorded.owed("cached"),
        recorded.owed("given"),
    )


def test_a_thread_that_goes_on_counts_only_what_is_new() -> None:
    """Case 83: its totals run on over resumes."""
    before, after = recording("codex", "resume_after_kill"), recording("codex", "resume_finished")
    first = fold_of(reports_of(before))
    second = fold_of(reports_of(after, mark="two"), baseline_of([first]))
    assert first.session_id == second.session_id
    assert second.totals().tokens.output_tokens == after.owed("given")
    assert second.totals().tokens.cache_read_tokens == after.owed("cached")


def test_a_command_cut_off_by_a_kill_stays_open_and_its_money_is_not_known() -> None:
    """EFF2, ruling 11."""
    fold = fold_of(reports_of(recording("codex", "kill_midtool")), code=None)
    (effect,) = fold.effects.values()
    assert (effect.state, effect.type) == ("sent", "command")
    assert "sleep 300" in effect.target
    assert fold.resumable
    assert fold.call_in_flight
    assert not fold.totals().cost_is_complete


def test_calls_of_two_attempts_are_two_effects_though_codex_counts_them_anew() -> None:
    """EFF4: an effect is one of its slot."""
    recorded = recording("codex", "kill_midtool")
    ids = {of_kind(reports_of(recorded, mark=mark), "effect")[0]["id"] for mark in ("one", "two")}
    assert len(ids) == 2


def test_a_written_file_is_an_artifact_by_its_path_inside_the_folder() -> None:
    reports = reports_of(recording("codex", "write"))
    (artifact,) = of_kind(reports, "artifact")
    assert artifact["name"] == "written.txt"
    assert artifact["source"] == {"path": "/home/ada/project/written.txt"}
    assert [effect["state"] for effect in of_kind(reports, "effect")] == ["sent", "confirmed"]


@pytest.mark.parametrize("scenario", ["auth401", "nokey", "rate429", "drop", "hang", "bad400"])
def test_nothing_before_the_first_answer_is_a_sign_of_life(scenario: str) -> None:
    """Ruling 27: `turn.started` is printed before the model was asked. Case 71: nor is the thread worth going on with."""
    reports = reports_of(recording("codex", scenario))
    assert {report["kind"] for report in reports} <= {"session", "error"}
    assert not any(report["resumable"] for report in of_kind(reports, "session"))


def test_a_limit_is_told_at_once_and_stands_no_more_once_it_was_passed() -> None:
    """Codex waits as long as the service says, in silence."""
    adapter = adapter_of("codex")
    wait = "Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"
    begun = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    told = feed(adapter, *begun, _item("agent_message", text="I begin."), {"type": "error", "message": wait})
    assert (told[-1]["class"], told[-1]["passing"]) == ("rate_limit", True)
    again = feed(adapter, {"type": "error", "message": wait}, _item("agent_message", text="Done."))
    rest = [*again, *feed(adapter, {"type": "turn.completed", "usage": {}}), *adapter.finish()]
    assert of_kind(rest, "error") == []
    fold = fold_of([*told, *rest])
    assert fold.standing_error is None
    assert fold.output == "Done."


def test_an_error_that_was_followed_by_work_says_nothing_of_the_sign_in() -> None:
    """AUT6: whoever printed it, Codex went on."""
    adapter = adapter_of("codex")
    said = "unexpected status 401 Unauthorized: no, url: https://api"
    lines = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    lines += [{"type": "error", "message": said}, {"type": "turn.failed", "error": {"message": said}}]
    lines += [_item("agent_message", text="All is well."), {"type": "turn.completed", "usage": {}}]
    lines += [{"type": "turn.failed", "error": {"message": said}}]
    assert of_kind([*feed(adapter, *lines), *adapter.finish()], "error") == []


def _item(kind: str, event: str = "item.completed", **fields: Any) -> dict[str, Any]:
    return {"type": event, "item": {"id": "item_1", "type": kind, **fields}}


ITEMS = [
    (
        _item("mcp_tool_call", server="docs", tool="search", status="completed"),
        ("confirmed", "tool", "docs/search"),
    ),
    (_item("web_search", "item.started", query="quays"), ("sent", "web search", "quays")),
    (_item("command_execution", command="rm x", status="declined"), ("refused", "command", "rm x")),
    (
        _item("command_execution", command="false", status="failed", exit_code=1),
        ("confirmed", "command", "false"),
    ),
    (_item("collab_tool_call", "item.started", tool="spawn_agent"), ("sent", "agent", "spawn_agent")),
]


@pytest.mark.parametrize(("line", "told"), ITEMS, ids=lambda v: str(v)[:40])
def test_every_kind_of_call_is_an_effect(line: dict[str, Any], told: tuple[str, str, str]) -> None:
    (effect,) = of_kind(feed(adapter_of("codex"), line), "effect")
    assert (effect["state"], effect["type"], effect["target"]) == told


@pytest.mark.parametrize("code", [137, 0])
def test_a_command_that_ends_while_codex_is_being_ended_stays_open(code: int) -> None:
    """EFF2, ruling 13: what we killed is no answer."""
    adapter = adapter_of("codex")
    told = feed(adapter, _item("command_execution", "item.started", command="push"))
    adapter.cancel()
    told += feed(
        adapter,
        _item("command_execution", command="push", status="failed", exit_code=code),
        _item("file_change", id="item_2", changes=[{"path": "a", "kind": "add"}], status="completed"),
    )
    assert [effect.state for effect in fold_of(told, code=None).effects.values()] == ["sent", "sent"]
    assert of_kind(told, "artifact") == []


def test_a_plan_is_progress_and_a_warning_is_only_text() -> None:
    steps = [{"text": "read", "completed": True}, {"text": "write", "completed": False}]
    adapter = adapter_of("codex")
    told = feed(adapter, _item("error", message="Model metadata not found"), _item("todo_list", items=steps))
    assert of_kind(told, "progress") == [{"kind": "progress", "done": 1, "total": 2, "label": "write"}]
    assert of_kind(told, "error") == []
    assert "Model metadata" in adapter.tail()


MESSAGES = {
    "You've hit your usage limit. Upgrade to Plus, or try again at Dec 1st, 2026 9:00 AM.": ("usage_limit", "Dec 1st, 2026 9:00 AM"),
    "You've hit your usage limit.": ("usage_limit", None),
    "To use Codex with your ChatGPT plan, upgrade to Plus: https://x": ("usage_limit", None),
    "We're currently experiencing high demand, which may cause temporary errors.": ("overloaded", None),
    "Your access token could not be refreshed because it has expired. Please sign in again.": ("auth", None),
    "Codex ran out of room in the model's context window. Start a new thread.": ("invalid", None),
    "unexpected status 400 Bad Request: status 401 Unauthorized, url: http://x": ("invalid", None),
    "I was told: unexpected status 401 Unauthorized": ("other", None),
    '{"error": {"message": "status 401", "type": "invalid_request_error", "code": null}}': ("invalid", None),
    '{"error": "no object"}': ("invalid", None),
    "": ("other", None),
}  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES)
def test_only_the_beginning_of_a_message_counts(message: str) -> None:
    """AUT6: what stands behind it may be anybody's words."""
    call = failed_call(message)
    assert (call.error_class, call.resets_at) == MESSAGES[message]


def test_half_of_a_pair_becomes_words_that_can_be_written() -> None:
    adapter = adapter_of("codex")
    told = [
        *feed(
            adapter,
            *[
                {"type": "thread.started", "thread_id": "\ud83d"},
                _item("agent_message", text="\ud83d"),
                {"type": "error", "message": "\ud83d"},
            ],
        ),
        *adapter.finish(),
    ]
    assert len(told) >= 3
    for report in told:
        assert json.dumps(report, ensure_ascii=False).encode("utf-8")


KINDS = [
    "thread.started", "turn.started", "item.started", "item.updated", "item.completed", "turn.completed", "turn.failed", "error",
]  # fmt: skip
FIELDS = ["thread_id", "item", "usage", "error", "message"]
PARTS = [
    "id",
    "status",
    "command",
    "changes",
    "items",
    "text",
    "exit_code",
    "message",
    "input_tokens",
    "server",
]
TYPES = [
    "command_execution",
    "file_change",
    "agent_message",
    "todo_list",
    "mcp_tool_call",
    "error",
    "new_kind",
]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(KINDS) | VALUES},
            optional={
                name: VALUES
                | st.fixed_dictionaries(
                    {"type": st.sampled_from(TYPES)}, optional=dict.fromkeys(PARTS, VALUES)
                )
                for name in FIELDS
            },
        ),
        max_size=6,
    )
)
def test_whatever_stands_in_the_fields_reports_can_be_written(lines: list[Any]) -> None:
    """Unknown kinds and wrong types are kept in the transcript and ignored."""
    adapter = adapter_of("codex")
    for report in [*feed(adapter, *lines), *adapter.finish()]:
        assert isinstance(json.dumps(report).encode("ascii"), bytes)
        fold_of([report])


# ------------------------------------------------------------------------------------------- how it is started


def test_unattended_it_reads_its_prompt_from_stdin_and_asks_nobody() -> None:
    launch = _launch(model="gpt-x")
    assert launch.argv[:4] == ("/bin/codex", "exec", "--json", "--skip-git-repo-check")
    assert launch.argv[-2:] == ("--", "-")
    assert {"--model=gpt-x", 'sandbox_mode="workspace-write"'} <= set(launch.argv)
    assert (launch.protocol, launch.stdin, launch.is_practice) == ("codex", "prompt", False)
    assert "Do it." not in launch.argv


def test_no_update_is_looked_for_and_nothing_is_sent() -> None:
    assert {"check_for_update_on_startup=false", "analytics.enabled=false"} <= set(_launch().argv)


def test_a_session_is_continued_by_its_own_id_whatever_it_looks_like() -> None:
    """Never the latest of the folder; what a program calls its session is never read as a switch."""
    launch = _launch(SESSION)
    assert launch.argv[1:3] == ("exec", "resume")
    assert launch.argv[-3:] == ("--", SESSION, "-")
    assert _launch("--last").argv[-3:] == ("--", "--last", "-")
    assert "resume" not in _launch().argv


@pytest.mark.parametrize(
    ("permissions", "mode"), [("read-only", "read-only"), ("full", "danger-full-access")]
)
def test_permissions_choose_the_sandbox(permissions: str, mode: str) -> None:
    assert f'sandbox_mode="{mode}"' in _launch(permissions=permissions).argv


def test_more_of_the_command_stands_before_the_session() -> None:
    launch = _launch(SESSION, ("--profile", "night"))
    at = launch.argv.index("--profile")
    assert launch.argv[at : at + 2] == ("--profile", "night")
    assert at < launch.argv.index("--")


def test_permissions_that_it_does_not_have_are_refused_in_words() -> None:
    with pytest.raises(CannotLaunch, match="“read-only”, “full”, “ask”, “edits”"):
        _launch(permissions="sometimes")


@pytest.mark.parametrize(("permissions", "mode"), [("ask", "read-only"), ("edits", "workspace-write")])
def test_where_a_person_approves_codex_acp_is_launched_in_a_mode_that_asks(
    permissions: str, mode: str
) -> None:
    spec = AgentSpec(name="writer", kind="codex", permissions=permissions)
    launch = launch_of(Ask(spec, (), "/bin/codex-acp", "Do it.", "/home/ada", SESSION, "0123"))
    assert program_name(spec) == "codex-acp"
    assert (launch.argv, launch.protocol, launch.stdin) == (("/bin/codex-acp",), "acp", "open")
    assert (launch.wire["mode"], launch.wire["session"], launch.wire["prompt"]) == (mode, SESSION, "Do it.")
    assert b'"initialize"' in adapter_for("codex", launch.protocol, launch.wire).begin()


@pytest.mark.parametrize(
    ("asked", "variable"),
    [
        (Ask(AgentSpec("a", "codex", permissions="ask"), key_variable="CODEX_API_KEY"), "CODEX_API_KEY"),
        (Ask(AgentSpec("a", "codex", permissions="edits"), key_variable="OPENAI_API_KEY"), "OPENAI_API_KEY"),
        (Ask(AgentSpec("a", "codex", permissions="ask", secrets=(("CODEX_API_KEY", "work"),))), "CODEX_API_KEY"),
        (Ask(AgentSpec("a", "codex", permissions="ask", pass_env=("CODEX_API_KEY",))), "CODEX_API_KEY"),
        (Ask(AgentSpec("a", "codex", permissions="ask", pass_env=("OPENAI_API_KEY",))), None),
        (Ask(AgentSpec("a", "codex", permissions="ask"), key_variable="OTHER_KEY"), None),
        (Ask(AgentSpec("a", "codex", permissions="ask")), None),
    ],
)  # fmt: skip
def test_codex_acp_uses_a_key_that_is_handed_over_without_signing_in(
    asked: Ask, variable: str | None
) -> None:
    """Its own way to sign in writes the key into the person's `auth.json`. A variable that others use as well is left alone."""
    told = launch_of(asked).env.get("CODEX_CONFIG")
    assert (told is None) == (variable is None)
    if told is not None:
        config = json.loads(told)
        service = config["model_providers"][config["model_provider"]]
        assert (service["base_url"], service["env_key"]) == ("https://api.openai.com/v1", variable)


def test_an_endpoint_is_handed_over_as_a_service_of_its_own() -> None:
    """OPENAI_BASE_URL it does not read: the key went to OpenAI's own service."""
    there = {"key_variable": "MINE", "endpoint": "https://gateway.example/v1"}
    exec_ = launch_of(Ask(AgentSpec("a", "codex"), **there))
    told = [exec_.argv[at + 1] for at, word in enumerate(exec_.argv) if word == "-c"]
    assert 'model_provider="quarterdeck"' in told
    assert 'model_providers.quarterdeck.base_url="https://gateway.example/v1"' in told
    assert 'model_providers.quarterdeck.env_key="MINE"' in told
    asking = launch_of(Ask(AgentSpec("a", "codex", permissions="ask"), **there))
    service = json.loads(asking.env["CODEX_CONFIG"])["model_providers"]["quarterdeck"]
    assert (service["base_url"], service["env_key"]) == ("https://gateway.example/v1", "MINE")


@pytest.mark.parametrize("permissions", [None, "ask"])
def test_without_a_key_it_is_led_nowhere(permissions: str | None) -> None:
    with pytest.raises(CannotLaunch, match="only with a key"):
        launch_of(
            Ask(AgentSpec("a", "codex", permissions=permissions), endpoint="https://gateway.example/v1")
        )


def test_its_program_and_its_key_have_names() -> None:
    assert program_name(AgentSpec(name="a", kind="codex")) == "codex"
    assert program_name(AgentSpec(name="a", kind="codex", argv=("/opt/codex",))) == "/opt/codex"
    assert credential_variable("codex") == "CODEX_API_KEY"
