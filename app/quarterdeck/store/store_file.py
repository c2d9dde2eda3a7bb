"""`store.json`: schema, tenant and the two counters. Reading it, migrating it, and making it again where it is damaged.

A newer schema is read and never written (JNL9); an older one is copied beside itself before it is migrated. A damaged
file never hides the runs (cases 101, 103): it goes to the quarantine, and what it held is gathered from them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged, disk_errors
from quarterdeck.store.lines import DamagedLine, frame, unframe
from quarterdeck.store.regular import read_regular

STORE_SCHEMA = 1
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""{schema: to the next one}, pure. None yet: there was one schema so far."""
GAP = 1_000
"""Numbers left out after the file was made again: what was deleted may have had higher ones than what is left."""
_TENANT = re.compile(rb'(?<!\\)"tenant":"(t-[0-9a-f]{32})"')
_COUNTERS = {
    name: re.compile(rb'(?<!\\)"%b":([0-9]{1,15})\b' % name.encode()) for name in ("launch_seq", "end_seq")
}


def read_store(folder: Path) -> dict[str, Any] | None:
    """The content, of whatever schema; None where there is no file. Raises StoreDamaged, StoreDown."""
    path = folder / "store.json"
    with disk_errors(path):
        try:
            raw = read_regular(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
    try:
        content = unframe(raw)
    except DamagedLine as error:
        raise StoreDamaged(str(path), str(error)) from error
    schema = content.get("schema")
    if type(schema) is not int or not isinstance(content.get("tenant"), str):
        raise StoreDamaged(str(path), "schema or tenant are missing or of the wrong type")
    if schema <= STORE_SCHEMA and not all(type(content.get(name)) is int for name in _COUNTERS):
        raise StoreDamaged(str(path), "its counters are missing or of the wrong type")
    return content


def new_store(tenant: str = "", launch_seq: int = 0, end_seq: int = 0) -> dict[str, Any]:
    """A content of this schema; the tenant is minted where none is given."""
    tenant = tenant or f"t-{os.urandom(16).hex()}"
    return {"schema": STORE_SCHEMA, "tenant": tenant, "launch_seq": launch_seq, "end_seq": end_seq}


def migrate(io: DurableIO, folder: Path, content: dict[str, Any]) -> dict[str, Any]:
    """An older content as this version has it, durable; before that its file was copied to `store.json.schema-N`.

    The caller holds the store's lock. Unknown fields stay. Raises StoreDown, KeyError where no migration is known.
    """
    path = folder / "store.json"
    with disk_errors(path):
        replace_file(io, folder / f"store.json.schema-{content['schema']}", read_regular(path))
        while content["schema"] < STORE_SCHEMA:
            schema = content["schema"]
            content = MIGRATIONS[schema](content) | {"schema": schema + 1}
        replace_file(io, path, frame(content))
    return content


def gathered(folder: Path) -> dict[str, Any]:
    """What `store.json` held, from what is kept: the tenant of the runs, and counters above every number found."""
    tenants: Counter[str] = Counter()
    highest = dict.fromkeys(_COUNTERS, 0)
    for text in _texts(folder):
        tenants.update(found.decode() for found in _TENANT.findall(text))
        for name, pattern in _COUNTERS.items():
            highest[name] = max([highest[name], *map(int, pattern.findall(text))])
    tenant = tenants.most_common(1)[0][0] if tenants else ""
    gap = GAP if tenants or any(highest.values()) else 0
    return new_store(tenant, highest["launch_seq"] + gap, highest["end_seq"] + gap)


def _texts(folder: Path) -> Iterator[bytes]:
    """Ledger, journals and records, one after the other; what cannot be read is passed over."""
    places = [folder / "ledger.jsonl", folder / "index.jsonl"]
    for kind in ("runs", "discarded"):
        places += sorted((folder / kind).glob("*/journal*.jsonl")) + sorted(
            (folder / kind).glob("*/record.json")
        )
    for path in places:
        try:
            yield read_regular(path)
        except (OSError, StoreDamaged):
            continue
