"""Brings the translations up to date: .venv/bin/python packaging/translations.py [LOCALE ...]

Finds every text of the window, merges it into resources/translations/quarterdeck_<locale>.ts with Qt's lupdate, and
compiles each .ts into the .qm beside it. Without a locale: those that are there. A new one begins a new language; its .ts
is then worked on with Qt Linguist (`.venv/bin/pyside6-linguist FILE`). English holds the plural forms only and fills itself.
See docs/translating.md.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
SOURCES = TOP / "app" / "quarterdeck" / "ui"
FOLDER = TOP / "resources" / "translations"
ENGLISH = "en"
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'


class NotFound(ValueError):
    """A text is asked for in a way that cannot be found here. Names the place."""


@dataclass(frozen=True)
class Text:
    """One text of the sources. one: the English form for one, of a text that depends on a number."""

    context: str
    text: str
    one: str
    place: Path
    line: int


def texts(folder: Path = SOURCES) -> list[Text]:
    """Every text in order of place. Raises NotFound for one that is no literal, or a module that names no context."""
    return [text for path in sorted(folder.rglob("*.py")) for text in texts_of(path)]


def texts_of(path: Path) -> Iterator[Text]:
    """The texts of one module: calls of `tr`, `tr.later`, `tr.count`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    context = _context(tree)
    for node in ast.walk(tree):
        verb = _verb(node)
        if verb is None or not isinstance(node, ast.Call):
            continue
        if context is None:
            raise NotFound(f'{path}:{node.lineno}: no `tr = Texts("…")` in this module')
        given = [_literal(path, argument) for argument in node.args[: 2 if verb == "count" else 1]]
        yield Text(context, given[0], given[1] if verb == "count" else "", path, node.lineno)


def _context(tree: ast.Module) -> str | None:
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id="tr")],
                value=ast.Call(func=ast.Name(id="Texts"), args=[ast.Constant(value=str(name))]),
            ):
                return name
    return None


def _verb(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="tr")):
            return "tr"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="tr"), attr="later" | "count" as verb)):
            return verb
    return None


def _literal(path: Path, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise NotFound(f"{path}:{node.lineno}: a text must be a literal, or it cannot be found and translated")


def write_listing(found: list[Text], folder: Path, top: Path = TOP) -> list[Path]:
    """Modules of nothing but the texts, each on its own line, in the plain form that lupdate reads; same paths below."""
    made = []
    for place in dict.fromkeys(text.place for text in found):
        lines: dict[int, list[str]] = {}
        for text in found:
            if text.place == place:
                lines.setdefault(text.line, []).append(_plain(text))
        target = folder / place.relative_to(top)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            "\n".join("; ".join(lines.get(n, [])) for n in range(1, max(lines) + 1)) + "\n", "utf-8"
        )
        made.append(target)
    return made


def _plain(text: Text) -> str:
    context, words = _quoted(text.context), _quoted(text.text)
    if text.one:
        return f"translate({context}, {words}, {_quoted(text.one)}, 2)"
    return f"translate({context}, {words})"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def update(locale: str, found: list[Text], folder: Path = FOLDER) -> Path:
    """Merge the texts into the .ts of a locale; texts that are gone are dropped. English is filled."""
    target = folder / f"quarterdeck_{locale}.ts"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as listing:
        root = Path(listing)
        paths = write_listing(found, root)
        command = ["-silent", "-locations", "none", "-no-obsolete", "-sort-messages"]
        command += ["-source-language", "en", "-target-language", locale]
        if locale == ENGLISH:
            command.append("-pluralonly")
        _run(
            "pyside6-lupdate",
            *command,
            *[str(p.relative_to(root)) for p in paths],
            "-ts",
            str(target),
            cwd=root,
        )
    if locale == ENGLISH:
        _fill_english(target)
    return target


def _fill_english(target: Path) -> None:
    """The forms of English stand in the sources: one in the comment, more in the text."""
    tree = ET.parse(target)
    for message in tree.iter("message"):
        source, one = message.findtext("source") or "", message.findtext("comment") or ""
        translation = message.find("translation")
        if translation is None or message.get("numerus") != "yes":
            continue
        translation.attrib.pop("type", None)
        for form in list(translation):
            translation.remove(form)
        for words in (one or source, source):
            ET.SubElement(translation, "numerusform").text = words
    ET.indent(tree, "    ")
    target.write_text(HEAD + ET.tostring(tree.getroot(), encoding="unicode") + "\n", encoding="utf-8")


def compile_(source: Path) -> Path:
    """Make the .qm beside a .ts; texts without a translation stay English."""
    target = source.with_suffix(".qm")
    _run("pyside6-lrelease", "-silent", "-nounfinished", str(source), "-qm", str(target))
    return target


def _run(tool: str, *arguments: str, cwd: Path | None = None) -> None:
    subprocess.run([str(Path(sys.executable).with_name(tool)), *arguments], check=True, cwd=cwd)


def main(locales: list[str]) -> None:
    """Update and compile the named locales, else those that are there."""
    there = [path.stem.removeprefix("quarterdeck_") for path in sorted(FOLDER.glob("quarterdeck_*.ts"))]
    found = texts()
    for locale in locales or there or [ENGLISH]:
        made = compile_(update(locale, found))
        sys.stdout.write(f"{os.path.relpath(made)}: {len(found)} texts in the window\n")


if __name__ == "__main__":
    main(sys.argv[1:])
