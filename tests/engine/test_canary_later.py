"""A secret that an agent printed is hidden in its pages also where another process gave it (AUT1, AUT2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.engine.attempt_details import Way
from quarterdeck.engine.door import LaunchRequest
from tests.engine.works import python, write
from tests.ui.real_desk import real_engine

CANARY = "kJ8wcanaryq2Z77"
TELLS = "say('turn'); say('text', text='the key ' + os.environ['THE_TOKEN'])"


@pytest.mark.parametrize("is_raw", [False, True])
async def test_pages_of_a_run_of_an_earlier_process_show_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_raw: bool
) -> None:
    monkeypatch.setenv("THE_TOKEN", CANARY)
    path = write(tmp_path / "w", {"a": python(TELLS, secrets={"THE_TOKEN": "env:THE_TOKEN"})})
    async with real_engine(tmp_path / "data") as engine:
        run = await engine.launch(LaunchRequest(path, {}))
        assert isinstance(run, str)
        await engine.wait_ended(run)
    async with real_engine(tmp_path / "data") as engine:
        assert not engine.sign_ins.handed
        view = await engine.run(run)
        attempt = view.slots[0].attempts[-1].attempt_id
        told = repr(await engine.details.page(run, attempt, 0, Way.AFTER, is_raw))
    assert "the key " + "*" * len(CANARY) in told
    assert CANARY not in told
