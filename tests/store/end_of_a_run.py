"""A real process that ends one run, for whoever counts what it writes: `python -m tests.store.end_of_a_run FOLDER`.

It does what the engine does at a run's end: last decision, number of the end, record, line of the run list, spend.
`fill` makes the history before it, by writing files and not by living ten thousand lives.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from quarterdeck.domain.events import RunEnded
from quarterdeck.domain.states import Outcome
from quarterdeck.store.data_folder import Store
from quarterdeck.store.lines import frame
from tests.store.builders import AT, new_run, record, run_id
from tests.store.faulty_io import UnsyncedIO

NEW = 50_000
SIZE = 500


def spend(number: int) -> dict[str, object]:
    return {"kind": "spend", "run": run_id(number), "attempt": "a-1", "model": "m", "hour": 7, "upto": 12}


def fill(folder: Path, count: int) -> None:
    """So many records of finished runs (a record stands without its journal), all in the run list and in the ledger."""
    store = Store.open(folder, UnsyncedIO())
    for number in range(1, count + 1):
        run = os.fspath(store.runs.folder(run_id(number)))
        os.mkdir(run)
        with open(f"{run}/record.json", "wb") as file:
            file.write(frame({"schema": 1} | record(number, 2, SIZE)))
    assert len(store.index.load()) == count
    store.ledger.append([spend(number) for number in range(1, count + 1)])
    store.close()


def main(folder: Path) -> None:
    store = Store.open(folder)
    journal = new_run(store, NEW)
    end_seq = store.next_end_seq()
    journal.append(RunEnded(Outcome.COMPLETED, end_seq, 0, ""), AT, sync=True).result()
    made = record(NEW, 2, SIZE)
    store.records.publish(run_id(NEW), made)
    store.index.append(made)
    store.ledger.append([spend(NEW)])
    journal.close()
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
