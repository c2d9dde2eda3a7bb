"""AUT6: every error report says how sure it is, whichever adapter tells it, and one that does not is never taken for sure."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

import pytest

from quarterdeck.agents import acp_errors, claude_errors, failed_calls
from quarterdeck.agents.acp_wire import RpcError
from quarterdeck.agents.error_classes import BROAD, WORDS, class_of_status, spelled
from quarterdeck.agents.error_evidence import judged
from quarterdeck.agents.error_reports import error_report
from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.domain.states import ErrorClass
from quarterdeck.engine.sign_in_gate import is_surely_refused
from tests.agents.replays import failures, reports_of
from tests.agents.test_acp_wire import JUDGED
from tests.agents.test_claude_stream import NAMES, NEWER, stdout_of
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


def _judged_alike(status: int, word: str | None) -> set[str]:
    """The classes that the three readers of failures give one answer of a service."""
    words = frozenset({word}) if word else frozenset[str]()
    body = {"type": "error", "error": {"type": word, "message": "no"}}
    told = (
        claude_errors.report_of("authentication_failed", status, "no", error_type=word),
        failed_calls.report_of(failed_calls.FailedCall("no", status, words), "strong"),
        acp_errors.report_of(RpcError(status, json.dumps(body) if word else "no")),
    )
    return {one["class"] for one in told}


@pytest.mark.parametrize(
    ("word", "error_class"),
    [
        (None, "other"),
        ("permission_error", "other"),
        ("authentication_failed", "other"),
        ("authentication_error", "auth"),
        ("invalid_api_key", "auth"),
    ],
)
def test_a_403_is_a_refused_sign_in_only_where_the_service_names_it_and_every_reader_says_the_same(
    word: str | None, error_class: str
) -> None:
    """AUT6: "may not use this model" is no dead sign-in, also where the program calls it one."""
    assert _judged_alike(403, word) == {error_class}


@pytest.mark.parametrize(
    "status", [400, 402, 403, 404, 405, 407, 408, 413, 422, 429, 451, 500, 501, 503, 511, 529]
)
def test_a_status_is_of_one_class_for_every_reader(status: int) -> None:
    told = {
        claude_errors.report_of(None, status, "no")["class"],
        failed_calls.report_of(failed_calls.FailedCall("no", status), "strong")["class"],
        acp_errors.report_of(RpcError(status, "no"))["class"],
    }
    assert told == {class_of_status(status).value}


@pytest.mark.parametrize("status", [None, 400, 401, 403, 429, 503])
def test_a_word_of_the_table_is_of_one_class_for_every_reader(status: int | None) -> None:
    """AUT6: one table, whichever program hands the word on."""
    for word in (*WORDS, *BROAD):
        body = json.dumps({"error": {"type": word, "message": "no"}})
        told = {
            claude_errors.report_of(word, status, "no")["class"],
            failed_calls.FailedCall("no", status, frozenset({word})).error_class.value,
            acp_errors.report_of(RpcError(status or -32603, body))["class"],
        }
        by_evidence = judged([word], status, "no")
        assert by_evidence is not None
        assert told == {by_evidence.error_class.value}, word


def test_no_adapter_has_a_list_of_words_of_its_own() -> None:
    """AUT6: what a word means stands in one table; `codex_errors` names the words that stand for beginnings of Codex's messages."""
    known = {*WORDS, *BROAD} - set(map(spelled, ErrorClass))
    found = set()
    for module in modules():
        if module.room != "agents":
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Dict | ast.Set | ast.List | ast.Tuple):
                keys = node.keys if isinstance(node, ast.Dict) else node.elts
                words = [one.value for one in keys if isinstance(one, ast.Constant)]
                if sum(isinstance(word, str) and spelled(word) in known for word in words) > 2:
                    found.add(module.place)
    assert not found


def test_claude_403_is_judged_by_the_type_that_newer_versions_hand_on() -> None:
    recorded = stdout_of("auth403", NEWER)
    assert {one["class"] for one in claude_told(recorded) if one["kind"] == "error"} == {"other"}
    about_the_key = recorded.replace(b'"permission_error"', b'"authentication_error"')
    assert {one["class"] for one in claude_told(about_the_key) if one["kind"] == "error"} == {"auth"}


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
