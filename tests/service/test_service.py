"""The scripted service itself: scenarios by address, words one after the other, cut and silent answers, and its books."""

from __future__ import annotations

import http.client
import json
from decimal import Decimal
from typing import Any

import pytest

from tests.service import anthropic
from tests.service.server import ModelService, serving

BODY = {
    "model": anthropic.MODEL,
    "tools": [{"name": "Bash"}],
    "messages": [{"role": "user", "content": "do it"}],
}


def ask(service: ModelService, scenario: str, **fields: Any) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    try:
        connection.request(
            "POST", f"/s/{scenario}/v1/messages", json.dumps({**BODY, **fields}), {"x-api-key": "k"}
        )
        got = connection.getresponse()
        return got.status, got.read()
    finally:
        connection.close()


def test_a_scenario_of_several_words_answers_with_one_after_the_other_and_stays_at_the_last() -> None:
    with serving([anthropic.wire()]) as service:
        assert [ask(service, "rate429,auth401,plain")[0] for _ in range(4)] == [429, 401, 200, 200]
        assert [one.word for one in service.work()] == ["rate429", "auth401", "plain", "plain"]
        service.instead["plain"] = "auth403"
        assert ask(service, "plain")[0] == 403


def test_side_requests_do_not_move_it_on_and_are_charged_all_the_same() -> None:
    with serving([anthropic.wire()]) as service:
        assert ask(service, "auth401,plain", tools=[])[0] == 200
        assert ask(service, "auth401,plain")[0] == 401
        assert (len(service.asked), len(service.work())) == (2, 1)
        assert anthropic.books(service.asked).requests == 1


def test_the_books_hold_what_was_taken_whole_to_the_last_digit() -> None:
    with serving([anthropic.wire()]) as service:
        ask(service, "plain", stream=True)
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            ask(service, "drop", stream=True)
        kept = anthropic.books(service.asked)
        assert (kept.requests, kept.input_tokens, kept.cache_read_tokens, kept.cache_write_tokens) == (
            1,
            1010,
            307,
            201,
        )
        assert kept.output_tokens == 56
        assert kept.cost_usd == Decimal("0.003030") + Decimal("0.000840") + Decimal("0.0000921") + Decimal(
            "0.00075375"
        )


def test_a_silent_answer_is_left_by_whoever_asked_and_holds_no_thread() -> None:
    with serving([anthropic.wire()]) as service:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
        connection.request("POST", "/s/hang/v1/messages", json.dumps({**BODY, "stream": True}))
        service.wait(lambda: len(service.work("hang")) == 1, 10)
        connection.close()
