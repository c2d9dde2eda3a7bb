"""Every text of the window is looked up, can be found for translators, and has room for a longer language."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget

from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.engine.keeping import UnknownEffect, Unreadable
from quarterdeck.ui import translators
from quarterdeck.ui.analytics.compare_dialog import CompareDialog
from quarterdeck.ui.announce import sentence
from quarterdeck.ui.asked import Quit, QuitAsked
from quarterdeck.ui.dialogs.quit_dialog import ClosingDialog
from quarterdeck.ui.inspector import Inspector
from quarterdeck.ui.link import Link
from quarterdeck.ui.news import joined, news_between
from quarterdeck.ui.present_recovery import SENTENCE
from quarterdeck.ui.recovery.dialog import RecoveryDialog
from quarterdeck.ui.theme import Scheme, Theme
from tests.ui import inspector_pictures, made, past_pictures, shell_pictures, take_pictures
from tests.ui import interrupted_made as left
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.seen_texts import outside_brackets, seen

FIXED = {
    "Quarterdeck",
    "Workflow canvas",
    "Runs",
    "Agents",
    "Timeline",
    "Transcript",
    "Run",
    "Stop",
}
"""Accessible names of the window that stay (design, the window)."""
FIXED_AFTER_CRASH = {
    "Interrupted runs",
    "Resume Web researcher",
    "Resume Planner",
    "End process 48213",
    "Discard these records",
    "Review runs",
    "Keep as stopped",
}
"""Those of the recovery dialog, and its window title; beside them its one sentence, `SENTENCE`."""


@contextmanager
def pseudo_locale(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    monkeypatch.setenv(translators.VARIABLE, "qps")
    installed = translators.install(app, "system")
    try:
        yield
    finally:
        translators.remove(installed)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def untranslated(window: QWidget, data: re.Pattern[str]) -> dict[str, str]:
    """{where: text} of what has letters outside of brackets that are nobody's data."""
    left = {}
    for where, text in seen(window):
        if where.endswith("accessible name") and text in FIXED:
            continue
        if where.endswith(("accessible name", "window title")) and (
            text in FIXED_AFTER_CRASH or text.startswith("Resume ")
        ):
            continue
        rest = outside_brackets(data.sub("", text.replace("\u200b", "")))
        if re.search(r"[^\W\d_]", rest):
            left[where] = text
    return left


NAMED = {
    "workflow_name", "title", "name", "agent", "agent_kind", "kind", "model", "question", "options", "tail",
    "path", "message", "error_class", "outcome_asked", "accepted_by", "actor", "run_id", "workflow_id", "label",
    "place", "argv", "cwd", "session_id", "prompt", "worker_class", "source", "level", "fault", "key", "id",
    "default", "outcome", "workflow", "containment", "type", "target", "detail", "program", "version", "text",
    "secret_names", "problem", "digest", "sha256", "progress", "documents",
}  # fmt: skip
"""Fields of views and files that hold what people, agents or systems wrote."""
SHORT = r"r-[0-9a-f]{1,4}\b|\b[A-Z]\b|\bw-\d+\b|\ba-\d+\b|\b[0-9a-f]{8,64}\b"
DATES = r"\b(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?\b|\b(Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\b"
KEYS = r"\b(Ctrl|Shift|Alt|Return|Enter|Esc|F\d+|Home|End|Up|Down)\b|(?<=F10, )Menu\b"
SAMPLE = r"(Reviewer|Repo researcher), exit 1|engine\.(catalog|settling)|sign-in expired|Repository is needed\.|exit 1 after 4 turns"
"""Reasons of the samples that no engine would give."""
PROPER = r"Quarterdeck|/data|American |Inter|JetBrains Mono|Lucide|Qt for Python|\bQt\b|LGPL 3|notify-me \{title\} \{text\}|code --goto \{path\}:\{line\}|English|\d(\.\d)?[kM]\b"


