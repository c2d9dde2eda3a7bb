"""AUT6: failures as services and programs define them, each told in the class that its source says it is."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.agents.failure_lines import Codex, OpenCode, Shape, told_of
from tests.agents.held_out import Acp, Claude
from tests.agents.seen_afterwards import AFTERWARDS
from tests.agents.seen_elsewhere import ELSEWHERE
from tests.agents.seen_later import FIFTH, FOURTH, THIRD

ALL = (*ELSEWHERE, *AFTERWARDS, *THIRD, *FOURTH, *FIFTH)


@pytest.mark.parametrize(("kind", "shape"), ALL, ids=[f"{kind} {at}" for at, (kind, _) in enumerate(ALL)])
def test_a_failure_is_of_the_class_that_its_source_says_it_is(kind: str, shape: Shape) -> None:
    told = told_of(shape)
    assert told["class"] == kind
    assert kind == "auth" or (told["class"], told["strength"]) != ("auth", "strong")


def test_each_class_and_each_way_of_telling_is_there() -> None:
    assert min(Counter(kind for kind, _ in ALL).values()) >= 20
    assert {type(shape) for _, shape in ALL} >= {Acp, Claude, Codex, OpenCode}


@pytest.mark.parametrize("shape", [
    Acp(-32603, "Internal error", {"details": "401 Unauthorized"}),
    Codex("unexpected status 401 Unauthorized: no, url: https://x"),
    Claude(None, None, "Invalid API key · Please run /login"),
    OpenCode("APIError", 401, "Unauthorized: request was blocked by a gateway or proxy. Your token may be missing or expired"),
    OpenCode("APIError", 403, "Your API key has expired"),
    OpenCode("APIError", 400, "no", {"error": {"code": "1001", "message": "no"}}),
])  # fmt: skip
def test_what_words_alone_say_of_a_sign_in_or_a_gateway_is_never_sure(shape: Shape) -> None:
    """AUT6."""
    told = told_of(shape)
    assert (told["class"], told["strength"]) == ("auth", "medium")


@pytest.mark.parametrize(
    "shape",
    [
        Acp(-32000, "API key is not allowed to use this model"),
        Acp(-32000, "Token count exceeds limit"),
        Acp(-32000, "Your account is under review"),
        OpenCode("ProviderAuthError", None, "You have run out of credits"),
    ],
)
def test_a_code_or_a_name_for_a_sign_in_is_not_sure_where_the_words_name_none(shape: Shape) -> None:
    """AUT6: JSON-RPC's fault of a server has the code of a sign-in, and OpenCode's name for one stands before whatever was said."""
    assert told_of(shape)["strength"] == "medium"


def test_money_that_is_gone_is_no_sign_in_whatever_opencode_names_it() -> None:
    assert (
        told_of(OpenCode("ProviderAuthError", None, "You have run out of credits"))["class"] == "usage_limit"
    )
