"""Sign-ins of agents as values: the entries of the credentials list, the shape of a sign-in, what is remembered of one.

No value here holds a secret. Of a secret there is only a keyed hash, which is never written anywhere (AUT1, AUT2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from quarterdeck.domain.moment import iso_utc
from quarterdeck.domain.states import ErrorClass

ENV_PREFIX = "env:"
LOGIN_PREFIX = "login:"
"""Begins the name of a program's own login, as it is told beside names of the list."""
NAME_CHARS_MAX = 100
SECRET_NAME = re.compile(
    r"[A-Z0-9_-]*(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret\w*|password|passwd|credentials?)",
    re.IGNORECASE,
)
"""How what holds a secret is usually named."""


class CredentialKind(StrEnum):
    """Where the secret of an entry comes from."""

    API_KEY = "api_key"
    """Of the person's, in the OS keyring; without a keyring for the life of the process."""
    OWN_LOGIN = "own_login"
    """The program signed in by itself; Quarterdeck holds nothing."""
    ENVIRONMENT = "environment"
    """A variable of the environment that Quarterdeck was started in."""


@dataclass(frozen=True, slots=True)
class Credential:
    """One entry of the credentials list. It goes into a file, so it holds no secret.

    program: a kind of agent (`claude-code`) or a provider (`anthropic`); empty: any. endpoint: a base URL, empty: the
    program's own. variable: of an ENVIRONMENT entry the one that is read; else the one in which agents get the secret, where
    their definition names none. account: tells two accounts of one provider apart, for a person and in the shape.
    """

    name: str
    kind: CredentialKind = CredentialKind.API_KEY
    program: str = ""
    endpoint: str = ""
    variable: str = ""
    account: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """What makes two uses the same sign-in (AUT2, ruling 27): never the name that it has in a list.

    program: the agent's kind, or `argv[0]`. way: `key` or `login`. fingerprint: keyed hash of the secret's value, of the login
    file, or of the whole command where nothing is known of how it signs in.
    """

    program: str
    way: str
    endpoint: str = ""
    account: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """What a save or a passed test clears: the sign-in of that secret at that endpoint, for any program, and, with a save, what
    was used under that name. source: a name of the list, `env:NAME`, `login:KIND`; empty: by the value alone.
    """

    fingerprint: str = ""
    endpoint: str = ""
    account: str = ""
    source: str = ""

    def fits(self, shape: Shape, source: str) -> bool:
        """Whether a sign-in of that shape, used under that name, is cleared."""
        told = (self.fingerprint, self.endpoint, self.account)
        is_same = bool(self.fingerprint) and told == (shape.fingerprint, shape.endpoint, shape.account)
        return is_same or (bool(self.source) and self.source == source)


@dataclass(frozen=True, slots=True)
class SignInUse:
    """Who used a sign-in: the agent of a run, named so that a person finds it again."""

    attempt_id: str
    run_id: str
    workflow: str
    title: str
    source: str
    """A name of the list, `env:NAME`, or `login:KIND`."""
    program: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """A sign-in that failed, as it is told (AUT3). wall_ms: when. refused: agents that were not started because of it."""

    use: SignInUse
    wall_ms: int
    message: str
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Limited:
    """A limit that a sign-in has reached, and until when nobody else tries. `until_wall_ms`: Unix milliseconds.

    is_known: whether the service told the time; else it is ours (`retry.SHARED`). waiting: agents that wait for it.
    """

    use: SignInUse
    error_class: str
    message: str
    until_wall_ms: int
    is_known: bool
    waiting: int = 0

    @property
    def words(self) -> str:
        """What an agent waits for, for its row."""
        until = clock_utc(self.until_wall_ms)
        if self.error_class == ErrorClass.RATE_LIMIT.value:
            return f"waits for the rate limit that {self.use.title} met, until {until}"
        if self.is_known:
            return f"waits for the usage limit that {self.use.title} met to reset at {until}"
        return f"waits for the usage limit that {self.use.title} met; its reset is not known, one agent tries at {until}"


def canary_words(title: str) -> str:
    """What an agent waits for while the first one uses their sign-in (AUT4)."""
    return f"waits until {title} shows that their sign-in works"


READING_WORDS = "waits for its sign-in; the keyring may be asking for its password"
"""What an agent waits for while its sign-in is read and that takes longer than a moment."""


def clock_utc(wall_ms: int) -> str:
    """A wall time in the words of a sentence that is kept: day, hours and minutes in UTC."""
    whole = iso_utc(wall_ms)
    return f"{whole[:10]} {whole[11:16]} UTC"


def refused_in_all(remembered: Iterable[Remembered]) -> int:
    """Agents that were not started because of remembered sign-ins."""
    return sum(one.refused for one in remembered)
