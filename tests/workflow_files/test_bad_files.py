"""Bad input: one clear error that names the place; all errors of a file at once (design §6, issue "Bad input")."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.store.workflow_file import BrokenFile, load_workflow, parse_workflow
from tests.workflow_files.samples import problems, problems_of_bytes, sound, written

Change = Callable[[dict[str, Any]], object]

ONE_FAULT: list[tuple[str, Change, str, str]] = [
    ("unknown format", lambda d: d.update(format="quarterdeck.workflow/2"), "$.format", "quarterdeck.workflow/1"),
    ("no id", lambda d: d.pop("id"), "$.id", "missing"),
    ("no name", lambda d: d.pop("name"), "$.name", "missing"),
    ("empty name", lambda d: d.update(name="  "), "$.name", "empty"),
    ("no agents", lambda d: d.pop("agents"), "$.agents", "missing"),
    ("nodes wrong type", lambda d: d.update(nodes={}, edges=[]), "$.nodes", "must be a list, not an object"),
    ("no nodes at all", lambda d: d.update(nodes=[], edges=[]), "$.nodes", "at least one node"),
    ("number for text", lambda d: d["nodes"][0].update(title=7), "$.nodes[0].title", "must be text, not a number"),
    ("text for number", lambda d: d["agents"]["echo"].update(timeout_s="5"), "$.agents.echo.timeout_s", "seconds"),
    ("text for flag", lambda d: d["agents"]["echo"].update(allow_dash="no"), "$.agents.echo.allow_dash", "true or false"),
    ("negative time", lambda d: d["agents"]["echo"].update(timeout_s=-1), "$.agents.echo.timeout_s", "over 0"),
    ("money that is none", lambda d: d["limits"].update(budget_usd="a lot"), "$.limits.budget_usd", "US dollars"),
    ("negative money", lambda d: d["limits"].update(budget_usd="-1"), "$.limits.budget_usd", "US dollars"),
    ("prices that are none", lambda d: d["agents"]["echo"].update(prices=[]), "$.agents.echo.prices", "must be an object"),
    ("price that is none", lambda d: d["agents"]["echo"].update(prices={"m": "3"}), "$.agents.echo.prices.m", "must be an object"),
    ("price without sense", lambda d: d["agents"]["echo"].update(prices={"m": {"input": "-1"}}), "$.agents.echo.prices.m.input", "US dollars"),
    ("prices without end", lambda d: d["agents"]["echo"].update(prices={str(i): {} for i in range(1001)}), "$.agents.echo.prices", "1,000 models"),
    ("parallel zero", lambda d: d["limits"].update(max_parallel=0), "$.limits.max_parallel", "from 1"),
    ("retry zero", lambda d: d["nodes"][0].update(retry={"max_attempts": 0}), "$.nodes[0].retry.max_attempts", "from 1"),
    ("position", lambda d: d["nodes"][0].update(position=[1]), "$.nodes[0].position", "two numbers"),
    ("note", lambda d: d.update(notes=[{"position": [0, 0]}]), "$.notes[0].text", "required"),
    ("frame", lambda d: d.update(frames=[{"rect": [0, 0, 5, 0]}]), "$.frames[0].rect", "over 0"),
    ("unknown agent kind", lambda d: d["agents"]["echo"].update(kind="robot"), "$.agents.echo.kind", "robot"),
    ("command without argv", lambda d: d["agents"]["echo"].pop("argv"), "$.agents.echo.argv", "needs “argv”"),
    ("acp without argv", lambda d: d["agents"]["other"].update(kind="acp"), "$.agents.other.argv", "needs “argv”"),
    ("program as template", lambda d: d["agents"]["echo"]["argv"].__setitem__(0, "{{ inputs.topic }}"), "$.agents.echo.argv[0]", "as it is written"),
    ("reserved variable", lambda d: d["agents"]["echo"].update(env={"QUARTERDECK_RUN": "x"}), "$.agents.echo.env.QUARTERDECK_RUN", "set by Quarterdeck"),
    ("bad variable", lambda d: d["agents"]["echo"].update(env={"A B": "x"}), '$.agents.echo.env["A B"]', "environment variable"),
    ("unknown agent", lambda d: d["nodes"][0].update(agent="nobody"), "$.nodes[0].agent", "no agent “nobody”"),
    ("unknown alternative", lambda d: d["nodes"][0].update(alternatives=["nobody"]), "$.nodes[0].alternatives[0]", "no agent “nobody”"),
    ("agent missing", lambda d: d["nodes"][0].pop("agent"), "$.nodes[0].agent", "has no “agent”"),
    ("duplicate node", lambda d: d["nodes"].append({"id": "first", "agent": "echo"}), "$.nodes[3].id", "two nodes are called “first”"),
    ("bad node id", lambda d: d["nodes"].append({"id": "No!", "agent": "echo"}), "$.nodes[3].id", "no valid name"),
    ("approval without question", lambda d: d["nodes"][2].update(question=""), "$.nodes[2].question", "needs a “question”"),
    ("unknown edge end", lambda d: d["edges"].append({"from": "first", "to": "nowhere"}), "$.edges[2].to", "no node “nowhere”"),
    ("edge without end", lambda d: d["edges"].append({"from": "first"}), "$.edges[2].to", "missing"),
    ("cycle", lambda d: d["edges"].append({"from": "ask", "to": "first"}), "$.edges[2]", "first → second → ask → first"),
    ("self loop", lambda d: d["edges"].append({"from": "first", "to": "first"}), "$.edges[2]", "waits for itself"),
    ("loop that goes forward", lambda d: d["edges"].append({"from": "first", "to": "ask", "loop": {"until": "true", "max_rounds": 2}}), "$.edges[2]", "goes back"),
    ("bad template", lambda d: d["nodes"][0].update(prompt="{{ inputs.topic"), "$.nodes[0].prompt", "}}"),
    ("statement", lambda d: d["nodes"][0].update(prompt="{% if x %}"), "$.nodes[0].prompt", "statement"),
    ("bad template in argv", lambda d: d["agents"]["echo"]["argv"].append("{{ 1 + }}"), "$.agents.echo.argv[2]", "cannot be read"),
    ("unknown name", lambda d: d["nodes"][0].update(prompt="{{ secrets.x }}"), "$.nodes[0].prompt", "no “secrets”"),
    ("unknown input", lambda d: d["nodes"][0].update(prompt="{{ inputs.nix }}"), "$.nodes[0].prompt", "no input “nix”"),
    ("unknown node in template", lambda d: d["nodes"][1].update(prompt="{{ nodes.nix.output }}"), "$.nodes[1].prompt", "no node “nix”"),
    ("node that comes later", lambda d: d["nodes"][0].update(prompt="{{ nodes.second.output }}"), "$.nodes[0].prompt", "no edge leads from “second” to “first”"),
    ("node in outcome", lambda d: d.update(outcome="{{ nodes.first.output }}"), "$.outcome", "no “nodes” here"),
    ("item without for_each", lambda d: d["nodes"][0].update(prompt="{{ item }}"), "$.nodes[0].prompt", "for_each"),
    ("bad condition", lambda d: d["edges"][0].update(when="output ="), "$.edges[0].when", "goes on after its end"),
    ("default of wrong type", lambda d: d["inputs"].append({"name": "n", "type": "number", "default": "5"}), "$.inputs[2].default", "must be a number"),
    ("default not an option", lambda d: d["inputs"][1].update(default="xl"), "$.inputs[1].default", "not one of the options"),
    ("choice without options", lambda d: d["inputs"].append({"name": "n", "type": "choice"}), "$.inputs[2].options", "at least one option"),
    ("two inputs of a name", lambda d: d["inputs"].append({"name": "size", "type": "text"}), "$.inputs[2].name", "two inputs"),
    ("unknown input type", lambda d: d["inputs"][0].update(type="date"), "$.inputs[0].type", "date"),
    ("attachment up", lambda d: d["nodes"][0].update(attach=["../x"]), "$.nodes[0].attach[0]", "out of the workspace"),
    ("attachment absolute", lambda d: d["nodes"][0].update(skills=["/etc/passwd"]), "$.nodes[0].skills[0]", "out of the workspace"),
    ("NUL", lambda d: d["nodes"][0].update(title="a\x00b"), "$.nodes[0].title", "NUL"),
    ("lone surrogate", lambda d: d["nodes"][0].update(title="\\ud800"), "$.nodes[0].title", "surrogate"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "place", "words"), [row[1:] for row in ONE_FAULT], ids=[row[0] for row in ONE_FAULT]
)
def test_one_fault_gives_one_error_that_names_the_place(change: Change, place: str, words: str) -> None:
    document = sound()
    change(document)
    content = written(document).replace(b"\\\\ud800", b"\\ud800")
    found = problems_of_bytes(content)
    assert [item[0] for item in found] == [place], found
    assert words in found[0][2]
    assert not re.search(
        r"pydantic|jinja|Traceback|Exception|validat|type=|object at 0x", found[0][2], re.I
    ), found


@pytest.mark.parametrize(
    ("change", "place", "words"), [row[1:] for row in ONE_FAULT], ids=[row[0] for row in ONE_FAULT]
)
def test_the_line_is_that_of_the_place_or_of_what_is_around_it(
    change: Change, place: str, words: str
) -> None:
    document = sound()
    change(document)
    content = written(document).replace(b"\\\\ud800", b"\\ud800")
    ((_, line, _),) = problems_of_bytes(content)
    oracle = _lines_by_marking(document, place)
    assert line in oracle, (line, oracle)


STEP = re.compile(r"""\.([A-Za-z_]\w*)|\[(\d+)\]|\[("[^"]*")\]""")


