"""Something else in the place of a run's file is damage of that run alone; nothing waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular
from tests.store.builders import finish_run, run_id

ODD = RunId("r-" + "2" * 32)


def link_to_itself(path: Path) -> None:
    path.symlink_to(path)


KINDS: list[Callable[[Path], None]] = [Path.mkdir, os.mkfifo, link_to_itself]  # type: ignore[list-item]


@pytest.mark.parametrize("make", KINDS)
def test_only_a_regular_file_is_read_and_nothing_is_waited_for(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path / "odd")
    with pytest.raises(StoreDamaged):
        read_regular(tmp_path / "odd")


@pytest.mark.parametrize("name", ["journal.jsonl", "record.json"])
@pytest.mark.parametrize("make", KINDS)
def test_the_list_goes_on_without_the_odd_run_and_names_it(
    make: Callable[[Path], None], name: str, store: Store
) -> None:
    finish_run(store, 1)
    folder = store.runs.folder(ODD)
    folder.mkdir()
    make(folder / name)
    (store.folder / "runs" / ("r-" + "3" * 32)).mkdir()  # a launch that was cut off
    assert list(store.index.load()) == [run_id(1)]
    assert list(store.index.unreadable) == [ODD]
    assert str(folder / name) in store.index.unreadable[ODD]


@pytest.mark.parametrize("make", KINDS)
def test_a_run_folder_that_is_none_takes_nothing_away(make: Callable[[Path], None], store: Store) -> None:
    finish_run(store, 1)
    make(store.folder / "runs" / ODD)
    assert list(store.index.load()) == [run_id(1)]
    assert store.index.unreadable == {}


def test_a_ledger_that_is_no_file_takes_nothing_and_is_named_for_what_it_is(store: Store) -> None:
    """No space would help it."""
    os.mkfifo(store.folder / "ledger.jsonl")
    with pytest.raises(StoreDamaged, match="a named pipe, not a file"):
        store.ledger.append([{"kind": "spend"}])


@pytest.mark.parametrize("make", KINDS)
def test_an_odd_index_is_no_index(make: Callable[[Path], None], store: Store) -> None:
    finish_run(store, 1)
    (store.folder / "index.jsonl").unlink()
    make(store.folder / "index.jsonl")
    assert list(store.index.load()) == [run_id(1)]
