"""The lines of `run --events` (design §8), made from journal entries and reports."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from quarterdeck.domain.events import Entry, RunLaunched
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.reports import Report
from quarterdeck.domain.run_state import RunState
from quarterdeck.engine.door import FeedEvent

_ENVELOPE = frozenset({"seq", "kind", "epoch", "boot_ms", "wall_ms", "crc"})


def _plain(value: Any) -> Any:
    """A domain value as JSON: dataclasses as objects, money as decimal text, enumerations as their words."""
    if isinstance(value, Decimal):
        return usd_text(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


def event_line(seq: int, run: RunId, entry: Entry, state: RunState) -> FeedEvent:
    """A decision as an event; the header comes without its bindings, which `show` gives."""
    data = _plain(entry.event)
    if isinstance(entry.event, RunLaunched):
        data.pop("bindings")
    slot, attempt = data.pop("slot_id", None), data.pop("attempt_id", None)
    epoch = data.pop("epoch", None)
    if epoch is None and attempt in state.attempts:
        epoch = state.attempts[attempt].epoch
    return FeedEvent(seq, entry.at, data.pop("kind"), run, slot, attempt, epoch, data)


def report_line(
    seq: int, run: RunId, slot: SlotId, attempt: AttemptId, report: Report, boot: str
) -> FeedEvent:
    """A report as an event; its type is the report's kind, its own sequence is `data.report_seq`."""
    data = {name: value for name, value in report.items() if name not in _ENVELOPE}
    data["report_seq"] = report.get("seq")
    at = Moment(boot, int(report.get("boot_ms", 0)), int(report.get("wall_ms", 0)))
    return FeedEvent(seq, at, str(report.get("kind")), run, slot, attempt, report.get("epoch"), data)
