"""Launch inputs, and where programs are found (ADR 0010): all faults at once, each with its name or path."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from quarterdeck.domain.workflow import InputSpec, InputType
from quarterdeck.engine.inputs import CheckedInputs, InputProblems, check_inputs
from quarterdeck.engine.programs import ProgramProblem, agent_path, find_folder, find_program, find_programs
from tests.workflow_files.samples import loads, sound


def spec(
    kind: str, required: bool = False, default: object = None, options: tuple[str, ...] = ()
) -> InputSpec:
    return InputSpec("x", InputType(kind), required, default, options=options)


def value_of(given: object, of: InputSpec, base: Path) -> object:
    found = check_inputs([of], {"x": given}, base, base / "flow")
    assert isinstance(found, CheckedInputs), found
    return found.values["x"]


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("text", "a b", "a b"), ("text", "", ""), ("number", "5", 5), ("number", " 2.5 ", 2.5), ("number", 7, 7),
        ("number", "", None), ("number", "1e3", 1000.0), ("boolean", "Yes", True), ("boolean", "off", False),
        ("boolean", True, True), ("choice", "m", "m"), ("choice", "", None), ("folder", "", None),
    ],
)  # fmt: skip
def test_text_of_the_terminal_and_values_of_the_window_become_typed(
    kind, given, value, tmp_path: Path
) -> None:
    found = value_of(given, spec(kind, options=("s", "m")), tmp_path)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        ("number", "five", "must be a number"), ("number", "nan", "must be a number"), ("number", "inf", "must be a number"),
        ("number", "9" * 5000, "must be a number"), ("number", True, "must be a number"), ("number", "1_000", "must be a number"),
        ("boolean", "maybe", "true or false"), ("boolean", 1, "true or false"), ("choice", "xl", "one of s, m"),
        ("text", 5, "must be text"), ("text", "a\x00b", "NUL"), ("text", "\udcff", "UTF-8"),
        ("folder", "/nowhere/at/all", "not there: /nowhere/at/all"), ("file", "/", "must be a file"),
        ("folder", "/etc/passwd", "must be a folder"), ("file", 3, "must be a path"), ("folder", "x" * 5000, "cannot be read"),
        ("folder", "~nobody-of-that-name/x", "x"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_refused_by_name(
    kind: str, given: object, words: str, tmp_path: Path
) -> None:
    found = check_inputs([spec(kind, options=("s", "m"))], {"x": given}, tmp_path, tmp_path)
    assert isinstance(found, InputProblems)
    (problem,) = found.problems
    assert problem.name == "x"
    assert "“x”" in problem.message
    assert words in problem.message


def test_paths_become_absolute_from_where_the_person_is_and_defaults_from_the_workflow(
    tmp_path: Path,
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "flow" / "there").mkdir(parents=True)
    assert value_of("here", spec("folder"), tmp_path) == str(tmp_path / "here")
    found = check_inputs([spec("folder", default="there")], {}, tmp_path, tmp_path / "flow")
    assert isinstance(found, CheckedInputs)
    assert found.values == {"x": str(tmp_path / "flow" / "there")}


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    specs = [
        InputSpec("a", InputType.TEXT, True),
        InputSpec("b", InputType.NUMBER),
        InputSpec("c", InputType.FOLDER, True),
    ]
    found = check_inputs(specs, {"b": "x", "d": "y", "c": ""}, tmp_path, tmp_path)
    assert isinstance(found, InputProblems)
    assert [problem.name for problem in found.problems] == ["d", "a", "b", "c"]
    assert "--input a=" in found.sentence()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    found = check_inputs([spec("folder")], {"x": "shut"}, tmp_path, tmp_path)
    assert isinstance(found, InputProblems)
    assert "permission" in found.sentence()


# ------------------------------------------------------------------------------------------- programs


def program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_a_path_counts_from_the_workflow_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    tool = program(tmp_path / "tools" / "tool")
    assert find_program("./tools/tool", tmp_path, "/bin") == tool
    assert find_program("tools/tool", tmp_path, "/bin") == tool
    assert find_program(str(tool), Path("/"), "") == tool


def test_a_name_is_looked_for_in_path_and_then_beside_the_interpreter(tmp_path: Path) -> None:
    own = program(tmp_path / "a" / "ruff")
    assert find_program("ruff", tmp_path, f"{tmp_path / 'none'}:{tmp_path / 'a'}") == own
    beside = find_program(Path(sys.executable).name, tmp_path, str(tmp_path / "none"))
    assert beside == Path(sys.executable)
    assert agent_path("/a:/b").split(":") == ["/a", "/b", str(Path(sys.executable).parent)]


def test_relative_parts_of_path_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "tool-of-here")
    monkeypatch.chdir(tmp_path)
    assert isinstance(find_program("tool-of-here", tmp_path / "x", "::."), ProgramProblem)


def test_what_is_missing_or_not_executable_is_said_with_its_path(tmp_path: Path) -> None:
    """Case 107."""
    program(tmp_path / "a" / "tool", 0o644)
    cases = {"./gone": str(tmp_path / "gone"), "./a/tool": "chmod +x", "./a": "is no program", "no-such-tool": "not installed", " ": "names no program"}  # fmt: skip
    for name, words in cases.items():
        found = find_program(name, tmp_path, str(tmp_path / "b"))
        assert isinstance(found, ProgramProblem)
        assert words in found.message
    hidden = find_program("tool", tmp_path, str(tmp_path / "a"))
    assert isinstance(hidden, ProgramProblem)
    assert "not executable" in hidden.message


def test_all_programs_of_a_workflow_are_looked_for_at_once(tmp_path: Path) -> None:
    document = sound()
    document["agents"]["echo"]["argv"][0] = "no-such-tool"
    document["agents"]["bad"] = {"kind": "command", "argv": ["./also-missing"]}
    document["nodes"][0]["alternatives"] = ["bad"]
    document["agents"]["unused"] = {"kind": "command", "argv": ["./never-looked-for"]}
    found, missing = find_programs(loads(document).workflow, tmp_path, os.environ.get("PATH"))
    assert found == {}
    assert [problem.place for problem in missing] == ["$.agents.echo.argv[0]", "$.agents.bad.argv[0]"]


def test_a_working_folder_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "file").write_text("")
    assert find_folder("", tmp_path) == tmp_path
    assert find_folder("sub", tmp_path) == tmp_path / "sub"
    for text, words in {"gone": "not there", "file": "no folder", "a\x00b": "NUL"}.items():
        found = find_folder(text, tmp_path)
        assert isinstance(found, ProgramProblem)
        assert words in found.message
