"""Finished runs: one `record.json` a run, complete or absent (STO3, STO10).

A record is a dict made by the domain; only `schema`, `run_id` and `covers_seq` are read here. It is one framed line,
so damage is found; unknown keys are kept. The journal stays the truth beside it (ruling 15).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import RecordDamaged, RecordTooLarge, StoreDamaged, StoreTooNew, disk_errors
from quarterdeck.store.index_lines import RECORD_NAME
from quarterdeck.store.json_text import dumps, exact_loads
from quarterdeck.store.lines import DamagedLine, frame_body, unframe
from quarterdeck.store.quarantine import Quarantine
from quarterdeck.store.regular import read_regular

RECORD_SCHEMA = 1


def attempts_of(record: Mapping[str, Any]) -> frozenset[str]:
    """Ids of the attempts that a record tells of; none where it is of another shape."""
    try:
        return frozenset(one["attempt_id"] for slot in record["slots"] for one in slot["attempts"])
    except (KeyError, TypeError):
        return frozenset()


class Records:
    """The records of a store. Blocking; `publish` is for whoever owns the run (ruling 18)."""

    def __init__(self, io: DurableIO, folder_of: Callable[[RunId], Path], quarantine: Quarantine) -> None:
        self._io, self._folder_of, self._quarantine = io, folder_of, quarantine

    def publish(self, run_id: RunId, record: dict[str, Any], limit_bytes: int | None = None) -> int:
        """Makes the record visible at once and whole, replacing an older one; returns its size in bytes.

        limit_bytes: size that the encoded record may have; None: any.

        ValueError where run_id or covers_seq do not belong; StoreDown leaves what was there. RecordTooLarge: nothing was
        written. A damaged record that lies in its place is set aside first.
        """
        if record.get("run_id") != run_id or not isinstance(record.get("covers_seq"), int):
            raise ValueError(f"this is no record of run {run_id}")
        content = frame_body(dumps({"schema": RECORD_SCHEMA} | record))
        path = self._folder_of(run_id) / RECORD_NAME
        if limit_bytes is not None and len(content) > limit_bytes:
            raise RecordTooLarge(run_id, len(content), limit_bytes)
        self.set_aside_damaged(run_id)
        with disk_errors(path):
            replace_file(self._io, path, content)
        return len(content)

    def exists(self, run_id: RunId) -> bool:
        """Whether there is one, whatever is in it."""
        return (self._folder_of(run_id) / RECORD_NAME).exists()

    def set_aside_damaged(self, run_id: RunId) -> Path | None:
        """Moves a record that is damaged, or of a newer version, into the quarantine; where it lies now. For whoever owns
        the run.
        """
        try:
            self.read(run_id)
        except (RecordDamaged, StoreTooNew) as error:
            return self._quarantine.take(Path(error.path), f"{run_id}.{RECORD_NAME}")
        return None

    def read(self, run_id: RunId) -> dict[str, Any] | None:
        """The record; None where there is none. Raises RecordDamaged, StoreDamaged, StoreTooNew, StoreDown."""
        path = self._folder_of(run_id) / RECORD_NAME
        with disk_errors(path):
            try:
                content = read_regular(path)
            except FileNotFoundError:
                return None
            except StoreDamaged as error:
                raise RecordDamaged(error.path, error.reason) from error
        try:
            record = unframe(content, exact_loads)
        except DamagedLine as error:
            raise RecordDamaged(str(path), str(error)) from error
        if record.get("run_id") != run_id:
            raise RecordDamaged(str(path), f"it is the record of another run ({record.get('run_id')!r})")
        schema = record.get("schema")
        if not isinstance(schema, int) or not isinstance(record.get("covers_seq"), int):
            raise RecordDamaged(str(path), "it has no schema or covered sequence")
        if schema > RECORD_SCHEMA:
            raise StoreTooNew(str(path), schema, RECORD_SCHEMA)
        return record
