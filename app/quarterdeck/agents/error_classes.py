"""Which class a failed call of a model service is in, by its HTTP status and the words that the service put into fields. Pure.

One table for every adapter, so that no two judge one answer differently (AUT6). Prose is never searched here.
"""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.domain.states import ErrorClass

KEY_WORDS = frozenset(
    {
        "account_deactivated",
        "api_key_invalid",
        "authentication_error",
        "invalid_api_key",
        "invalid_authentication",
        "oauth_org_not_allowed",
        "token_expired",
        "token_invalidated",
        "token_revoked",
        "unauthenticated",
    }
)
"""Each says beyond doubt that the sign-in itself is refused, whatever the status. `authentication_failed` is not among them: Claude
Code says it of every 403, also of a key that may not use one model.
"""
STATUSES: Mapping[int, ErrorClass] = {
    401: ErrorClass.AUTH,
    402: ErrorClass.USAGE_LIMIT,
    403: ErrorClass.OTHER,
    407: ErrorClass.OTHER,
    408: ErrorClass.OVERLOADED,
    425: ErrorClass.OVERLOADED,
    429: ErrorClass.RATE_LIMIT,
    451: ErrorClass.OTHER,
    **dict.fromkeys((501, 505, 506, 508, 510, 511), ErrorClass.OTHER),
}
"""{status: class} of those that are not as their hundred: 403 may be about a model, a country or a gateway, 407 is a proxy's, and of
5xx some do not pass with time; 511 is a network that wants a sign-in of its own.
"""
AMBIGUOUS = frozenset({403, 407})
"""A gateway says them as well: what they are about is never sure."""


def class_of_status(status: int, words: frozenset[str] = frozenset()) -> ErrorClass:
    """words: of the service's own fields (`code`, `type`), in lower case. A 403 is about the sign-in only where one of them says so."""
    if status == 403 and words & KEY_WORDS:
        return ErrorClass.AUTH
    if status in STATUSES:
        return STATUSES[status]
    if 400 <= status < 500:
        return ErrorClass.INVALID
    return ErrorClass.OVERLOADED if 500 <= status < 600 else ErrorClass.OTHER
