"""OpenCode: what its recorded runs come to (EFF1, EFF2, AUT6, cases 71, 82, 85), and how it is started."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.agents.launching import Ask, CannotLaunch, Launch
from quarterdeck.agents.opencode import OPEN_STEP
from quarterdeck.agents.registry import adapter_for, launch_of, program_name
from quarterdeck.domain.reports_fold import baseline_of
from quarterdeck.domain.workflow import AgentSpec
from tests.agents.replays import VALUES, Recording, adapter_of, feed, fold_of, of_kind, recording, reports_of

SESSION = "ses_dd6f61175ffe4M7kUEhwzcr6Cg"
WELL = ["plain", "tool", "write", "quoted", "resume_after_kill", "resume_finished"]


def _launch(session: str | None = None, extra: tuple[str, ...] = (), **fields: Any) -> Launch:
    spec = AgentSpec(name="writer", kind="opencode", argv=("opencode", *extra) if extra else (), **fields)
    argv = ("/bin/opencode", *extra) if extra else ()
    return launch_of(Ask(spec, argv, "/bin/opencode", "Do it.", "/home/ada", session, "0123456789abcdef"))


@pytest.mark.parametrize("permissions", [None, "ask"])
@pytest.mark.parametrize(
    ("provider", "endpoint", "base"),
    [
        ("openai", "https://x.example/v1", "https://x.example/v1"),
        ("anthropic", "https://x.example", "https://x.example/v1"),
        ("anthropic", "https://x.example/v1/", "https://x.example/v1"),
        ("google", "https://x.example", "https://x.example/v1beta"),
    ],
)
def test_an_endpoint_is_told_to_the_provider_that_the_key_is_for(
    permissions: str | None, provider: str, endpoint: str, base: str
) -> None:
    spec = AgentSpec("writer", "opencode", permissions=permissions)
    launch = launch_of(Ask(spec, (), "/bin/opencode", provider=provider, endpoint=endpoint))
    config = json.loads(launch.env["OPENCODE_CONFIG_CONTENT"])
    assert config["provider"] == {provider: {"options": {"baseURL": base}}}
    with pytest.raises(CannotLaunch, match="whose service"):
        launch_of(Ask(spec, (), "/bin/opencode", endpoint=endpoint))


def _price(recorded: Recording) -> Decimal:
    """What the service's answers cost by the prices that OpenCode was given: 3, 0.3 and 15 dollars for a million tokens."""
    fresh = recorded.owed("asked") - recorded.owed("cached")
    whole = 3 * fresh + Decimal("0.3") * recorded.owed("cached") + 15 * recorded.owed("given")
    return whole / 1_000_000


@pytest.mark.parametrize("scenario", WELL)
def test_tokens_and_cost_are_those_of_the_books(scenario: str) -> None:
    """To the last digit, in resumed sessions as well: OpenCode tells each step by itself."""
    recorded = recording("opencode", scenario)
    fold = fold_of(reports_of(recorded))
    figures = fold.totals()
    asked = figures.tokens.input_tokens + figures.tokens.cache_read_tokens
    assert (asked, figures.tokens.output_tokens) == (recorded.owed("asked"), recorded.owed("given"))
    assert (figures.cost_usd, figures.cost_is_complete) == (_price(recorded), True)
    assert (fold.turns, fold.standing_error) == (len(recorded.booked), None)
    assert fold.has_output


def test_a_step_that_is_told_twice_counts_once_over_attempts_too() -> None:
    """Case 85."""
    reports = reports_of(recording("opencode", "tool"))
    once = fold_of(reports)
    twice = fold_of([*reports, *of_kind(reports, "usage")])
    again = fold_of(reports, baseline_of([once]))
    assert twice.totals().cost_usd == once.totals().cost_usd
    assert again.totals().cost_usd == 0


def test_a_call_cut_off_by_a_kill_leaves_the_open_step() -> None:
    """EFF2: it tells of a call only when it is over, so what an open step did is not known. Ruling 11: nor what it cost."""
    fold = fold_of(reports_of(recording("opencode", "kill_midtool")), code=None)
    (effect,) = fold.effects.values()
    assert (effect.id, effect.state) == (f"one/{OPEN_STEP}", "sent")
    assert "only when it is over" in effect.detail
    assert fold.resumable
    assert fold.call_in_flight


def test_a_run_that_went_well_leaves_nothing_open() -> None:
    for scenario in WELL:
        fold = fold_of(reports_of(recording("opencode", scenario)))
        assert {effect.state for effect in fold.effects.values()} == {"confirmed"}, scenario


def test_a_written_file_is_an_artifact() -> None:
    (artifact,) = of_kind(reports_of(recording("opencode", "write")), "artifact")
    assert artifact == {"kind": "artifact", "name": "written.txt", "source": {"path": "written.txt"}}


