"""`discard`, `prune`, the foot of `runs`, and what the terminal says of files that it cannot read."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.program import run_program
from quarterdeck.domain.states import Outcome
from quarterdeck.store.data_folder import Store
from quarterdeck.store.lines import frame
from tests.cli.call import MemorySink
from tests.engine.kept import end_run, open_with_list
from tests.store.builders import run_id


class Told:
    """What one call of the program answered."""

    def __init__(self, *argv: str) -> None:
        self.out, self.err = MemorySink(columns=200), MemorySink(columns=200)
        self.code = run_program(argv, open_window=lambda _: 0, console=Console(self.out, self.err, None))

    @property
    def document(self) -> Any:
        return json.loads(self.out.text)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Three runs of one workflow, the second of them interrupted."""
    monkeypatch.setenv("QUARTERDECK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("QUARTERDECK_LOG_DIR", str(tmp_path / "log"))
    made = open_with_list(tmp_path / "data")
    for number in (1, 2, 3):
        end_run(
            made, number, outcome=Outcome.INTERRUPTED if number == 2 else Outcome.COMPLETED, artifact=50_000
        )
    yield made
    made.close()


def settings(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "settings.toml").write_text(text)


def listed() -> list[str]:
    return [run["run_id"] for run in Told("runs", "--json").document["runs"]]


def test_discard_and_its_undo_print_what_show_prints(store: Store) -> None:
    """REC13, design §8."""
    before = Told("show", run_id(3), "--json").document
    told = Told("discard", run_id(3), "--json")
    assert told.code == exits.DONE
    assert told.document == before | {"phase": "closed"}
    assert "--undo" in told.err.text
    assert listed() == [run_id(2), run_id(1)]
    back = Told("discard", run_id(3), "--undo", "--json")
    assert back.code == exits.DONE
    assert back.document == before
    assert listed() == [run_id(3), run_id(2), run_id(1)]


def test_what_cannot_be_discarded_is_refused_with_its_code(store: Store) -> None:
    told = Told("discard", "r-ffff", "--json")
    assert (told.code, told.document["code"]) == (exits.REFUSED, "E_RUN")
    told = Told("discard", run_id(3), "--undo", "--json")
    assert (told.code, told.document["code"]) == (exits.REFUSED, "E_RUN")
    assert len(listed()) == 3


def test_a_run_that_cannot_be_read_is_listed_apart_and_can_be_discarded(store: Store) -> None:
    """Case 20; one bad file never hides the rest."""
    folder = store.runs.folder(run_id(1))
    for name in ("journal.jsonl", "record.json"):
        (folder / name).write_bytes(b"")
    told = Told("runs", "--json")
    assert [run["run_id"] for run in told.document["runs"]] == [run_id(3), run_id(2)]
    (bad,) = told.document["unreadable"]
    assert (bad["run_id"], bad["path"]) == (run_id(1), str(folder))
    assert bad["reason"] in told.err.text
    assert Told("runs").out.text.count("r-0") == 2
    told = Told("discard", run_id(1), "--json")
    assert told.document == {"run_id": run_id(1), "phase": "closed", "slots": []}
    assert Told("runs", "--json").document["unreadable"] == []


def test_the_workflow_says_that_its_last_run_was_discarded(store: Store, tmp_path: Path) -> None:
    """C12."""
    assert Told("discard", run_id(3)).code == exits.DONE
    assert Told("discard", run_id(2)).code == exits.DONE
    told = Told("status", str(tmp_path), "--json").document["workflows"]
    assert [(one["shown_run"], one["closed"]) for one in told] == [(run_id(3), "discarded")]
    assert "completed, discarded" in Told("status", str(tmp_path)).out.text


def test_prune_says_what_would_go_and_then_lets_it_go(store: Store, tmp_path: Path) -> None:
    """STO6: the interrupted run waits for its answer, the newest is pinned."""
    settings(tmp_path, "[keeping]\nruns = 1\n")
    told = Told("prune", "--dry-run", "--json").document
    assert told["dry_run"]
    assert [(one["run_id"], one["why"]) for one in told["leaving"]] == [(run_id(1), "count")]
    assert told["leaving"][0]["size_bytes"] > 50_000
    assert told["kept"]["is_over"]
    assert len(listed()) == 3
    done = Told("prune")
    assert done.code == exits.DONE
    assert "more runs than are kept" in done.out.text
    assert re.search(r"1 run went, 5\d\.\d kB in all\. Kept: 2 runs", done.err.text)
    assert "interrupted and not answered" in done.err.text
    assert listed() == [run_id(3), run_id(2)]
    again = Told("prune", "--json").document
    assert again["leaving"] == []


def test_a_pinned_run_stays_and_prune_says_so_and_what_it_costs(store: Store, tmp_path: Path) -> None:
    """STO7: pinned by a person, above the cap; unpinned, it goes."""
    settings(tmp_path, "[keeping]\nruns = 1\n")
    told = Told("pin", run_id(1), "--json")
    assert (told.code, told.document) == (exits.DONE, {"run_id": run_id(1), "pinned": True})
    assert f"quarterdeck pin {run_id(1)} --undo" in told.err.text
    dry = Told("prune", "--dry-run")
    assert "0 runs would go" in dry.err.text
    assert re.search(r"Kept: pinned by you: 1 run, 5\d\.\d kB with transcripts\.", dry.err.text)
    assert run_id(1)[:14] in dry.err.text
    assert "runs that you pinned" in dry.err.text
    (one,) = Told("prune", "--json").document["pinned"]
    assert (one["run_id"], one["size_bytes"] > 50_000, one["transcript_bytes"]) == (run_id(1), True, 0)
    assert len(listed()) == 3
    undone = Told("pin", run_id(1), "--undo")
    assert undone.code == exits.DONE
    assert "not pinned any more" in undone.err.text
    assert Told("prune", "--json").document["pinned"] == []
    assert listed() == [run_id(3), run_id(2)]


def test_discard_of_a_pinned_run_says_that_it_was_pinned(store: Store) -> None:
    Told("pin", run_id(1))
    assert "It was pinned." in Told("discard", run_id(1)).err.text
    assert "It was pinned." not in Told("discard", run_id(3)).err.text
    told = Told("pin", "r-ffff", "--json")
    assert (told.code, told.document["code"]) == (exits.REFUSED, "E_RUN")


def test_the_list_says_how_much_is_kept_here(store: Store) -> None:
    size = sum(path.stat().st_size for path in (store.folder / "runs").rglob("*") if path.is_file())
    assert f"Kept on this computer only: 3 runs, {size / 1000:.0f} kB." in Told("runs").err.text
    Told("prune")
    assert "Kept on this computer only: 3 runs, " in Told("runs").err.text


def test_a_newer_store_is_listed_with_one_sentence_and_everything_else_ends_with_6(
    store: Store, tmp_path: Path
) -> None:
    """JNL9."""
    (store.folder / "store.json").write_bytes(frame({"schema": 2, "tenant": "t"}))
    told = Told("runs", "--json")
    assert len(told.document["runs"]) == 3
    assert told.err.text.count("newer Quarterdeck") == 1
    for argv in (("discard", run_id(1)), ("pin", run_id(1)), ("pin", run_id(1), "--undo"), ("prune",)):
        assert Told(*argv).code == exits.STORE


def workflow(folder: Path, name: str = "work") -> Path:
    folder.mkdir(exist_ok=True)
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10",
        "name": name,
        "agents": {"a": {"kind": "command", "argv": ["/bin/sh", "-c", "exit 0"]}},
        "nodes": [{"id": "a", "agent": "a"}],
    }
    path = folder / f"{name}.workflow.json"
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


