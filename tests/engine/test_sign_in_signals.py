"""What of what agents tell moves the memory of sign-ins, and what does not (AUT4, AUT6; Q3): real agents, real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.engine.service import Engine
from tests.engine.works import PYTHON, displays, to_end, write

RECORDED = Path(__file__).parents[1] / "agents" / "recorded"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEAD_KEY", "the-dead-one")


def program(path: Path, source: str) -> str:
    """A program of one's own that a person could have named in `argv`."""
    path.write_text(f"#!{PYTHON}\nimport os, sys, time, json\n{source}")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
async def test_a_key_that_may_not_use_one_model_is_not_remembered_as_dead(
    engine: Engine, tmp_path: Path, version: str
) -> None:
    """AUT6: what Claude Code prints at a 403 refuses no agent of another model."""
    recorded = RECORDED / f"claude-{version}" / "auth403.jsonl"
    source = f"sys.stdin.readline()\nsys.stdout.write(open({str(recorded)!r}).read())\nsys.exit(1)\n"
    one = {
        "kind": "claude-code",
        "argv": [program(tmp_path / "claude", source)],
        "credential": "env:DEAD_KEY",
    }
    view = await to_end(engine, write(tmp_path, {"a": one, "b": {**one, "model": "another-model"}}))
    assert displays(view) == {"a": "Failed", "b": "Failed"}
    assert [len(slot.attempts) for slot in view.slots] == [1, 1]
    assert not engine.sign_ins.standing().remembered
