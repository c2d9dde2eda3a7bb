"""A workflow's id is its home (STO5): a copy is noticed whatever its id is written in, and gets an id of its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.engine.homes import give_new_id
from quarterdeck.engine.service import Engine
from tests.engine.works import shell, to_end, write


@pytest.mark.parametrize("workflow", ["plain-1", "größe-日本"])
async def test_a_copied_folder_is_noticed_by_the_id_of_its_file(
    engine: Engine, tmp_path: Path, workflow: str
) -> None:
    first = write(tmp_path / "first", {"a": shell("true")}, id=workflow)
    await to_end(engine, first)
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    copied = tmp_path / "copy" / first.name
    assert await engine.keeping.other_home(WorkflowId(workflow), copied) == first


@pytest.mark.parametrize("is_ascii", [False, True])
def test_a_new_id_changes_the_file_behind_a_link_and_the_link_stays(tmp_path: Path, is_ascii: bool) -> None:
    document = {"name": "größe", "id": "größe-日本"}
    file, link = tmp_path / "real.workflow.json", tmp_path / "link.workflow.json"
    file.write_text(json.dumps(document, ensure_ascii=is_ascii))
    file.chmod(0o640)
    link.symlink_to(file)
    new = give_new_id(link)
    assert link.is_symlink()
    assert json.loads(file.read_text()) == {**document, "id": new}
    assert file.stat().st_mode & 0o777 == 0o640
