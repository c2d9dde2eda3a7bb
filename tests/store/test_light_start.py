"""What a process that only shows runs has to load: `quarterdeck runs` at 10,000 runs is judged by its start (P17)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MODELS = ("pydantic", "pydantic_core", "jinja2", "quarterdeck.store.workflow_schema")


def loaded_with(name: str) -> list[str]:
    """Which of the heavy modules a fresh interpreter has after importing that one."""
    program = (
        f"import importlib, json, sys; importlib.import_module({name!r}); "
        f"print(json.dumps([name for name in {MODELS!r} if name in sys.modules]))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded: list[str] = json.loads(ran.stdout)
    return loaded


@pytest.mark.parametrize(
    "name",
    [
        "quarterdeck.store.data_folder",
        "quarterdeck.store.event_codec",
        "quarterdeck.store.workflow_file",
        "quarterdeck.engine.pinning",
        "quarterdeck.engine.service",
        "quarterdeck.cli.history",
    ],
)
def test_no_model_is_built_before_a_file_or_a_journal_is_read(name: str) -> None:
    """data_folder brings index, journal and records with it."""
    assert loaded_with(name) == []


def test_the_list_of_finished_runs_is_loaded_without_any_model(tmp_path: object) -> None:
    from pathlib import Path

    from tests.store.builders import finish_run, open_store

    folder = Path(str(tmp_path)) / "data"
    store = open_store(folder)
    for number in (1, 2, 3):
        finish_run(store, number)
    store.close()
    program = (
        "import json, sys; from pathlib import Path; from quarterdeck.store.data_folder import Store; "
        f"found = Store.open(Path({str(folder)!r}), create=False).index.load(); "
        f"print(len(found), [name for name in {MODELS!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "3 []\n"