def data_of(*roots: object) -> re.Pattern[str]:
    """A pattern of everything that stands in the named fields, longest first."""
    found: set[str] = set()
    _collect(roots, found)
    words = sorted((re.escape(w) for w in found if re.search(r"[^\W\d_]", w)), key=len, reverse=True)
    return re.compile("|".join((SAMPLE, PROPER, *words, KEYS, DATES, SHORT)))


def _collect(value: object, found: set[str], is_named: bool = False) -> None:
    if isinstance(value, Enum):
        return
    if isinstance(value, (str, Path)):
        if is_named:
            found |= {str(value), *str(value).splitlines(), " ".join(str(value).split())}
            if isinstance(value, Path):
                found |= {value.name}
    elif isinstance(value, bytes):
        found |= {line for line in value.decode(errors="replace").splitlines() if line}
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _collect(key, found, is_named=True)
            _collect(item, found, is_named)
    elif is_dataclass(value):
        for part in fields(value):
            _collect(getattr(value, part.name), found, part.name in NAMED)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            _collect(item, found, is_named)


@asynccontextmanager
async def pseudo_desk(door: FakeDoor, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    with pseudo_locale(monkeypatch):
        async with desk_over(door) as desk:
            yield desk


async def look(left: dict[str, str], window: QWidget, data: re.Pattern[str]) -> None:
    await asyncio.sleep(0.3)
    left |= untranslated(window, data)


@pytest.mark.qt_loop
async def test_a_busy_window_has_no_word_that_was_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    door = take_pictures.busy_door()
    left: dict[str, str] = {}
    async with pseudo_desk(door, monkeypatch) as desk:
        w = desk.window
        data = data_of(door.views, door.files, door.transcripts, Path("/folder"))
        run = next(v.run_id for v in door.views.values() if v.launch_seq == 8)
        w.watching.choose_slot(run, SlotId("repo"))
        w.runs.find_here()
        await look(left, w, data)
        for tab in range(w.inspector.tabs.count()):
            w.inspector.tabs.setCurrentIndex(tab)
            await look(left, w, data)
        w.inspector.find_here()
        w.watching.choose_slot(run, None)
        await look(left, w, data)
        asks = {
            name: w.actions_[name].trigger
            for name in ("palette", "settings", "keys", "about", "run", "stop", "quit")
        }
        for ask in asks.values():
            ask()
            await until(lambda: desk.dialog() is not None, "a dialog")
            dialog = desk.dialog()
            assert dialog is not None
            await look(left, dialog, data)
            dialog.reject()
            await until(lambda: desk.dialog() is None, "the end of the dialog")
        w.watching.choose_file(Path("/folder/broken.workflow.json"))
        await look(left, w, data)
    assert not left, "\n".join(f"{where}: {text!r}" for where, text in left.items())


async def opened(find: Callable[[], QDialog | None]) -> QDialog:
    await until(lambda: find() is not None, "a dialog")
    found = find()
    assert found is not None
    return found


@pytest.mark.qt_loop
async def test_what_asks_after_a_crash_has_no_word_that_was_not_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But for the names and the sentence that the design fixes."""
    owed = left.owed_two()
    owed = replace(owed, unreadable=left.owed_crowd(1).unreadable)
    door = left.door_over(owed)
    door.keeping.effects = (UnknownEffect("repo", "a-2", "push-1", "git push", "origin digest"),)
    door.keeping.damaged = (
        Unreadable(Path("/data/ledger.jsonl"), "it could not be read and was set aside; nothing uses it"),
    )
    missed: dict[str, str] = {}
    async with pseudo_desk(door, monkeypatch) as desk:
        w = desk.window
        files = [f.path for f in left.evidence().folder.changed] + [
            "/usr/local/bin/claude",
            "coding",
            "draft",
        ]
        roots = (
            owed,
            door.recovery.previews,
            door.recovery.seen,
            door.keeping.effects,
            door.views,
            door.files,
        )
        known = "|".join(
            map(
                re.escape,
                (
                    SENTENCE,
                    *files,
                    *left.preview().kept_steps,
                    *left.evidence().last_lines,
                    "Add the week's links",
                    "git push origin digest",
                    "codex exec --json",
                    "/data/runs/r-dead",
                    "ledger.jsonl",
                    "r-dead",
                ),
            )
        )
        data = re.compile(f"{known}|its journal has no readable header|{data_of(*roots).pattern}")
        prompt = await opened(lambda: w.after_crash.dialog)
        assert isinstance(prompt, RecoveryDialog)
        await look(missed, prompt, data)
        rows = {row.key[1]: row for card in prompt.cards.values() for row in card.rows}
        rows[SlotId("web")].look.click()
        await look(missed, prompt, data)
        rows[SlotId("web")].resume.click()
        second = await opened(lambda: w.after_crash.acts.resuming)
        await look(missed, second, data)
        second.reject()
        rows[SlotId("repo")].check.click()
        effects = await opened(lambda: w.after_crash.acts.effects)
        await look(missed, effects, data)
        effects.reject()
        prompt.discard.click()
        await look(missed, prompt, data)
        prompt.put_away()
        w.kept_records.ask_discarded()
        await look(missed, w, data)
    assert not missed, "\n".join(f"{where}: {text!r}" for where, text in missed.items())


@pytest.mark.qt_loop
async def test_the_fixed_names_of_the_recovery_dialog_stay_in_another_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with pseudo_desk(left.door_over(left.owed_two()), monkeypatch) as desk:
        prompt = await opened(lambda: desk.window.after_crash.dialog)
        named = [part.accessibleName() for part in (prompt, *prompt.findChildren(QWidget))]
        assert {name: named.count(name) for name in FIXED_AFTER_CRASH} == dict.fromkeys(FIXED_AFTER_CRASH, 1)
        assert any(SENTENCE in part.text() for part in prompt.findChildren(QLabel))


@pytest.mark.qt_loop
async def test_the_fixed_accessible_names_stay_in_another_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is seen in their place is translated."""
    async with pseudo_desk(take_pictures.busy_door(), monkeypatch) as desk:
        w = desk.window
        named = [part.accessibleName() for part in (w, *w.findChildren(QWidget))]
        assert {name: named.count(name) for name in FIXED} == dict.fromkeys(FIXED, 1)
        assert w.windowTitle().startswith("Quarterdeck")
        assert w.top.run.text().startswith("[")
        assert w.top.stop.text().startswith("[")


@pytest.mark.qt_loop
async def test_the_past_and_every_panel_have_no_word_that_was_not_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    door = past_pictures.full_door()
    left: dict[str, str] = {}
    async with pseudo_desk(door, monkeypatch) as desk:
        w = desk.window
        data = data_of(door.views, door.files, door.past.ledger, door.past.log)
        live = max((v for v in door.views.values() if v.is_live), key=lambda v: -v.launch_seq)
        w.watching.choose_slot(live.run_id, SlotId("repo"))
        for tab in range(w.bottom.tabs.count()):
            w.bottom.tabs.setCurrentIndex(tab)
            await look(left, w, data)
        await past_pictures.open_page(desk)
        await look(left, w, data)
        for row in w.bottom.timeline.chart._bars():
            w.bottom.timeline.chart._current = row.key
            w.bottom.timeline.chart._describe()
            left |= untranslated(w.bottom.timeline, data)
        w.looking_back.page.head.compare.click()
        dialog = await until(lambda: w.findChild(CompareDialog), "the comparison") or w.findChild(
            CompareDialog
        )
        await look(left, dialog, data)
    assert not left, "\n".join(f"{where}: {text!r}" for where, text in left.items())


@pytest.mark.parametrize("name", ["nothing", "no run", "unreadable", "welcome", "past"])
@pytest.mark.qt_loop
async def test_a_window_with_little_to_show_says_it_in_looked_up_words(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    doors = {
        "nothing": FakeDoor,
        "past": take_pictures.past_door,
    }
    door = doors.get(name, lambda: FakeDoor((made.loaded(),)))()
    left: dict[str, str] = {}
    async with pseudo_desk(door, monkeypatch) as desk:
        programs = tuple(replace(program, fault="") for program in shell_pictures.FOUND)
        w, data = desk.window, data_of(door.views, door.files, programs, Path("/folder"))
        if name == "unreadable":
            w.records.say_unreadable("/data")
            w.say_cannot_start()
        if name == "welcome":
            door.household.programs = shell_pictures.FOUND
            w.first_card.welcome()
            await look(left, w, data)
            w.first_card.look.click()
        if name == "past":
            w.watching.choose_slot(next(iter(door.views)), SlotId("repo"))
        await look(left, w, data)
        for node in accessible_nodes(w.view):
            rest = outside_brackets(data.sub("", node))
            if re.search(r"[^\W\d_]", rest):
                left[f"node {node[:20]}"] = node
    assert not left, "\n".join(f"{where}: {text!r}" for where, text in left.items())


def accessible_nodes(view: QWidget) -> list[str]:
    """What a screen reader gets of the canvas."""
    canvas = QAccessible.queryAccessibleInterface(view)
    parts = (QAccessible.Text.Name, QAccessible.Text.Description, QAccessible.Text.Help)
    nodes = [canvas.child(place) for place in range(canvas.childCount())]
    return [text for node in nodes for part in parts if (text := node.text(part))]


@pytest.mark.qt_loop
async def test_the_inspector_s_words_are_looked_up_in_every_tab(monkeypatch: pytest.MonkeyPatch) -> None:
    with pseudo_locale(monkeypatch):
        app, link, door = QApplication.instance(), Link(), inspector_pictures.door()
        assert isinstance(app, QApplication)
        link.bind(door)
        theme = Theme(app, Scheme.LIGHT)
        panel = Inspector(theme, link)
        facts = inspector_pictures.facts()
        data = data_of(facts.source, door.transcripts, door.details.words, Path("/folder"))
        left: dict[str, str] = {}
        panel.show()
        panel.show_facts(facts, made.at(1024))
        panel.find_here()
        for attempt in ("a-2", "a-1"):
            panel.choose_attempt(AttemptId(attempt))
            for tab in range(panel.tabs.count()):
                panel.tabs.setCurrentIndex(tab)
                await look(left, panel, data)
        panel.choose_attempt(AttemptId("a-2"))
        panel.open_transcript()
        panel.transcript.pager.go_to(0)
        await until(lambda: any(row.is_head for row in panel.transcript.text.rows), "the transcript")
        heads = {row.text for row in panel.transcript.text.rows if row.is_head}
        panel.transcript.copy_markdown()
        await link.stop()
        panel.close()
        panel.deleteLater()
        theme.deleteLater()
    assert all(head.startswith("[") for head in heads), heads
    assert not left, "\n".join(f"{where}: {text!r}" for where, text in left.items())


@pytest.mark.qt_loop
async def test_what_is_said_outside_of_the_window_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tray, desktop notices, announcements, and the dialog that stands while the program closes."""
    door = take_pictures.busy_door()
    async with pseudo_desk(door, monkeypatch) as desk:
        await asyncio.sleep(0.3)
        facts = desk.window.conduct._shown.facts
        data = data_of(door.views, door.files)
        calm = replace(facts, waiting=(), run_rows=tuple(replace(r, is_live=True) for r in facts.run_rows))
        told = news_between(calm, facts)
        assert len(told) > 3
        notice, alone = joined(told), joined(told[:1])
        assert notice is not None
        assert alone is not None
        said = [notice.title, notice.text, alone.title, sentence(list(facts.agent_rows))]
        closing = ClosingDialog(QuitAsked(Quit.FINISH, 60.0), desk.window)
        closing.show_live(2)
        left = untranslated(closing, data)
        left |= {t: t for t in said if re.search(r"[^\W\d_]", outside_brackets(data.sub("", t)))}
    assert not left, left
