"""What rots is the one module where everything meets: sizes are guarded (style rule 9)."""

from __future__ import annotations

import ast

from tests.tidy.source import definitions, modules

FUNCTION_LINES_MAX = 40
CLASS_LINES_MAX = 250
MODULE_LINES_MAX = 400

# place or place::qualified.name -> (lines admitted, why it is better whole)
EXCEPTIONS: dict[str, tuple[int, str]] = {}


def _sizes() -> dict[str, tuple[int, int]]:
    """{place or place::name: (lines, lines admitted by rule)}"""
    found = {}
    for module in modules():
        found[module.place] = (len(module.text.splitlines()), MODULE_LINES_MAX)
        for name, node in definitions(module):
            assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            limit = CLASS_LINES_MAX if isinstance(node, ast.ClassDef) else FUNCTION_LINES_MAX
            found[f"{module.place}::{name}"] = ((node.end_lineno or node.lineno) - node.lineno + 1, limit)
    return found


def test_functions_classes_and_modules_keep_their_sizes() -> None:
    too_long = [
        f"{name}: {lines} lines, at most {EXCEPTIONS.get(name, (limit, ''))[0]}"
        for name, (lines, limit) in _sizes().items()
        if lines > EXCEPTIONS.get(name, (limit, ""))[0]
    ]
    assert not too_long, "split these, or list them in EXCEPTIONS with a reason:\n" + "\n".join(too_long)


def test_every_exception_is_still_needed_and_has_a_reason() -> None:
    sizes = _sizes()
    stale = [name for name in EXCEPTIONS if name not in sizes or sizes[name][0] <= sizes[name][1]]
    assert not stale, f"these fit the rule now; take them out of EXCEPTIONS: {stale}"
    assert all(len(reason) > 20 for _, reason in EXCEPTIONS.values())
