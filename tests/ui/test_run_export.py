"""*Export the run…* from the window: the run that was meant, in the form that the name says, where the person said."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.engine.recovery import Exported, UnsoughtSecret
from quarterdeck.ui.dialogs.export_dialog import ExportDialog
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
ONE, TWO = made.ended(made.run_view(1)), made.ended(made.run_view(2))


async def test_the_run_that_was_looked_at_when_it_was_asked_is_written() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(ONE, TWO)
    door.recovery.exported = Exported("# Run\n", ".md", ("secrets: none was found",))
    async with desk_over(door) as desk:
        window = desk.window
        await until(window.actions_["export_run"].isEnabled)
        window.watching.choose_run(ONE.run_id)
        window.actions_["export_run"].trigger()
        assert desk.dialog() is not None
        window.watching.choose_run(TWO.run_id)
        window.run_export.export_to("/out/first.md")
        await until(lambda: door.household.written == {Path("/out/first.md"): "# Run\n"})
        assert door.recovery.commands == [("export", ONE.run_id, "markdown")]
        await until(lambda: "Written to /out/first.md." in window.notice.words)
        assert "secrets" in window.notice.words
        assert window.notice.property("notice") == "done", "amber is for what needs somebody"
        window.run_export.export_to("/out/first.JSON")
        await until(lambda: len(door.household.written) == 2)
        assert door.recovery.commands[-1] == ("export", ONE.run_id, "json")


async def test_the_window_names_the_secrets_that_were_looked_for_and_what_that_does_not_find() -> None:
    """A key that was changed since the run stands in the text: who hands it on is told where to look."""
    door = FakeDoor((made.loaded(),))
    door.put(ONE)
    names = tuple(f"KEY_{n} from env:KEY_{n}" for n in range(8))
    door.recovery.exported = Exported("# Run\n", ".md", (), (), names)
    async with desk_over(door) as desk:
        window = desk.window
        await until(window.actions_["export_run"].isEnabled)
        window.run_export._wanted = ONE.run_id
        window.run_export.export_to("/out/first.md")
        await until(lambda: "Written to /out/first.md." in window.notice.words)
        said = window.notice.words
        assert "Looked for: KEY_0 from env:KEY_0" in said
        assert "KEY_5 from env:KEY_5 and 2 more. A value that was changed since the run is not found." in said
        assert window.notice.property("notice") == "done"


async def test_with_a_secret_that_could_not_be_looked_for_the_window_asks_before_it_writes() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(ONE)
    gone = UnsoughtSecret("TOKEN", "env:MYTOK", "its variable is not set here")
    door.recovery.exported = Exported("# Run\n", ".md", ("secrets: none was found",), (gone,))
    async with desk_over(door) as desk:
        window = desk.window
        await until(window.actions_["export_run"].isEnabled)
        for answer in ("reject", "accept"):
            window.actions_["export_run"].trigger()
            chosen = desk.dialog()
            assert chosen is not None
            chosen.reject()
            window.run_export.export_to("/out/first.md")
            await until(lambda: isinstance(desk.dialog(), ExportDialog))
            asked = desk.dialog()
            assert isinstance(asked, ExportDialog)
            assert "TOKEN from env:MYTOK: its variable is not set here" in asked.names.text()
            assert asked.cancel.isDefault()
            assert door.household.written == {}
            getattr(asked, answer)()
        await until(lambda: "TOKEN from env:MYTOK" in window.notice.words)
        assert door.household.written == {Path("/out/first.md"): "# Run\n"}
        assert "taken out" not in window.notice.words
        assert window.notice.property("notice") == "needs"


async def test_a_run_that_cannot_be_read_any_more_writes_nothing() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(ONE)
    async with desk_over(door) as desk:
        window = desk.window
        await until(window.actions_["export_run"].isEnabled)
        window.actions_["export_run"].trigger()
        door.views.clear()
        window.run_export.export_to("/out/first.md")
        await until(lambda: "cannot be read" in window.notice.words)
        assert window.notice.property("notice") == "needs"
        assert door.household.written == {}
