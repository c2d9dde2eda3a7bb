"""Pictures of what asks after a crash, for people to look at: python -m tests.ui.recovery_pictures [FOLDER]. Not a test.

Scale by QT_SCALE_FACTOR; the folder is tests/pictures/ unless one is named, which is not kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog

from quarterdeck.domain.ids import SlotId
from quarterdeck.engine.keeping import Discarded, UnknownEffect
from quarterdeck.engine.recovery import Owed
from quarterdeck.ui.theme import Scheme
from quarterdeck.ui.window import Window
from tests.ui import interrupted_made as left
from tests.ui.picture_command import folder_asked, run_pictures, size_asked
from tests.ui.take_pictures import SCHEMES, Camera

PUSH = UnknownEffect("repo", "a-2", "push-1", "git push", "origin digest")


async def _opened(camera: Camera, dialog: Callable[[], QDialog | None]) -> QDialog:
    for _ in range(60):
        await asyncio.sleep(0.03)
        if (found := dialog()) is not None:
            await camera.settle()
            return found
    raise AssertionError("no dialog came")


async def of_prompt(camera: Camera, name: str, owed: Owed, size: tuple[int, int]) -> None:
    """The prompt, its second step, a look, Discard and the window behind it."""
    door = left.door_over(owed)
    door.keeping.effects = (PUSH,)
    w, link, serving = await camera.window(door, size)
    dialog = await _opened(camera, lambda: w.after_crash.dialog)
    dialog.resize(920, 706)
    for scheme in SCHEMES:
        camera.theme.choose(scheme)
        await camera.settle()
        await camera.snap(dialog, f"recovery-{name}")
        await camera.snap(w, f"recovery-{name}-window")
        if name == "two":
            await steps(camera, w)
    camera.theme.choose(Scheme.LIGHT)
    w.after_crash.close()
    await camera.close(w, link, serving)


async def steps(camera: Camera, w: Window) -> None:
    """What opens from the prompt."""
    prompt = w.after_crash.dialog
    assert prompt is not None
    rows = {row.key[1]: row for card in prompt.cards.values() for row in card.rows}
    rows[SlotId("web")].resume.click()
    second = await _opened(camera, lambda: w.after_crash.acts.resuming)
    await camera.settle()
    await camera.snap(second, "resume")
    second.start.click()
    await camera.settle()
    await camera.snap(second, "resume-no-reason")
    second.reject()
    rows[SlotId("repo")].check.click()
    effects = await _opened(camera, lambda: w.after_crash.acts.effects)
    await camera.snap(effects, "effects")
    effects.reject()
    rows[SlotId("web")].look.click()
    await camera.settle()
    await camera.snap(prompt, "recovery-looked")
    prompt.discard.click()
    await camera.settle()
    found = [
        d for d in prompt.findChildren(QDialog) if d.accessibleName() == "Discard dialog" and d.isVisible()
    ]
    await camera.snap(found[0], "discard")
    found[0].reject()
    await camera.settle()


async def others(camera: Camera, size: tuple[int, int]) -> None:
    """The inspector of an interrupted agent, the list of discarded runs, and a run that waits to start."""
    door = left.door_over(left.owed_two())
    w, link, serving = await camera.window(door, size)
    prompt = await _opened(camera, lambda: w.after_crash.dialog)
    prompt.put_away()
    w.watching.choose_run(left.FIRST)
    w.watching.choose_slot(left.FIRST, SlotId("repo"))
    await camera.settle()
    told = [
        Discarded(run, "Ship weekly digest", 1_764_421_320_000, 1_765_026_120_000)
        for run in (left.FIRST, left.SECOND)
    ]
    for scheme in SCHEMES:
        camera.theme.choose(scheme)
        await camera.settle()
        await camera.snap(w, "restored")
        w.kept_records.ask_discarded()
        await camera.settle()
        link.keeping.discarded_read.emit(tuple(told))
        await camera.settle()
        found = w.conduct._open
        assert found is not None
        await camera.snap(found, "discarded")
        found.reject()
        await camera.settle()
    camera.theme.choose(Scheme.LIGHT)
    await camera.close(w, link, serving)


async def take(app: QApplication, folder: Path, size: tuple[int, int]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    camera = Camera(app, folder)
    await of_prompt(camera, "two", left.owed_two(), size)
    await of_prompt(camera, "one", left.owed_one(), size)
    await of_prompt(camera, "crowd", left.owed_crowd(), size)
    await others(camera, size)


def main() -> None:
    run_pictures(lambda app: take(app, folder_asked(), size_asked("1440x900")))


if __name__ == "__main__":
    main()
