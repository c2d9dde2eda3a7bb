"""Journal entries and their lines. pydantic validates the union of events by `kind`, on write and on read.

Layout: `{"seq","kind","boot","boot_ms","wall_ms",<fields>,"crc"}`. Decimals are plain text. pydantic is imported with
the first entry, not with this module. No file is touched here.
"""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, get_args

import orjson

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import usd_text
from quarterdeck.store.errors import InvalidEvent
from quarterdeck.store.lines import frame_body

if TYPE_CHECKING:
    from quarterdeck.domain.events import Entry, Event


@dataclasses.dataclass(frozen=True, slots=True)
class UnknownEntry:
    """A line with a good checksum that this version cannot take: a newer kind or schema, or fields that do not fit.

    `newer` is True where a newer version is the likely cause. `reason` is a sentence for a person.
    """

    seq: int
    kind: str
    reason: str
    newer: bool


@lru_cache(maxsize=1)
def _adapter() -> Any:
    """pydantic's validator of the union; it is called millions of times, so without the adapter around it."""
    from pydantic import Field, TypeAdapter

    from quarterdeck.domain.events import Event

    return TypeAdapter(Annotated[Event, Field(discriminator="kind")]).validator


@lru_cache(maxsize=1)
def _kinds() -> frozenset[str]:
    from quarterdeck.domain.events import Event

    defaults = (f.default for event in get_args(Event) for f in dataclasses.fields(event) if f.name == "kind")
    return frozenset(kind for kind in defaults if isinstance(kind, str))


def encode_event(event: Event) -> tuple[Event, bytes]:
    """The event as it will be read back, and its fields as JSON bytes `,"name":value…}`. Raises InvalidEvent.

    What is written is read back and compared first, so nothing is stored that could not be loaded. Characters that
    UTF-8 cannot carry (half of a surrogate pair, from a foreign program) are stored as escapes, so that two names stay two.
    """
    try:
        body = orjson.dumps(event, default=_plain)
    except TypeError as error:
        event = _without_surrogates(event)
        try:
            body = orjson.dumps(event, default=_plain)
        except TypeError:
            raise InvalidEvent(event.kind, str(error)) from error
    try:
        stored: Event = _adapter().validate_json(body)
    except ValueError as error:
        raise InvalidEvent(event.kind, str(error)) from error
    if stored != event:
        raise InvalidEvent(event.kind, "it would be read back as another value")
    return stored, b"," + body[1 : body.rindex(b',"kind":')] + b"}"


def encode_entry(seq: int, at: Moment, kind: str, fields: bytes) -> bytes:
    """The framed line of an event whose fields were encoded before."""
    head = b'{"seq":%d,"kind":"%b","boot":"%b","boot_ms":%d,"wall_ms":%d' % (
        seq,
        kind.encode(),
        at.boot.encode(),
        at.boot_ms,
        at.wall_ms,
    )
    return frame_body(head + fields)


def decode_entry(obj: dict[str, Any]) -> Entry | UnknownEntry:
    """The entry of an unframed line; a line that this version cannot take is a value, not an error."""
    from quarterdeck.domain.events import JOURNAL_SCHEMA, Entry  # not loaded where no journal is read

    try:
        event = _adapter().validate_python(obj)
        if obj["kind"] != "run_launched" or event.schema <= JOURNAL_SCHEMA:
            return Entry(obj["seq"], Moment(obj["boot"], obj["boot_ms"], obj["wall_ms"]), event)
        reason = f"the run was written in format {event.schema} by a newer version"
        return UnknownEntry(obj["seq"], obj["kind"], reason, True)
    except (KeyError, ValueError) as error:
        return _unknown(obj, error)


def _unknown(obj: dict[str, Any], error: Exception) -> UnknownEntry:
    from quarterdeck.domain.events import JOURNAL_SCHEMA

    seq, kind = obj.get("seq"), obj.get("kind")
    number = seq if isinstance(seq, int) else 0
    if kind not in _kinds():
        return UnknownEntry(number, str(kind), f"unknown kind of entry {kind!r}", True)
    newer = kind == "run_launched" and obj.get("schema") != JOURNAL_SCHEMA
    return UnknownEntry(
        number, str(kind), f"entry {number} ({kind}) has fields that do not fit: {error}", newer
    )


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return usd_text(value)
    raise TypeError(f"{type(value).__name__} is no part of an event")


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value if type(value) is not str else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, tuple):
        return tuple(_without_surrogates(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _without_surrogates(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return type(value)(**fields)
    return value
