"""AUT6: every error report says how sure it is, whichever adapter tells it, and one that does not is never taken for sure."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from quarterdeck.agents import acp_errors, claude_errors, failed_calls
from quarterdeck.agents.acp_wire import RpcError
from quarterdeck.agents.error_reports import error_report
from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.engine.sign_in_gate import is_surely_refused
from tests.agents.replays import failures, reports_of
from tests.agents.test_acp_wire import JUDGED
from tests.agents.test_claude_stream import NAMES, stdout_of
from tests.agents.test_claude_stream import told as claude_told
from tests.tidy.source import dotted, modules

FIELDS = {"kind", "class", "message", "retry_after_s", "resets_at", "strength", "status"}


def _lines() -> list[dict[str, Any]]:
    return list(LinesProtocol().feed("stdout", b'{"type": "error", "class": "auth", "message": "no"}\n'))


def _claude() -> list[dict[str, Any]]:
    retry = claude_errors.retry_report({"retry_delay_ms": 5, "error": "rate_limit", "error_status": 429})
    ended = [report for name in NAMES for report in claude_told(stdout_of(name))]
    return [retry, claude_errors.report_of(None, None, None), *ended]


def _of_service() -> list[dict[str, Any]]:
    call = failed_calls.FailedCall("no", 401)
    recorded = [
        r for program in ("codex", "opencode") for _, one in failures(program) for r in reports_of(one)
    ]
    return [failed_calls.report_of(call, "medium"), *recorded]


def _acp() -> list[dict[str, Any]]:
    errors = [error for error, *_ in JUDGED if isinstance(error, RpcError)]
    return [acp_errors.report_of(error) for error in errors]


@pytest.mark.parametrize("tell", [_lines, _claude, _of_service, _acp])
def test_every_error_report_says_how_sure_it_is(tell: Callable[[], list[dict[str, Any]]]) -> None:
    """AUT6: also those that nobody would remember."""
    errors = [report for report in tell() if report["kind"] == "error"]
    assert errors
    for error in errors:
        assert set(error) - {"passing"} == FIELDS
        assert error["strength"] in ("strong", "medium")


def test_what_a_line_of_the_protocol_says_is_said_on_purpose() -> None:
    """Design §7: who writes an error of the class `auth` means it."""
    (error,) = _lines()
    assert is_surely_refused(error)


@pytest.mark.parametrize(
    ("more", "is_sure"),
    [
        ({}, False),
        ({"strength": None}, False),
        ({"strength": "medium"}, False),
        ({"strength": "strong"}, True),
    ],
)
def test_a_report_that_does_not_say_how_sure_it_is_is_not_sure(more: dict[str, Any], is_sure: bool) -> None:
    assert is_surely_refused({"kind": "error", "class": "auth", "message": "401", **more}) is is_sure
    assert not is_surely_refused({"kind": "error", "class": "rate_limit", "message": "429", **more})


def test_a_long_message_is_cut_and_says_so() -> None:
    message = error_report("other", "x" * 70_000, "medium")["message"]
    assert len(message) == 64 * 1024 + 1
    assert message.endswith("…")


def test_error_reports_are_built_in_one_place() -> None:
    """No adapter and no keeper spells one out for itself: what it would forget is how sure it is."""
    places = {
        module.place
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "kind" and dotted(value) == "reports.ERROR"
    }
    assert places == {"agents/error_reports.py"}
