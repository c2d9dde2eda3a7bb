"""More situations around losing the app that broke comparable products, each by its number: folders of agents that went away, processes
that keep a folder, saves that were cut short.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.preferences import Preferences
from quarterdeck.engine.homes import give_new_id
from quarterdeck.engine.recovery import ResumePreview
from quarterdeck.engine.service import Engine
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.settings_file import read_preferences, write_preferences
from tests.cli.real import document, quarterdeck, running
from tests.e2e.seen import AGENT, KEEPER, journal_of, marked, wait_until
from tests.e2e.test_situations import attempts
from tests.e2e.test_situations_restart import FOREVER, TAKES_UP, killed, notes, place
from tests.e2e.works import python, write_workflow
from tests.store.faulty_io import CountingIO, KillingIO

pytestmark = pytest.mark.timeout(300)


def git(folder: Path, *arguments: object) -> None:
    subprocess.run(["git", "-C", str(folder), *map(str, arguments)], check=True, capture_output=True)


# ------------------------------------------------------------------------------------------- folders of agents


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_resume_whose_folder_is_gone_says_which_and_changes_nothing(tmp_path: Path) -> None:
    """Case 43: stopped, its branch checked out elsewhere, started again: the prompt is there, the second step of Resume names what is in
    the way, and a resume all the same leaves the agent open.
    """
    repository, tree, elsewhere = tmp_path / "repository", tmp_path / "tree", tmp_path / "elsewhere"
    repository.mkdir()
    git(repository, "init", "-q")
    git(
        repository,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "first",
    )
    git(repository, "worktree", "add", "-q", "-b", "work", tree)
    home = tmp_path / "workspace"
    home.mkdir()
    file = write_workflow(home, {"a": python(TAKES_UP + FOREVER, home, cwd=str(tree))})
    run = killed(tmp_path, home, file)
    git(repository, "worktree", "remove", "--force", tree)
    git(repository, "worktree", "add", "-q", elsewhere, "work")
    (told,) = document("recover")["runs"]
    assert [agent["node_id"] for agent in told["agents"]] == ["a"]
    before = journal_of(place(tmp_path, run))
    preview = asyncio.run(_before_resume(tmp_path, run))
    assert preview.choices[0].problem == f"The folder {tree} is not there."
    assert journal_of(place(tmp_path, run)) == before, "a look changes nothing"
    refused = quarterdeck("resume", run, "a", "--reason", "its branch is elsewhere", "--json")
    assert refused.returncode != 0
    assert str(tree).encode() in refused.stderr + refused.stdout
    assert not tree.exists(), "an empty folder in its place would hide what happened"
    assert notes(home, "at work") == 1
    git(repository, "worktree", "remove", "--force", elsewhere)
    git(repository, "worktree", "add", "-q", tree, "work")
    again = quarterdeck("resume", run, "a", "--reason", "its folder is back", "--json")
    assert again.returncode == 0, again.stderr.decode()
    made = attempts(dict(json.loads(again.stdout)))["a"]
    assert [one["status"] for one in made] == ["interrupted", "failed", "succeeded"], (
        "SLT17: what could not start is told"
    )


async def _before_resume(tmp_path: Path, run: str) -> ResumePreview:
    engine = await Engine.open(tmp_path / "quarterdeck-data", read_only=True)
    try:
        preview = await engine.recovery.before_resume(RunId(run), SlotId("a"))
        assert isinstance(preview, ResumePreview)
        return preview
    finally:
        await engine.close()


def test_records_whose_folder_a_process_still_keeps_are_not_taken_away(tmp_path: Path) -> None:
    """Cases 55 and 56: its keeper is gone too, and a child lives on in the attempt's own folder; Discard and pruning wait for it."""
    home = tmp_path / "workspace"
    home.mkdir()
    stays = "if os.fork() == 0:\n    os.setsid()\n    note('at work')\nwhile True: time.sleep(0.05)\n"
    agent = {**python(stays, home), "containment": "tree"}
    with running(tmp_path, "run", write_workflow(home, {"a": agent}), "--json") as run:
        wait_until(lambda: notes(home, "at work") == 1, 60)
        (folder,) = (tmp_path / "quarterdeck-data" / "runs").iterdir()
        word = str(tmp_path).encode() + b"/"
        keepers = marked(word, KEEPER).keys() - marked(word, AGENT).keys()
        os.kill(run.process.pid, signal.SIGSTOP)
        run.process.kill()
        for pid in keepers:
            os.kill(pid, signal.SIGKILL)
        run.process.wait()
    (left,) = wait_until(lambda: len(found := marked(word)) == 1 and found, 8, "the end of the agent itself")
    try:
        (told,) = document("recover")["runs"]
        assert [one["pid"] for agent in told["agents"] for one in agent["survivors"]] == [left]
        refused = quarterdeck("discard", folder.name)
        assert refused.returncode != 0
        assert b"process" in refused.stderr + refused.stdout
        assert journal_of(folder), "its records are where they were"
        assert quarterdeck("prune").returncode == 0
        assert journal_of(folder)
    finally:
        os.kill(left, signal.SIGKILL)
    wait_until(lambda: not marked(word), 8, "the end of what was left")
    done = quarterdeck("discard", folder.name)
    assert done.returncode == 0, done.stderr.decode()
    assert not folder.exists()


# ------------------------------------------------------------------------------------------- saves


def _save_workflow(folder: Path, io: DurableIO) -> None:
    give_new_id(folder / "work.workflow.json", io)


def _save_settings(folder: Path, io: DurableIO) -> None:
    write_preferences(folder, Preferences(notice_command=("new",)), io)


def _begin_workflow(folder: Path) -> Callable[[], Any]:
    path = write_workflow(folder, {"a": python("pass")})
    return lambda: json.loads(path.read_bytes())["id"]


def _begin_settings(folder: Path) -> Callable[[], Any]:
    folder.mkdir()
    write_preferences(folder, Preferences(notice_command=("old",)))

    def read() -> Any:
        found = read_preferences(folder)
        assert not found.fault, "half a file"
        return found.preferences.notice_command

    return read


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize(
    ("begin", "save"), [(_begin_workflow, _save_workflow), (_begin_settings, _save_settings)]
)
def test_a_save_that_is_cut_short_leaves_the_old_file_or_the_new_one(
    tmp_path: Path,
    torn: bool,
    begin: Callable[[Path], Callable[[], Any]],
    save: Callable[[Path, DurableIO], None],
) -> None:
    """Case 100, STO10: killed at each operation, and in the middle of each write; never nothing, never half."""
    counting = CountingIO()
    begin(tmp_path / "counted")
    save(tmp_path / "counted", counting)
    assert len(counting.operations) >= 5
    seen = set()
    for at in range(1, len(counting.operations) + 1):
        folder = tmp_path / f"{at}"
        read = begin(folder)
        old = read()
        pid = os.fork()
        if pid == 0:
            save(folder, KillingIO(at, torn=torn))
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        seen.add(read() == old)
        save(folder, DurableIO())
        assert read() != old, "what was left hinders the next save"
    assert seen == {True, False}