def _lines_by_marking(document: dict[str, Any], place: str) -> set[int]:
    """Oracle: the printed line of a mark that stands for the place, or for the nearest part around it."""
    steps: list[Any] = [
        json.loads(quoted) if quoted else int(index) if index else word
        for word, index, quoted in STEP.findall(place)
    ]
    for length in range(len(steps), 0, -1):
        *around, last = steps[:length]
        copy = json.loads(json.dumps(document))
        try:
            part = _at(copy, around)
            part[last]
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(part, dict):
            items = [("@mark@" if key == last else key, value) for key, value in part.items()]
            part.clear()
            part.update(items)
        else:
            part[last] = "@mark@"
        text = json.dumps(copy, indent=2)
        return {text[: text.index("@mark@")].count("\n") + 1}
    return {1}


def _at(part: Any, steps: list[Any]) -> Any:
    for step in steps:
        part = part[step]
    return part


def test_all_faults_come_back_at_once_in_the_order_of_the_file() -> None:
    document = sound()
    document["inputs"][0]["type"] = "date"
    document["agents"]["echo"]["timeout_s"] = "5"
    document["nodes"][0]["agent"] = "nobody"
    document["nodes"][1]["prompt"] = "{{ nodes.first.output"
    document["edges"].append({"from": "first", "to": "nowhere"})
    assert [place for place, _ in problems(document)] == [
        "$.inputs[0].type",
        "$.agents.echo.timeout_s",
        "$.nodes[0].agent",
        "$.nodes[1].prompt",
        "$.edges[2].to",
    ]


