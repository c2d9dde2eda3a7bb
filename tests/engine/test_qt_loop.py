"""The engine on Qt's own loop: sockets of shims and owners, pidfds and worker threads work there as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.domain.states import Outcome
from tests.engine.conftest import Opener
from tests.engine.works import FOREVER, attempt_of, ended, launch, python, shell, shows, until, write

pytest.importorskip("qasync")


@pytest.mark.qt_loop
async def test_a_run_of_each_kind_goes_its_way_on_qasync(open_engine: Opener, tmp_path: Path) -> None:
    owner, other = await open_engine(), await open_engine()
    path = write(
        tmp_path,
        {"a": shell("printf one"), "b": shell("cat")},
        ("a", "b"),
        nodes={"b": {"prompt": "{{ nodes.a.output }}"}},
    )
    view = await ended(owner, await launch(owner, path))
    assert (view.outcome, attempt_of(view, "b").output) == (Outcome.COMPLETED, "one")
    run = await launch(owner, write(tmp_path / "long", {"a": python(FOREVER)}))
    await until(owner, run, shows("a", "Running"))
    assert await other.stop_run(run) is None
    assert (await ended(owner, run)).outcome is Outcome.STOPPED