def test_a_busy_service_is_silence() -> None:
    """Nothing on stdout: the stall time-out is what ends it."""
    assert reports_of(recording("opencode", "rate429")) == []


@pytest.mark.parametrize("scenario", ["auth401", "nokey", "bad400"])
def test_nothing_before_the_first_answer_is_a_sign_of_life(scenario: str) -> None:
    """Ruling 27, case 71."""
    reports = reports_of(recording("opencode", scenario))
    assert {report["kind"] for report in reports} == {"session", "error"}
    assert not any(report["resumable"] for report in of_kind(reports, "session"))


def _event(kind: str, session: str = "s", **part: Any) -> dict[str, Any]:
    return {"type": kind, "sessionID": session, "part": part}


def _error(status: int | None, **data: Any) -> dict[str, Any]:
    told = {"message": "no", **data, **({} if status is None else {"statusCode": status})}
    return {"type": "error", "sessionID": "s", "error": {"name": data.pop("name", "APIError"), "data": told}}


def test_an_error_that_was_followed_by_work_says_nothing_of_the_sign_in() -> None:
    """AUT6; a passing one does not stand (case 82)."""
    adapter = adapter_of("opencode")
    lines = [
        _error(401),
        _event("step_start"),
        _event("text", text="Done."),
        _event("step_finish", reason="stop"),
    ]
    reports = [*feed(adapter, *lines), *adapter.finish()]
    assert [error["class"] for error in of_kind(reports, "error")] == ["overloaded"]
    assert fold_of(reports).standing_error is None


def test_what_another_session_prints_is_not_heard() -> None:
    adapter = adapter_of("opencode")
    feed(adapter, _event("step_start"))
    assert feed(adapter, {**_error(401), "sessionID": "other"}, _event("text", "other", text="x")) == []


def test_the_wait_that_a_service_asks_for_is_told() -> None:
    adapter = adapter_of("opencode")
    feed(adapter, _error(429, responseHeaders={"Retry-After": "37"}))
    (error,) = of_kind(list(adapter.finish()), "error")
    assert (error["class"], error["retry_after_s"]) == ("rate_limit", 37.0)


NAMED = {
    "ProviderAuthError": ("auth", "strong"),
    "ContextOverflowError": ("invalid", "strong"),
    "UnknownError": ("other", "medium"),
}


@pytest.mark.parametrize("name", NAMED)
def test_errors_without_a_status_go_by_their_name(name: str) -> None:
    adapter = adapter_of("opencode")
    feed(
        adapter,
        {"type": "error", "sessionID": "s", "error": {"name": name, "data": {"message": "401 Unauthorized"}}},
    )
    (error,) = of_kind(list(adapter.finish()), "error")
    assert (error["class"], error["strength"]) == NAMED[name]


def test_a_model_without_a_price_costs_what_is_not_known() -> None:
    """Case 88: its own table says 0."""
    adapter = adapter_of("opencode")
    told = feed(
        adapter, _event("step_start"), _event("step_finish", id="p", cost=0, tokens={"input": 5, "output": 1})
    )
    (usage,) = of_kind(told, "usage")
    assert (usage["cost_usd"], usage["source"]) == (None, "unknown")


@pytest.mark.parametrize("output", [40, 50])
def test_reasoning_counts_once_whether_or_not_it_is_part_of_the_output(output: int) -> None:
    """Versions differ; the total tells."""
    tokens = {
        "total": 1550,
        "input": 1200,
        "output": output,
        "reasoning": 10,
        "cache": {"read": 300, "write": 0},
    }
    (usage,) = of_kind(
        feed(adapter_of("opencode"), _event("step_finish", id="p", cost=0.1, tokens=tokens)), "usage"
    )
    assert usage["output_tokens"] == 50


def test_a_call_that_nobody_allowed_is_refused_and_one_that_failed_has_happened() -> None:
    """EFF1."""
    refused = {
        "status": "error",
        "input": {"command": "rm x"},
        "error": "The user rejected permission to use this specific tool call.",
    }
    failed = {
        "status": "error",
        "input": {"command": "rm y"},
        "error": "exit 1: The user rejected permission",
    }
    told = feed(
        adapter_of("opencode"),
        _event("tool_use", id="p1", tool="bash", state=refused),
        _event("tool_use", id="p2", tool="bash", state=failed),
    )
    states = [(effect["state"], effect["target"]) for effect in of_kind(told, "effect")]
    assert states == [("refused", "rm x"), ("confirmed", "rm y")]