def test_a_fault_of_one_key_hides_no_fault_of_what_the_rest_of_its_part_refers_to() -> None:
    """Design §6: a wrong type beside an unknown agent, a cycle through an edge with a wrong condition, …"""
    document = sound()
    document["name"] = 7
    document["inputs"][1] |= {"label": 1, "default": "xl"}
    document["agents"]["echo"] |= {
        "timeout_s": "5",
        "env": {"QUARTERDECK_X": ""},
        "argv": ["echo", "{{ inputs.nix }}"],
    }
    document["nodes"][0] |= {"title": 7, "agent": "nobody"}
    document["nodes"][1] |= {"position": 1, "alternatives": ["nix"], "prompt": "{{ nodes.nix.output }}"}
    document["nodes"][2] |= {"retry": {"max_attempts": 0}, "question": ""}
    document["edges"][1]["when"] = 5
    document["edges"] += [{"from": "ask", "to": "first"}, {"from": 7, "to": "nowhere"}]
    assert [place for place, _ in problems(document)] == [
        "$.name",
        "$.inputs[1].default",
        "$.inputs[1].label",
        "$.agents.echo.argv[1]",
        "$.agents.echo.timeout_s",
        "$.agents.echo.env.QUARTERDECK_X",
        "$.nodes[0].title",
        "$.nodes[0].agent",
        "$.nodes[1].alternatives[0]",
        "$.nodes[1].prompt",
        "$.nodes[1].position",
        "$.nodes[2].question",
        "$.nodes[2].retry.max_attempts",
        "$.edges[1].when",
        "$.edges[2]",
        "$.edges[3].from",
        "$.edges[3].to",
    ]


