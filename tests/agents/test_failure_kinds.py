"""Kinds of failures that recordings of real programs had shown to be read amiss, each in words that stand in no recording."""

from __future__ import annotations

import json

import pytest

from quarterdeck.agents import claude_errors
from quarterdeck.agents.acp_errors import judge
from quarterdeck.agents.acp_wire import RpcError
from quarterdeck.agents.codex_errors import failed_call
from quarterdeck.agents.error_evidence import Judged, judged, judged_text
from quarterdeck.agents.error_reports import MEDIUM
from quarterdeck.domain.states import ErrorClass

AUTH, OTHER, INVALID = ErrorClass.AUTH, ErrorClass.OTHER, ErrorClass.INVALID


@pytest.mark.parametrize("word", ["token_revoked", "organization_deactivated", "invalid_api_key"])
def test_what_has_to_be_paid_is_no_dead_sign_in_whatever_word_stands_beside_it(word: str) -> None:
    assert judged((word,), 402, "") == Judged(ErrorClass.USAGE_LIMIT, True, 402)


@pytest.mark.parametrize(
    "words", ["Your workspace was suspended.", "This account is restricted, write to support."]
)
def test_an_account_that_was_shut_is_a_sign_in_that_is_not_sure(words: str) -> None:
    assert judged((), 400, words) == Judged(AUTH, False, 400)


def test_somebody_who_is_kept_from_something_is_no_shut_account() -> None:
    assert judged((), 403, "This user is restricted from the beta models.") == Judged(OTHER, True, 403)


def test_a_403_that_asks_for_a_new_sign_in_is_one_and_never_sure() -> None:
    assert judged((), 403, "No access. Please sign in again.") == Judged(AUTH, False, 403)


@pytest.mark.parametrize(
    "words",
    [
        "Forbidden · Please run /login",
        "The proxy wants you to log in again.",
        "Your country is not supported; log in again elsewhere.",
    ],
)
def test_what_a_program_says_of_every_403_or_of_somebody_else_asks_for_none(words: str) -> None:
    assert judged((), 403, words) == Judged(OTHER, True, 403)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("The access token has expired", AUTH),
        ("You may not use this model", OTHER),
    ],
)
def test_what_claude_code_advises_says_nothing_of_what_the_service_said(words: str, kind: ErrorClass) -> None:
    advice = (
        "Cloud sign-in failed \u00b7 refresh the proxy token and retry \u00b7 check which models are allowed"
    )
    report = claude_errors.report_of("authentication_failed", 403, f"{advice} \u00b7 API Error: 403 {words}")
    assert (report["class"], report["strength"]) == (kind, MEDIUM)
    assert report["message"].startswith(advice)


def test_a_card_that_is_not_there_is_about_money() -> None:
    told = judged((), 403, "The service requires a credit card before anything is answered.")
    assert told == Judged(ErrorClass.USAGE_LIMIT, True, 403)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"code": "The call is not right", "error": "Wrong API key given"}, AUTH),
        ({"error": "The context window of this model holds 4096 tokens"}, INVALID),
        ({"message": "Nothing can be made of this"}, INVALID),
    ],
)
def test_an_answer_without_words_that_codex_hands_on_bare_is_a_400(
    body: dict[str, str], kind: ErrorClass
) -> None:
    assert failed_call(json.dumps(body)).error_class is kind


def test_what_codex_can_not_read_of_a_thread_is_a_request_that_can_not_be_answered() -> None:
    said = "The current provider can\u2019t read this thread\u2019s earlier notes."
    assert failed_call(said).error_class is INVALID


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("models/one-9 is not found for this version", INVALID),
        ("something went wrong", ErrorClass.OVERLOADED),
        ("fetch failed", ErrorClass.OVERLOADED),
    ],
)
def test_behind_the_500_that_gemini_says_of_what_it_does_not_know_stands_what_its_words_say(
    words: str, kind: ErrorClass
) -> None:
    assert judge(RpcError(500, words, {})) == Judged(kind, False, 500)


@pytest.mark.parametrize(
    ("words", "kind"),
    [("The upstream has hung up", ErrorClass.OVERLOADED), ("No model is loaded yet", INVALID)],
)
def test_prose_alone_is_read_for_who_went_away_and_for_what_is_not_loaded(
    words: str, kind: ErrorClass
) -> None:
    assert judged_text(words) == Judged(kind, False)
