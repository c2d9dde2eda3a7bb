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
