"""The store offers what the app uses, and nothing besides: what only tests call is judged by no life of the product."""

from __future__ import annotations

import ast
from pathlib import Path

import quarterdeck

APP = Path(quarterdeck.__file__).parent
READ_BY_PYDANTIC = {"model_config"}


def used_names(tree: ast.Module) -> set[str]:
    """Every name that is read, called or asked of something; importing alone is no use."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # annotations in quotes
    return found


def offered_names(tree: ast.Module) -> set[str]:
    """Functions, methods, classes and constants without an underscore."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            found |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return {name for name in found if not name.startswith("_")}


def test_whatever_the_store_offers_is_used_by_the_app() -> None:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in APP.rglob("*.py")}
    used = set().union(*map(used_names, trees.values())) | READ_BY_PYDANTIC
    unused = [
        f"{path.name}: {name}"
        for path, tree in sorted(trees.items())
        if path.parent.name == "store"
        for name in sorted(offered_names(tree) - used)
    ]
    assert unused == []
