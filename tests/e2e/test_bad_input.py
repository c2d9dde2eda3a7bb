"""Bad input through the real program: one clear error that names the place, exit 2, nothing written."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.real import quarterdeck
from tests.e2e.seen import marked, tree
from tests.e2e.works import shell, write_workflow

Document = dict[str, Any]


def sound() -> Document:
    """A workflow that would run."""
    return {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10",
        "name": "Sound",
        "agents": {"a": shell("touch ran"), "b": shell("touch ran")},
        "nodes": [{"id": "one", "agent": "a"}, {"id": "two", "agent": "b"}],
        "edges": [{"from": "one", "to": "two"}],
    }


def changed(**parts: Any) -> Callable[[], bytes]:
    return lambda: json.dumps({**sound(), **parts}, indent=1).encode()


def _edge(**parts: Any) -> Callable[[], bytes]:
    return changed(edges=[{"from": "one", "to": "two"}, parts])


def _second_node(**parts: Any) -> Callable[[], bytes]:
    return changed(nodes=[{"id": "one", "agent": "a"}, {"id": "two", "agent": "b", **parts}])


def _agent(**parts: Any) -> Callable[[], bytes]:
    return changed(agents={"a": shell("touch ran"), "b": {**shell("touch ran"), **parts}})


def _without(key: str) -> Callable[[], bytes]:
    return lambda: json.dumps({name: value for name, value in sound().items() if name != key}).encode()


TOO_MANY = 5_001
BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "an unknown node in an edge": (_edge(**{"from": "two", "to": "nowhere"}), "$.edges[1].to"),
    "a cycle": (_edge(**{"from": "two", "to": "one"}), "$.edges"),
    "an edge to itself": (_edge(**{"from": "two", "to": "two"}), "$.edges"),
    "a credential that is not set": (_agent(credential="env:NO_SUCH_KEY"), "$.agents.b.credential"),
    "a missing agent": (_second_node(agent="nobody"), "$.nodes[1].agent"),
    "a template that does not parse": (_second_node(prompt="{{ inputs. }}"), "$.nodes[1].prompt"),
    "a template with a statement": (_second_node(prompt="{% for a in b %}{% endfor %}"), "$.nodes[1].prompt"),
    "a template that names an unknown input": (_second_node(prompt="{{ inputs.nothing }}"), "$.nodes[1].prompt"),
    "a template that names an unknown node": (_second_node(prompt="{{ nodes.six.output }}"), "$.nodes[1].prompt"),
    "a wrong type": (_second_node(timeout_s="soon"), "$.nodes[1].timeout_s"),
    "a list that is a word": (changed(nodes="one"), "$.nodes"),
    "a budget that is no number": (changed(limits={"budget_usd": "much"}), "$.limits.budget_usd"),
    "too many nodes": (
        lambda: json.dumps({**sound(), "nodes": [{"id": f"n{i}", "agent": "a"} for i in range(TOO_MANY)]}).encode(),
        "$.nodes",
    ),
    "over 10 MB": (lambda: json.dumps({**sound(), "notes": ["x" * 10_500_000]}).encode(), ""),
    "not UTF-8": (lambda: json.dumps(sound()).encode().replace(b"Sound", b"S\xf6und"), ""),
    "no JSON": (lambda: b'{"format": "quarterdeck.workflow/1",\n "id": }', ""),
    "empty": (lambda: b"", ""),
    "no object": (lambda: b"[]", "$"),
    "two nodes with one id": (_second_node(id="one"), "$.nodes[1].id"),
    "an id that is none": (_second_node(id="Not an id"), "$.nodes[1].id"),
    "no agents": (_without("agents"), "agents"),
    "no format": (_without("format"), "format"),
    "a format of the future": (changed(format="quarterdeck.workflow/2"), "$.format"),
    "a kind that nobody knows": (_agent(kind="telepath"), "$.agents.b.kind"),
    "an executable that is missing": (_agent(argv=["/no/such/program"]), "$.agents.b.argv[0]"),
    "an executable that is nowhere on PATH": (_agent(argv=["no-such-program-anywhere"]), "$.agents.b.argv[0]"),
    "an executable that is not executable": (_agent(argv=["./plain.txt"]), "$.agents.b.argv[0]"),
    "an executable that is a folder": (_agent(argv=["./folder"]), "$.agents.b.argv[0]"),
    "a working folder that is missing": (_agent(cwd="no/such/folder"), "$.agents.b.cwd"),
    "an attachment that is missing": (_second_node(attach=["no/such.md"]), "$.nodes[1].attach"),
    "an attachment outside the workspace": (_second_node(attach=["../../etc/passwd"]), "$.nodes[1].attach"),
}  # fmt: skip


def refused(told: subprocess.CompletedProcess[bytes]) -> Document:
    """The refusal of a call that must be one: exit 2, one document on stdout, one sentence on stderr."""
    assert told.returncode == 2, (told.returncode, told.stderr.decode()[-600:])
    said = told.stderr.decode()
    assert "Traceback" not in said
    return dict(json.loads(told.stdout))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "folder").mkdir(parents=True)
    (folder / "plain.txt").write_text("no program")
    (tmp_path / "quarterdeck-config").mkdir()
    return folder


def places(tmp_path: Path) -> tuple[Path, ...]:
    return tmp_path / "workspace", tmp_path / "quarterdeck-data", tmp_path / "quarterdeck-config"


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_file_is_one_clear_error_that_names_the_place_and_nothing_is_written(
    tmp_path: Path, workspace: Path, fault: str
) -> None:
    content, place = BAD[fault]
    file = workspace / "bad.workflow.json"
    file.write_bytes(content())
    before = tree(*places(tmp_path))
    told = quarterdeck("run", file, "--json")
    refusal = refused(told)
    assert tree(*places(tmp_path)) == before
    assert refusal["code"] in ("E_WORKFLOW", "E_NOT_BUILT")
    assert any(place in problem["place"] for problem in refusal["problems"]), refusal
    assert len(refusal["message"]) < 600
    assert not marked(str(tmp_path).encode() + b"/")


@pytest.mark.parametrize(
    "fault", ["a cycle", "a template that does not parse", "an executable that is missing", "not UTF-8"]
)
def test_the_words_for_a_person_name_file_and_place(workspace: Path, fault: str) -> None:
    content, place = BAD[fault]
    file = workspace / "bad.workflow.json"
    file.write_bytes(content())
    told = quarterdeck("run", file)
    assert (told.returncode, told.stdout) == (2, b"")
    assert file.name in told.stderr.decode()
    assert place in told.stderr.decode()


INPUTS = [
    {"name": "count", "type": "number", "required": True},
    {"name": "where", "type": "folder"},
    {"name": "what", "type": "file"},
    {"name": "how", "type": "choice", "options": ["a", "b"]},
    {"name": "sure", "type": "boolean"},
]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ((), "count"),
        (("count=many",), "count"),
        (("count=1", "where=/no/such/folder"), "where"),
        (("count=1", "where=/etc/hostname"), "where"),
        (("count=1", "what=/no/such/file"), "what"),
        (("count=1", "how=c"), "how"),
        (("count=1", "sure=perhaps"), "sure"),
        (("count=1", "other=1"), "other"),
        (("count",), "count"),
    ],
)
def test_a_bad_input_is_one_clear_error_that_names_it_and_nothing_is_written(
    tmp_path: Path, workspace: Path, given: tuple[str, ...], name: str
) -> None:
    file = workspace / "inputs.workflow.json"
    file.write_bytes(changed(inputs=INPUTS)())
    before = tree(*places(tmp_path))
    told = quarterdeck("run", file, "--json", *(word for value in given for word in ("--input", value)))
    refusal = refused(told)
    assert name in refusal["message"]
    assert tree(*places(tmp_path)) == before


@pytest.mark.parametrize("kind", ["no such file", "a folder", "no such folder"])
def test_a_path_that_is_no_file_is_one_clear_error(tmp_path: Path, workspace: Path, kind: str) -> None:
    path = {
        "no such file": workspace / "no.workflow.json",
        "a folder": workspace,
        "no such folder": tmp_path / "nowhere" / "a.workflow.json",
    }[kind]
    before = tree(*places(tmp_path))
    refusal = refused(quarterdeck("run", path, "--json"))
    assert path.name in refusal["message"]
    assert tree(*places(tmp_path)) == before


def _mount(source: bytes, target: bytes, kind: bytes, flags: int) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.mount(source, target, kind, flags, None)) == 0


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder cannot be written, not by root either: a read-only bind mount, else no permission."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        try:
            yield
        finally:
            folder.chmod(0o700)
        return
    path = os.fsencode(folder)
    bind, read_only_again = 0x1000, 0x1000 | 0x20 | 0x1
    if not _mount(path, path, b"none", bind):
        pytest.skip("neither an ordinary user nor allowed to mount")
    try:
        assert _mount(b"none", path, b"none", read_only_again)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_workspace_is_no_obstacle_and_stays_as_it_was(tmp_path: Path, workspace: Path) -> None:
    """Nothing of ours is written there; only an agent that writes there meets the disk's answer."""
    file = write_workflow(workspace, {"a": shell("echo fine")})
    before = tree(workspace)
    with read_only(workspace):
        told = quarterdeck("run", file, "--json")
    assert told.returncode == 0, told.stderr.decode()
    assert tree(workspace) == before


