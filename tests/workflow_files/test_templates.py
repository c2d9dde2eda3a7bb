"""Templates (design §6): expressions only, in bounds, one pass; an argv item stays one argument."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.engine.templates import TemplateProblem, evaluate, is_true, render, render_argv

CONTEXT: dict[str, Any] = {
    "inputs": {
        "repo": "/a b",
        "n": 3,
        "none": None,
        "evil": "{{ inputs.repo }}",
        "dash": "-rf",
        "big": "x" * 1_000_000,
    },
    "nodes": {
        "a": {
            "output": {"k": [1, 2.5, True], "items": [{"x": 1}, {"x": 2}], "_id": 4, "ü": "ä"},
            "status": "done",
            "artifacts": {"r.md": "/store/r.md"},
        }
    },
    "run": {"id": "r-1"},
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("plain", "plain"),
        ("{{ inputs.repo }}!", "/a b!"),
        ("{{ inputs.n + 1 }} {{ inputs.n / 2 }} {{ 2 ** 10 }}", "4 1.5 1024"),
        ("{{ nodes.a.output }}", '{"k":[1,2.5,true],"items":[{"x":1},{"x":2}],"_id":4,"ü":"ä"}'),
        ("{{ nodes.a.output.k }}", "[1,2.5,true]"),
        ("{{ nodes.a.output['ü'] }}", "ä"),
        ("{{ nodes.a.output.items[1].x }}", "2"),
        ("{{ nodes.a.output.items | map(attribute='x') | join(', ') }}", "1, 2"),
        ("{{ nodes.a.artifacts['r.md'] }} {{ nodes.a.status }}", "/store/r.md done"),
        ("{{ inputs.none }}|{{ true }}|{{ none }}", "|true|"),
        ("{{ inputs.repo | upper }} {{ inputs.repo | length }}", "/A B 4"),
        ("{{ 'yes' if inputs.n > 2 else 'no' }}", "yes"),
        ("{{ inputs.nix | default('-') }}", "-"),
        ("{{ 'a' ~ 1 ~ [2] }}{{ nodes.a.output.k[1:] }}", "a1[2][2.5,true]"),
        ("{# no comment #} ${#x} {{ 1 }}\n", "{# no comment #} ${#x} 1\n"),
        ("{{ '{%' }}{{ '{{' }}", "{%{{"),
        ("{{ range(3) | list }}", "[0,1,2]"),
    ],
)
def test_a_template_gives_its_text(template: str, text: str) -> None:
    assert render(template, CONTEXT) == text


def test_what_a_value_contains_is_never_rendered_again() -> None:
    assert render("{{ inputs.evil }}", CONTEXT) == "{{ inputs.repo }}"
    assert render_argv(["p", "x{{ inputs.evil }}"], CONTEXT) == ["p", "x{{ inputs.repo }}"]


HOSTILE = [
    "{{ ''.__class__.__mro__ }}",
    "{{ ''['__class__'] }}",
    "{{ inputs['__class__'] }}",
    "{{ (1).real }}",
    "{{ inputs.repo | attr('__class__') }}",
    "{{ [''] | map(attribute='__class__') | list }}",
    "{{ inputs.keys() }}",
    "{{ inputs.repo.upper() }}",
    "{{ '{0.__class__}'.format(1) }}",
    "{{ '%c' % 65 }}",
    "{{ self }}",
    "{{ self._TemplateReference__context }}",
    "{{ cycler.__init__.__globals__ }}",
    "{{ lipsum() }}",
    "{{ joiner }}",
    "{{ namespace(a=1) }}",
    "{{ dict(a=1) }}",
    "{{ range }}",
    "{{ 'a' * 10 ** 9 }}",
    "{{ 10 ** 9 * 'a' }}",
    "{{ [0] * 10 ** 9 }}",
    "{{ 10 ** (10 ** 10) }}",
    "{{ (10 ** 1000) ** 1000 }}",
    "{{ -2 ** 99999999 }}",
    "{{ 2.0 ** 99999 }}",
    "{{ (-8) ** 0.5 }}",
    "{{ range(10 ** 9) | list }}",
    "{{ range(100000) | join('x' * 100000) }}",
    "{{ ('x' * 100000) | replace('x', 'y' * 100000) }}",
    "{{ 1.5 | round(10 ** 9) }}",
    "{{ [[1], [2]] | sum(start=[]) }}",
    "{{ 'a' | center(10 ** 9) }}",
    "{{ '%1000000000d' | format(1) }}",
    "{{ 'a' | indent(10 ** 9) }}",
    "{{ " + " ~ ".join(["inputs.big"] * 100) + " }}",
    "{{ inputs.big }}" * 20,
    "{{ [" + ", ".join(["inputs.big"] * 100) + "] }}",
    "{{ " + "inputs.big[1:] ~ " * 200 + "'' }}",
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "{{ " + "not " * 5000 + "1 }}",
    "{{ " + "[" * 3000 + "]" * 3000 + " }}",
    "{{ " + "1 + " * 5000 + "1 }}",
    "{{ " + "9" * 5000 + " }}",
    "{{ 1 / 0 }}",
    "{{ 1 % 0 }}",
    "{{ 1e308 * 10 }}",
    "{{ 1 + 'a' }}",
    "{{ nodes.a.output.nix }}",
    "{{ nodes.b.output }}",
    "{{ nix }}",
    "{% for x in inputs %}{% endfor %}",
    "{% set x = 1 %}",
    "{%- raw %}{{ x }}{% endraw %}",
    "{{ inputs.repo",
    "{{ }}",
    "{{ 1 2 }}",
    "{{ f(*x) }}",
    "{{ range(*[1]) }}",
    "{{ [1] | map('attr', 'real') | list }}",
    "{{ 1 | nix }}",
    "{{ 1 is nix }}",
    "a\x00b{{ 1 }}",
]


@pytest.mark.parametrize("template", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_template_is_one_sentence_and_costs_little(template: str) -> None:
    begun = time.process_time()
    with pytest.raises(TemplateProblem) as caught:
        render(template, CONTEXT)
    assert time.process_time() - begun < 5
    words = str(caught.value)
    assert 5 < len(words) < 400
    assert "\n" not in words
    assert not any(
        jargon in words for jargon in ("jinja", "Traceback", "object at 0x", "dict object", "print statement")
    )


def test_a_template_cannot_fill_the_memory() -> None:
    """The hostile ones again, in a process that may have 400 MB."""
    code = (
        "import resource, sys, json\n"
        "from quarterdeck.engine.templates import render, TemplateProblem\n"
        "templates, context = json.load(sys.stdin)\n"
        "render('{{ 1 }}', context)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (400_000_000, 400_000_000))\n"
        "for template in templates:\n"
        "    try: render(template, context)\n"
        "    except TemplateProblem as problem: assert 'memory' not in str(problem)\n"
        "    else: raise AssertionError(template[:80])\n"
    )
    told = json.dumps([HOSTILE, CONTEXT])
    done = subprocess.run(
        [sys.executable, "-c", code], input=told, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]


def test_what_is_missing_is_named_with_what_there_is() -> None:
    with pytest.raises(TemplateProblem, match=r"no “nix” here \(there is: _id, items, k, ü\)"):
        render("{{ nodes.a.output.nix.deeper }}", CONTEXT)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_any_value_comes_through_unchanged_and_stays_one_argument(value: str) -> None:
    context = {"inputs": {"v": value}}
    assert render("{{ inputs.v }}", context) == value
    assert render_argv(["p", "={{ inputs.v }}", "end"], context) == ["p", "=" + value, "end"]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON_VALUES)
def test_a_json_value_is_written_as_json_that_reads_back(value: Any) -> None:
    text = render("{{ inputs.v }}", {"inputs": {"v": value}})
    if value is None or isinstance(value, str):
        assert text == (value or "")
    else:
        assert json.loads(text) == value
    assert json.loads(render("{{ inputs.v | tojson }}", {"inputs": {"v": value}})) == value


@given(st.text(alphabet="{}%#'\"()[]|.,:+-*/~ abn1", max_size=60))
def test_no_template_text_raises_anything_but_its_own_error(text: str) -> None:
    try:
        render(text, CONTEXT)
    except TemplateProblem:
        return  # every other error fails the test


# ------------------------------------------------------------------------------------------- arguments


def test_a_value_cannot_become_an_option() -> None:
    with pytest.raises(TemplateProblem, match=r"argument 2: .*option"):
        render_argv(["rm", "x", "{{ inputs.dash }}"], CONTEXT)
    with pytest.raises(TemplateProblem, match="option"):
        render_argv(["rm", "{{ inputs.dash }}.txt"], CONTEXT)
    assert render_argv(["rm", "{{ inputs.dash }}"], CONTEXT, allow_dash=True) == ["rm", "-rf"]
    assert render_argv(["rm", "-n{{ inputs.n }}", "--", "a{{ inputs.dash }}"], CONTEXT) == [
        "rm",
        "-n3",
        "--",
        "a-rf",
    ]


def test_an_argument_holds_no_nul_and_no_half_character() -> None:
    for bad in ("a\x00b", "\ud800"):
        with pytest.raises(TemplateProblem, match="argument 1"):
            render_argv(["p", "x{{ inputs.v }}"], {"inputs": {"v": bad}})


def test_an_empty_result_stays_an_argument_and_the_program_is_no_template() -> None:
    assert render_argv(["{{ x }}", "{{ inputs.none }}", "{{ inputs.repo }}"], CONTEXT) == [
        "{{ x }}",
        "",
        "/a b",
    ]


# ------------------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("nodes.a.output.k[0] == 1", True),
        ("{{ inputs.n > 5 }}", False),
        ("nodes.a.output['items'] | map(attribute='x')", [1, 2]),
        ("nodes.a.output['items'] | selectattr('x', 'gt', 1)", [{"x": 2}]),
        ("'a' in inputs.repo and not inputs.none", True),
        ("range(2)", [0, 1]),
    ],
)
def test_an_expression_gives_its_value(expression: str, value: object) -> None:
    assert evaluate(expression, CONTEXT) == value
    assert is_true(expression, CONTEXT) is bool(value)


@pytest.mark.parametrize(
    "expression", ["", "1 2", "a = 1", "nix", "{{ 1 }} {{ 2 }}", "1; 2", "x" * 20_000, "range"]
)
def test_a_bad_expression_is_one_sentence(expression: str) -> None:
    with pytest.raises(TemplateProblem) as caught:
        evaluate(expression, CONTEXT)
    assert len(str(caught.value)) < 400
