"""Pictures of the shell for people to look at: python -m tests.ui.shell_pictures [FOLDER]. Not a test.

Scale by QT_SCALE_FACTOR; the folder is tests/pictures/ unless one is named, which is not kept.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

import quarterdeck
from quarterdeck.domain.ids import SlotId
from quarterdeck.engine.household import AgentProgram
from quarterdeck.ui.dialogs import about_dialog
from quarterdeck.ui.theme import Scheme
from tests.ui import made
from tests.ui.fake_door import FakeDoor
from tests.ui.picture_command import folder_asked, run_pictures, size_asked
from tests.ui.take_pictures import SCHEMES, Camera, busy_door

FOUND = (
    AgentProgram("claude", "/opt/agents/bin/claude", "2.1.277"),
    AgentProgram("codex", "/usr/local/bin/codex", "0.58.0"),
    AgentProgram("gemini", "/usr/bin/gemini", "", "It did not tell its version within 5 s."),
    AgentProgram("opencode"),
    AgentProgram("qwen", "/home/ada/.nvm/versions/node/v22/bin/qwen", "0.4.1", only_in_login=True),
)


async def busy(camera: Camera, size: tuple[int, int]) -> None:
    """The main window and every page of the shell, in each scheme."""
    door = busy_door()
    w, link, serving = await camera.window(door, size)
    run = next(v.run_id for v in door.views.values() if v.launch_seq == 8)
    w.watching.choose_slot(run, SlotId("repo"))
    for scheme in SCHEMES:
        camera.theme.choose(scheme)
        await camera.settle()
        await camera.snap(w, "shell-main")
        w.runs.find_here()
        w.runs.head.text.setText("today")
        await camera.settle()
        await camera.snap(w, "shell-filter")
        w.runs.head.text.clear()
        w.runs.head.toggle.setChecked(False)
        quarterdeck.__version__ = "1.0.0"  # of whatever it runs on, the picture is the same
        about_dialog.qVersion = lambda: "6.11.3"  # type: ignore[assignment]
        for name in ("palette", "settings", "keys", "about"):
            w.actions_[name].trigger()
            await camera.settle()
            dialog = w.conduct._open
            assert dialog is not None
            if name == "palette":
                dialog.field.setText("re")
                await camera.settle()
            await camera.snap(dialog, f"shell-{name}")
            dialog.reject()
            await camera.settle()
        link.busy_changed.disconnect(
            w.top.show_busy
        )  # what is really asked meanwhile would take the words away
        w.top.show_busy(("Reading the transcript",))
        w.top._on_late()
        w.resize(1000, 640)
        await camera.settle()
        await camera.snap(w, "shell-narrow")
        w.top.show_busy(())
        link.busy_changed.connect(w.top.show_busy)
        w.resize(*size)
    camera.theme.choose(Scheme.LIGHT)
    await camera.close(w, link, serving)


async def first(camera: Camera, size: tuple[int, int]) -> None:
    """A first start, before and after the look for agent programs."""
    flow = made.workflow("Practice night")
    practice = {name: replace(agent, kind="practice") for name, agent in flow.agents.items()}
    door = FakeDoor((made.loaded(replace(flow, agents=practice)),))
    door.household.programs = FOUND
    w, link, serving = await camera.window(door, size)
    w.first_card.welcome()
    w.watching.refresh()
    await camera.settle()
    for scheme in SCHEMES:
        camera.theme.choose(scheme)
        await camera.settle()
        await camera.snap(w, "shell-first")
    w.first_card.look.click()
    for scheme in SCHEMES:
        camera.theme.choose(scheme)
        await camera.settle()
        await camera.snap(w, "shell-found")
    camera.theme.choose(Scheme.LIGHT)
    await camera.close(w, link, serving)


async def take(app: QApplication, folder: Path, size: tuple[int, int]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    camera = Camera(app, folder)
    await busy(camera, size)
    await first(camera, size)


def main() -> None:
    run_pictures(lambda app: take(app, folder_asked(), size_asked("1600x960")))


if __name__ == "__main__":
    main()