FOLLOWS_NOTHING: list[tuple[Change, str]] = [
    (lambda d: d["agents"]["echo"].update(argv="echo"), "$.agents.echo.argv"),
    (lambda d: d["agents"]["echo"].update(kind=5, argv=[]), "$.agents.echo.kind"),
    (lambda d: d["inputs"][1].update(options=5), "$.inputs[1].options"),
    (lambda d: d["inputs"][1].update(type=5), "$.inputs[1].type"),
    (lambda d: d["nodes"][0].update(agent=5), "$.nodes[0].agent"),
    (lambda d: d["nodes"][2].update(kind=5), "$.nodes[2].kind"),
    (lambda d: d["nodes"][2].update(question=5), "$.nodes[2].question"),
    (lambda d: d["nodes"][0].update(for_each=5, prompt="{{ item }}"), "$.nodes[0].for_each"),
    (lambda d: d["edges"][0].update(loop=5), "$.edges[0].loop"),
    (lambda d: d["edges"].append({"from": "second", "to": "first", "loop": 5}), "$.edges[2].loop"),
    (lambda d: d["edges"][0].update({"from": 5}), "$.edges[0].from"),
    (lambda d: d["edges"].__setitem__(0, 5), "$.edges[0]"),
    (lambda d: d["nodes"].extend([{"id": 5, "agent": "echo", "prompt": "{{ nodes.first.output }}"}]), "$.nodes[3].id"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "place"), FOLLOWS_NOTHING, ids=[row[1] for row in FOLLOWS_NOTHING])
def test_nothing_is_told_that_only_follows_from_a_fault_that_is_told(change: Change, place: str) -> None:
    document = sound()
    change(document)
    assert [found for found, _ in problems(document)] == [place]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"", 1, "empty"),
        (b"\n\n{", 3, "not valid JSON"),
        (b'{\n "a": 1\n "b": 2\n}', 3, "comma"),
        (b'{\n "a": \n}', 3, "value is missing"),
        (b"{} {}", 1, "after its end"),
        (b"[]", 1, "one JSON object"),
        (b"null", 1, "one JSON object"),
        (b'{\n "a": "\xff"}', 2, "byte 9 (0xff) is not UTF-8"),
        (b'{\n "a": NaN\n}', 2, "NaN"),
        (b'{\n "a": [1,\n -Infinity]\n}', 3, "-Infinity"),
        (b'{\n "a": 1e999\n}', 2, "too large"),
        (b'{\n "a": ' + b"9" * 5000 + b"\n}", 2, "5,000 digits"),
        (b'{\n "a": "\\ud800"\n}', 2, "surrogate"),
        (b'{\n "a": 1,\n "b": 2,\n "a": 3\n}', 2, "stands twice (again in line 4)"),
        (b'{"x": {"y": [\n {"k": 1, "k": 2}]}}', 2, "stands twice"),
    ],
)
def test_a_text_that_is_no_sound_json_is_one_clear_error(content: bytes, line: int, words: str) -> None:
    found = problems_of_bytes(content)
    assert len(found) == 1
    assert found[0][1] == line
    assert words in found[0][2]