@pytest.mark.parametrize(
    "place", [lambda folder: folder.rename, lambda folder: lambda to: shutil.copytree(folder, to)]
)
def test_a_moved_project_keeps_its_history_and_a_copied_one_is_told(
    place: Callable[[Path], Callable[[Path], object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STO5."""
    for name in ("DATA", "CONFIG", "LOG"):
        monkeypatch.setenv(f"QUARTERDECK_{name}_DIR", str(tmp_path / name))
    first = workflow(tmp_path / "one")
    assert Told("run", str(first)).code == exits.DONE
    assert "same id" not in Told("check", str(first)).err.text
    place(tmp_path / "one")(tmp_path / "two")
    second = tmp_path / "two" / first.name
    is_copy = first.exists()
    told = Told("check", str(second))
    assert ("same id" in told.err.text) == (str(first) in told.err.text) == is_copy
    (status,) = Told("status", str(tmp_path / "two"), "--json").document["workflows"]
    assert status["state"] == "ended"
    if is_copy:
        before = json.loads(second.read_text())
        assert Told("check", str(second), "--new-id").code == exits.DONE
        after = json.loads(second.read_text())
        assert after == before | {"id": after["id"]}
        assert after["id"] != before["id"]
        assert len(second.read_text().splitlines()) == len(first.read_text().splitlines())
        assert "same id" not in Told("check", str(second)).err.text
