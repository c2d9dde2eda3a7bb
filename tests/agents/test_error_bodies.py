"""What an error quotes may be anything: reading it is never itself a fault (JNL6, AUT6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.agents.acp_wire import INTERNAL_ERROR
from quarterdeck.agents.error_bodies import body_of
from tests.agents.failure_lines import Shape, told_of
from tests.agents.held_out import Acp, Claude
from tests.agents.held_out_third_codex import CodexExec
from tests.agents.held_out_third_opencode import OpenCodeError

ODD = (
    "{{}}",
    '{{"a": {}}}',
    "{[1]: 2}",
    "{'a': {'b': {1, 2}}, {}: 3}",
    "{'\\d': '\\w'}",
    "{" * 4000,
    "{'a': " * 900,
    "{(" * 2000,
)


@pytest.mark.parametrize("quoted", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("way", ["opencode", "acp", "claude", "codex"])
def test_an_error_that_quotes_what_is_nearly_an_object_is_told_as_any_other(way: str, quoted: str) -> None:
    said = f"Bad reply: {quoted}"
    shapes: dict[str, Shape] = {
        "opencode": OpenCodeError("UnknownError", {"message": said}),
        "acp": Acp(INTERNAL_ERROR, "Internal error", {"details": said}),
        "claude": Claude(None, None, said),
        "codex": CodexExec(f"unexpected status 400 Bad Request: {said}"),
    }
    told = told_of(shapes[way])
    assert told["class"] in ("other", "invalid")


@given(st.text("{}[]():,\"'\\\\x1d .-+e\nN\u0661", max_size=60))
def test_whatever_stands_in_a_text_is_read_without_a_fault(text: str) -> None:
    """Warnings are errors here."""
    body_of(text)
    body_of(f"x {{{text}}}")
