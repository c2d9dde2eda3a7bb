"""Which class a failed call of a model service is in, by its HTTP status and the words that stand in fields made for machines. Pure.

One table for every program and service, so that no two adapters judge one answer differently (AUT6). Prose is never searched here
(`error_prose`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from quarterdeck.domain.states import ErrorClass

AUTH, USAGE, RATE = ErrorClass.AUTH, ErrorClass.USAGE_LIMIT, ErrorClass.RATE_LIMIT
LOAD, INVALID = ErrorClass.OVERLOADED, ErrorClass.INVALID
SERVER_FAULTS_FROM = 500


def spelled(word: str) -> str:
    """A word as it stands in the tables: `usageLimitExceeded` and `usage_limit_exceeded` are one."""
    return word.lower().replace("_", "").replace("-", "")


def _set(words: str) -> frozenset[str]:
    return frozenset(map(spelled, words.split()))


def _table(words: Mapping[ErrorClass, str]) -> dict[str, ErrorClass]:
    return {word: kind for kind, told in words.items() for word in _set(told)}


KEY_WORDS: Final = _set(
    "access_token_expired access_token_scope_insufficient account_deactivated account_state_invalid api_key_invalid"
    " authentication_error consumer_suspended credentials_missing invalid_api_key invalid_authentication invalid_grant"
    " oauth_org_not_allowed token_expired token_invalidated token_revoked unauthenticated validation_required verification_required"
)
"""Each says beyond doubt that the sign-in itself is refused, whatever the status. `authentication_failed` is not among them: Claude
Code says it of every 403, also of a key that may not use one model.
"""
WORDS: Final[Mapping[str, ErrorClass]] = {
    **dict.fromkeys(KEY_WORDS, AUTH),
    **_table(
        {
            AUTH: "auth_required authentication_failed cloud_credential_error provider_auth_error unauthorized"
            " access_token_type_unsupported",
            USAGE: "account_on_hold allocationquota.freetieronly arrearage billing_disabled billing_error billing_hard_limit_reached"
            " billing_not_active credit_balance_too_low insufficient_quota payment_required quota_exceeded quota_exhausted"
            " quota_per_day usage_limit usage_limit_exceeded usage_limit_reached usage_not_included",
            RATE: "quota_per_minute rate_limit rate_limit_error rate_limit_exceeded",
            LOAD: "model_capacity_exhausted overloaded overloaded_error server_is_overloaded server_overloaded slow_down",
            INVALID: "context_length_exceeded context_overflow_error context_window_exceeded max_output_tokens model_not_found",
        }
    ),
}
"""{word: class} of those that are narrower than a status."""
BROAD: Final[Mapping[str, ErrorClass]] = _table(
    {
        RATE: "resource_exhausted",
        LOAD: "api_error deadline_exceeded internal internal_server_error server_error timeout_error unavailable",
        INVALID: "bad_request failed_precondition invalid_argument invalid_request invalid_request_error not_found not_found_error"
        " request_too_large",
    }
)
"""{word: class} of those that say no more than a status does; they count where there is none."""
PRECEDENCE: Final = (AUTH, USAGE, LOAD, RATE, INVALID)
"""A service says several: the narrowest counts. What is invalid is what it calls every refusal, so that counts last."""
STATUSES: Mapping[int, ErrorClass] = {
    401: AUTH,
    402: USAGE,
    403: ErrorClass.OTHER,
    407: ErrorClass.OTHER,
    408: LOAD,
    425: LOAD,
    429: RATE,
    451: ErrorClass.OTHER,
    **dict.fromkeys((501, 505, 506, 508, 510, 511), ErrorClass.OTHER),
}
"""{status: class} of those that are not as their hundred: 403 may be about a model, a country or a gateway, 407 is a proxy's, and of
5xx some do not pass with time; 511 is a network that wants a sign-in of its own.
"""
SIGN_IN_STATUSES = frozenset({400, 401})
"""Beside any other status a word is of a sign-in only where it is about the key itself."""
AMBIGUOUS = frozenset({403, 407})
"""A gateway says them as well: what they are about is never sure."""


def class_of_status(status: int) -> ErrorClass:
    """What a status alone says."""
    if status in STATUSES:
        return STATUSES[status]
    if 400 <= status < SERVER_FAULTS_FROM:
        return INVALID
    return LOAD if SERVER_FAULTS_FROM <= status < 600 else ErrorClass.OTHER


def class_of_words(words: Iterable[str], status: int | None = None) -> ErrorClass | None:
    """What the words of fields say, in any spelling, beside a status where there is one; None where they say nothing that the status
    does not. A server's fault says nothing of a sign-in, and what is neither 400 nor 401 only where a word is about the key itself.
    """
    said = frozenset(map(spelled, words))
    told = {WORDS[word] for word in said if word in WORDS}
    if status is None:
        told |= {BROAD[word] for word in said if word in BROAD}
    else:
        told.discard(INVALID)
        if status == 401:
            return AUTH
        if status not in SIGN_IN_STATUSES and not said & KEY_WORDS:
            told.discard(AUTH)
        if status >= SERVER_FAULTS_FROM:
            told -= {AUTH, USAGE, RATE}
    return next((kind for kind in PRECEDENCE if kind in told), None)


def class_of(words: Iterable[str], status: int | None) -> ErrorClass | None:
    """By words and status; None where there is neither, or nothing that is known."""
    told = class_of_words(words, status)
    return class_of_status(status) if told is None and status is not None else told