def test_what_ends_while_opencode_is_being_ended_stays_open() -> None:
    """EFF2, ruling 13: the call as well as its step."""
    adapter = adapter_of("opencode")
    told = feed(adapter, _event("step_start", id="s1"))
    adapter.cancel()
    killed = {"status": "error", "input": {"command": "push"}, "error": "killed"}
    told += feed(
        adapter,
        _event("tool_use", id="p1", tool="bash", state=killed),
        _event("step_finish", id="s1", reason="stop"),
    )
    assert [effect.state for effect in fold_of(told, code=None).effects.values()] == ["sent", "sent"]


def test_a_look_is_no_effect() -> None:
    state = {"status": "completed", "input": {"filePath": "x"}, "output": "words", "title": "x"}
    assert feed(adapter_of("opencode"), _event("tool_use", id="p", tool="read", state=state))[1:] == []


def test_half_of_a_pair_becomes_words_that_can_be_written() -> None:
    adapter = adapter_of("opencode")
    told = [
        *feed(
            adapter,
            *[
                _event("step_start", session="\ud83d"),
                _event("text", "\ud83d", text="\ud83d"),
                {"type": "error", "sessionID": "\ud83d", "error": {"name": "\ud83d"}},
            ],
        ),
        *adapter.finish(),
    ]
    assert len(told) >= 3
    for report in told:
        assert json.dumps(report, ensure_ascii=False).encode("utf-8")


PARTS = ["id", "tool", "callID", "text", "tokens", "cost", "reason", "snapshot"]
STATE = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("status", "input", "error", "title", "metadata", "output"), VALUES)
)
DATA = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("message", "statusCode", "responseBody", "responseHeaders"), VALUES)
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["step_start", "text", "tool_use", "step_finish", "error", "reasoning"]), "sessionID": st.just("s") | VALUES},
            optional={
                "part": VALUES | st.fixed_dictionaries({"state": STATE | VALUES}, optional=dict.fromkeys(PARTS, VALUES)),
                "error": VALUES | st.fixed_dictionaries({"data": DATA | VALUES}, optional={"name": VALUES}),
            },
        ),
        max_size=6,
    )
)  # fmt: skip
def test_whatever_stands_in_the_fields_reports_can_be_written(lines: list[Any]) -> None:
    """Unknown kinds and wrong types are kept in the transcript and ignored."""
    adapter = adapter_of("opencode")
    for report in [*feed(adapter, *lines), *adapter.finish()]:
        assert isinstance(json.dumps(report).encode("ascii"), bytes)
        fold_of([report])


# ------------------------------------------------------------------------------------------- how it is started


def test_unattended_it_reads_its_prompt_from_stdin_and_refuses_what_would_be_asked() -> None:
    launch = _launch(model="anthropic/claude-x")
    assert launch.argv[:4] == ("/bin/opencode", "run", "--format", "json")
    assert {"--model=anthropic/claude-x", "--title=writer"} <= set(launch.argv)
    assert "--auto" not in launch.argv
    assert (launch.protocol, launch.stdin) == ("opencode", "prompt")


def test_no_update_no_list_of_models_and_no_server_is_fetched() -> None:
    assert _launch().env == {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


def test_a_session_is_continued_by_its_own_id_whatever_it_looks_like() -> None:
    assert f"--session={SESSION}" in _launch(SESSION).argv
    assert "--session=--continue" in _launch("--continue").argv
    assert not any(part.startswith("--title") for part in _launch(SESSION).argv)


def test_permissions_are_rules_that_outrank_its_own_configuration() -> None:
    assert "--auto" in _launch(permissions="full").argv
    rules = json.loads(_launch(permissions="read-only").env["OPENCODE_PERMISSION"])
    assert (rules["bash"], rules["edit"]) == ("deny", "deny")
    with pytest.raises(CannotLaunch, match="“full”, “read-only”, “ask”, “edits”"):
        _launch(permissions="sometimes")


def test_where_a_person_approves_its_agent_client_protocol_is_launched_with_rules_that_ask() -> None:
    launch = _launch(SESSION, permissions="ask")
    assert launch.argv == ("/bin/opencode", "acp")
    assert (launch.protocol, launch.stdin, launch.wire["session"]) == ("acp", "open", SESSION)
    rules = json.loads(launch.env["OPENCODE_PERMISSION"])
    assert (rules["*"], rules["grep"], rules["read"]["*.env"]) == ("ask", "allow", "ask")
    assert json.loads(launch.env["OPENCODE_CONFIG_CONTENT"]) == {"agent": {"title": {"disable": True}}}, (
        "it would cost"
    )
    assert b'"initialize"' in adapter_for("opencode", launch.protocol, launch.wire).begin()
    edits = _launch(permissions="edits")
    assert (edits.protocol, json.loads(edits.env["OPENCODE_PERMISSION"])["edit"]) == ("acp", "allow")


def test_its_program_has_a_name() -> None:
    assert program_name(AgentSpec(name="a", kind="opencode")) == "opencode"