def test_a_missing_file_a_folder_and_a_pipe_are_said_in_words(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.workflow.json")
    for name, words in [
        ("none.workflow.json", "there is no file"),
        ("", "is a folder"),
        ("pipe.workflow.json", "no regular file"),
    ]:
        found = load_workflow(tmp_path / name)
        assert isinstance(found, BrokenFile)
        (problem,) = found.problems
        assert words in problem.message
        assert str(tmp_path) in problem.message


# ------------------------------------------------------------------------------------------- attachments


def test_attachments_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    """PIN3: symlinked, missing, no file."""
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    space = tmp_path / "space"
    (space / "sub").mkdir(parents=True)
    (space / "out.md").symlink_to(outside)
    (space / "circle.md").symlink_to(space / "circle.md")
    (space / "in.md").symlink_to("good.md")
    (space / "good.md").write_text("x")
    document = sound()
    names = ["good.md", "in.md", "out.md", "circle.md", "gone.md", "sub", "n" * 300]
    document["nodes"][0]["attach"] = names
    found = problems(document, space)
    assert [place for place, _ in found] == [f"$.nodes[0].attach[{index}]" for index in (2, 3, 4, 5, 6)]
    for (_, message), words in zip(
        found, ["link that leads out", "read", "no file", "is no file", "read"], strict=True
    ):
        assert words in message


# ------------------------------------------------------------------------------------------- hostile files

HOSTILE: dict[str, Callable[[], bytes]] = {
    "nested lists": lambda: b'{"a":' + b"[" * 2_000_000 + b"]" * 2_000_000 + b"}",
    "nested lists that still parse": lambda: b'{"a":' + b"[" * 500 + b"]" * 500 + b"}",
    "nested objects": lambda: b'{"a":' * 900_000 + b"1" + b"}" * 900_000,
    "too many bytes": lambda: b" " * 10_000_001,
    "too many nodes": lambda: written({**sound(), "nodes": [{"id": f"n{i}", "agent": "echo"} for i in range(5_001)]}),
    "10 MB of nodes": lambda: b'{"nodes":[' + b"{}," * 3_333_000 + b"{}]}",
    "10 MB of faults": lambda: json.dumps({**sound(), "nodes": [7] * 5_000, "edges": [[]] * 90_000}).encode(),
    "10 MB of digits": lambda: b'{"a":' + b"1" * 9_999_000 + b"}",
    "10 MB of one template": lambda: written(
        {**sound(), "outcome": "{{ " + "1+" * 400_000 + "1 }}", "edges": [], "nodes": [{"id": "n", "agent": "echo"}]}
    ),
    "templates in every node": lambda: written(
        {**sound(), "edges": [], "nodes": [{"id": f"n{i}", "agent": "echo", "prompt": "{{ 1 }}" * 250} for i in range(5_000)]}
    ),
    "nested template": lambda: written({**sound(), "outcome": "{{ " + "(" * 9_000 + "1" + ")" * 9_000 + " }}"}),
    "a long cycle": lambda: written(
        {
            **sound(),
            "nodes": [{"id": f"n{i}", "agent": "echo"} for i in range(5_000)],
            "edges": [{"from": f"n{i}", "to": f"n{(i + 1) % 5_000}"} for i in range(5_000)],
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_words_and_in_time(name: str) -> None:
    content = HOSTILE[name]()
    begun = time.process_time()
    found = parse_workflow(content, None)
    spent_s = time.process_time() - begun
    assert isinstance(found, BrokenFile)
    assert 1 <= len(found.problems) <= 101
    assert all(len(problem.message) < 600 for problem in found.problems)
    assert spent_s < 20, f"{name}: {spent_s:.1f} s"


def test_the_largest_workflow_that_is_allowed_loads_in_time() -> None:
    nodes = [
        {"id": f"n{i}", "agent": "echo", "prompt": f"{{{{ nodes.n{i - 1}.output }}}}" if i else ""}
        for i in range(5_000)
    ]
    edges = [{"from": f"n{i - 1}", "to": f"n{i}"} for i in range(1, 5_000)]
    begun = time.process_time()
    assert parse_workflow(written({**sound(), "nodes": nodes, "edges": edges}), None)
    assert time.process_time() - begun < 20


# ------------------------------------------------------------------------------------------- by chance

INSTEAD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "{{",
    "{{ x }}",
    "\x00",
    [],
    {},
    [None],
    {"a": None},
    "nobody",
]


def _places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *(deeper for step, inner in steps for deeper in _places(inner, (*path, step)))]


def test_any_wrong_value_at_any_place_is_said_in_plain_words() -> None:
    jargon = re.compile(r"pydantic|valid string|input should|cannot be used here|nonetype|traceback", re.I)
    for path in _places(sound())[1:]:
        for value in INSTEAD:
            document = sound()
            *around, last = path
            _at(document, around)[last] = value
            found = parse_workflow(written(document), None)
            if isinstance(found, BrokenFile):
                assert found.problems
                assert not [p for p in found.problems if jargon.search(p.message) or p.line < 1], (
                    path,
                    value,
                    found,
                )


def test_damaged_bytes_never_raise(sweep: int) -> None:
    chance = random.Random(20)
    whole = written(sound())
    pieces = [
        b"null",
        b"[]",
        b"{}",
        b'"',
        b"1e999",
        b",",
        b"-",
        b"\\ud800",
        b"\xff",
        b"\x00",
        b"}",
        b"]",
        b":",
        b"\\",
    ]
    for _ in range(400 * sweep):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(content))
            content[at : at + chance.choice((0, 0, 1, 20))] = chance.choice([b"", *pieces])
        found = parse_workflow(bytes(content), None)
        if isinstance(found, BrokenFile):
            assert all(p.message and "\n" not in p.message for p in found.problems)
