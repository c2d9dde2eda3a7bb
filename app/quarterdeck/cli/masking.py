"""Secrets that this process knows, as asterisks in whatever a verb prints: what agents tell is kept raw, and shown without them.

Known are those that this process gave to agents, those of a run's agents whose variables are set here, and variables that are
named like a secret. No keyring is asked for it (docs/sign-ins.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from quarterdeck.cli.plain_text import escaped, escaped_lines
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.sign_ins import SECRET_NAME
from quarterdeck.domain.views import RunSummary
from quarterdeck.engine.redacting import SHORTEST_SECRET

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

CUT_MARKS = " …\n\ufffd"
"""What may stand at the place where a text was cut, perhaps within a character."""
V = TypeVar("V")


class Masks:
    """`live`: more of them, asked each time, as they grow while agents start."""

    def __init__(self) -> None:
        self._known: frozenset[str] = frozenset()
        self.live: Callable[[], Iterable[str]] = tuple

    def add(self, secrets: Iterable[str]) -> None:
        """Hide these from now on."""
        self._known |= frozenset(secrets)

    def text(self, text: str) -> str:
        """The text with asterisks, one for each character; what is shown escaped, or stands in JSON, is found so as well."""
        for spelled in self._spelled():
            if spelled in text:
                text = text.replace(spelled, "*" * len(spelled))
        return text

    def cut_text(self, text: str) -> str:
        """The same of a text that may begin and end within a secret: as much of one as could be told from other text goes too."""
        text = self.text(text)
        body = text.strip(CUT_MARKS)
        before, _, behind = text.partition(body) if body else (text, "", "")
        for spelled in self._spelled():
            for count in range(min(len(spelled) - 1, len(body)), SHORTEST_SECRET - 1, -1):
                if body.startswith(spelled[-count:]):
                    body = "*" * count + body[count:]
                if body.endswith(spelled[:count]):
                    body = body[:-count] + "*" * count
        return before + body + behind

    def parted(self, text: str) -> tuple[str, str]:
        """What can be printed now, masked; and the end of the text with which a secret may begin, to stand before what comes next."""
        text = self.text(text)
        held = 0
        for spelled in self._spelled():
            for count in range(min(len(spelled) - 1, len(text)), held, -1):
                if text.endswith(spelled[:count]):
                    held = count
                    break
        return text[: len(text) - held], text[len(text) - held :]

    def value(self, value: V) -> V:
        """The same view or JSON with every text in it so; names of fields, numbers and words of ours stay."""
        secrets = self._longest_first()
        return self._value(value) if secrets else value

    def _value(self, value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Enum):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self._value(one) for key, one in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._value(one) for one in value)
        if is_dataclass(value) and not isinstance(value, type):
            old = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
            new = {name: self._value(one) for name, one in old.items()}
            return replace(value, **{name: one for name, one in new.items() if one != old[name]})
        return value

    def _longest_first(self) -> list[str]:
        return sorted(
            (one for one in {*self._known, *self.live()} if len(one) >= SHORTEST_SECRET),
            key=len,
            reverse=True,
        )

    def _spelled(self) -> list[str]:
        return [spelled for secret in self._longest_first() for spelled in _spellings(secret)]


def _spellings(secret: str) -> tuple[str, ...]:
    """As it is, as it is shown, and both ways in which an agent's JSON has it."""
    in_json = (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    return tuple(dict.fromkeys((secret, escaped(secret), escaped_lines(secret), *in_json)))


def named_like_secrets(environ: Mapping[str, str]) -> frozenset[str]:
    """Values of the variables whose names say that they hold a secret; a path is none."""
    return frozenset(
        value for name, value in environ.items() if SECRET_NAME.fullmatch(name) and not value.startswith("/")
    )


async def mask_run(masks: Masks, door: Door, run: RunId) -> None:
    """Hide what is known here of the secrets that the run's agents were given."""
    masks.add(await door.recovery.known_secrets(run))


async def mask_listed(
    masks: Masks, door: Door, runs: Iterable[RunSummary], environ: Mapping[str, str]
) -> None:
    """The same for a list: only runs whose words hold the value of some variable are looked into, as that reads their journals."""
    values = [value for value in environ.values() if len(value) >= SHORTEST_SECRET]
    for run in runs:
        if any(value in run.reason for value in values):
            await mask_run(masks, door, run.run_id)