def test_a_read_only_data_folder_is_refused_with_exit_6_and_nothing_is_written(
    tmp_path: Path, workspace: Path
) -> None:
    file = write_workflow(workspace, {"a": shell("touch ran")})
    data = tmp_path / "quarterdeck-data"
    data.mkdir()
    before = tree(*places(tmp_path))
    with read_only(data):
        told = quarterdeck("run", file, "--json")
    assert told.returncode == 6, told.stderr.decode()
    assert str(data) in json.loads(told.stdout)["message"]
    assert tree(*places(tmp_path)) == before


def test_a_workspace_that_a_person_may_not_read_is_exit_2(tmp_path: Path, workspace: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    file = write_workflow(workspace, {"a": shell("touch ran")})
    file.chmod(0)
    assert refused(quarterdeck("run", file, "--json"))["code"] == "E_WORKFLOW"


def test_all_faults_are_told_at_once(workspace: Path) -> None:
    file = workspace / "many.workflow.json"
    file.write_bytes(
        changed(
            nodes=[
                {"id": "one", "agent": "nobody"},
                {"id": "one", "agent": "a"},
                {"id": "two", "agent": "a", "timeout_s": -1},
            ],
            edges=[{"from": "one", "to": "gone"}],
        )()
    )
    told = {problem["place"] for problem in refused(quarterdeck("check", file, "--json"))["problems"]}
    assert {"$.nodes[0].agent", "$.nodes[1].id", "$.nodes[2].timeout_s", "$.edges[0].to"} <= {
        place.split(" ")[0] for place in told
    }
