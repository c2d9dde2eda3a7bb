"""Pictures of the inspector's pages: python -m tests.ui.inspector_pictures [FOLDER]. Not a test.

Scale by QT_SCALE_FACTOR.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QWidget

from quarterdeck.domain.ids import AttemptId, Revision, SlotId
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import ArtifactView, ErrorView
from quarterdeck.engine.attempt_details import KeptState, LaunchWords, PinnedFile
from quarterdeck.ui.inspector import FILES, OVERVIEW, PROMPT, Inspector
from quarterdeck.ui.link import Link
from quarterdeck.ui.present_agent import agent_facts
from quarterdeck.ui.theme import Scheme, Theme
from tests.ui import made
from tests.ui.fake_door import FakeDoor
from tests.ui.picture_command import folder_asked, run_pictures
from tests.ui.take_pictures import IS_BRIEF, SCHEMES, save_still

PROMPT_TEXT = "Collect the pull requests that were merged in this repository since the last digest.\n\nFor each one give the title, the author and one sentence on what changed for users. Do not push."


def said(**item: Any) -> bytes:
    return json.dumps(item).encode() + b"\n"


def talk() -> bytes:
    steps = [
        said(type="session", id="0198c1c2-7a53", resumable=True),
        said(
            type="text",
            text="I start with the log of the last two weeks, then I look at what each merge changed for users.",
        ),
        said(
            type="effect",
            id="log",
            state="confirmed",
            kind="shell",
            target="git log --merges --since=2.weeks",
        ),
        said(type="usage", input_tokens=41_200, output_tokens=820, cost_usd="0.31", message_id="m1"),
        said(
            type="text",
            text="Two of the merged pull requests are only on the upstream remote. I need its tags:\n\n- #412 faster start\n- #415 exports as CSV",
        ),
        said(
            type="approval",
            id="q1",
            question="git fetch upstream --tags",
            options=["Deny", "Allow once", "Allow for run"],
        ),
        said(type="effect", id="fetch", state="intended", kind="shell", target="git fetch upstream --tags"),
        said(
            type="effect",
            id="fetch",
            state="sent",
            kind="shell",
            target="git fetch upstream --tags",
            detail="From https://example.org/digest\n * [new tag] v2.4.0 -> v2.4.0",
        ),
        b"\x1b[32mFrom https://example.org/digest\x1b[0m\n * [new tag]  \x1b[1mv2.4.0\x1b[0m\n",
        said(type="progress", done=3, total=5, label="pull requests read"),
        said(type="artifact", name="changelog.md", text="# Changes"),
        said(type="effect", id="push", state="refused", kind="git push", target="origin digest"),
        said(type="error", **{"class": "rate_limit"}, message="429: try again in 20 s"),
        said(type="note", kind="decision", text="The push is left to the person."),
        said(type="text", text="The list is complete; 14 pull requests, two of them by first-time authors."),
    ]
    return b"".join(steps)


def door() -> FakeDoor:
    made_door = FakeDoor((made.loaded(),))
    made_door.transcripts[AttemptId("a-2")] = talk() * 6
    made_door.details.protocol.add(AttemptId("a-2"))
    coloured = b"".join(
        b"\x1b[%dm%s\x1b[0m checking file %04d \x1b[2m(%d ms)\x1b[0m\n"
        % (32 if i % 7 else 31, b"ok  " if i % 7 else b"FAIL", i, i * 3)
        for i in range(4000)
    )
    made_door.transcripts[AttemptId("a-1")] = coloured
    words = LaunchWords(
        agent="check",
        kind="codex",
        model="opus-5",
        worker_class="research",
        spec=Revision("4f1c9b20a3d7" + "0" * 52),
        prompt=PROMPT_TEXT,
        is_rendered=True,
        argv=("/usr/bin/codex", "exec", "--json", "-C", "/projects/digest with space"),
        cwd="/projects/digest-7f3c",
        attachments=(PinnedFile("skills/review.md", "skills", "ab12cd34" + "0" * 56, 4210),),
        secret_names=("OPENAI_API_KEY",),
    )
    made_door.details.words = {
        "a-2": words,
        "a-1": replace(
            words,
            is_rendered=False,
            prompt="",
            problem="The pinned agent specification 4f1c9b20a3d7… is missing or damaged; launch the workflow anew. (E_PIN_MISSING)",
        ),
    }
    made_door.details.states = {"lint.json": KeptState.DAMAGED, "notes.md": KeptState.MISSING}
    return made_door


def facts() -> Any:
    files = (
        ArtifactView("changelog.md", "9f86d081884c7d65" + "0" * 48, 18_204, "out/changelog.md", "0001.md"),
        ArtifactView("lint.json", "ab12cd34ef" + "0" * 54, 2_812, None, "0002.json"),
        ArtifactView("notes.md", "77aa" + "0" * 60, 312, None, "0003.md"),
        ArtifactView("recording.webm", "0c0c" + "0" * 60, 412_000_000, "out/recording.webm", None),
    )
    attempts = (
        made.attempt(
            1,
            AttemptStatus.FAILED,
            100,
            340,
            reason="exit 1",
            exit_code=1,
            figures=made.figures("0.31", 9),
            errors=(
                ErrorView(
                    "other", "ruff ended with exit code 1: pyproject.toml: unknown rule selector “XYZ”"
                ),
            ),
        ),
        made.attempt(
            2,
            AttemptStatus.RUNNING,
            345,
            figures=made.figures("1.61", 29),
            pid=48213,
            artifacts=files,
            last_output_at_ms=made.at(1024 - 12 * 60).boot_ms,
            tail="I have the merged pull requests since the last digest. Two of them are only on the upstream remote, so I need to fetch its tags before I can list them.\n",
        ),
    )
    view = made.run_view(8, {"planner": "Done", "repo": "Running"})
    slot = next(s for s in view.slots if s.slot_id == SlotId("repo"))
    slot = replace(slot, attempts=attempts, turns=38, cost_usd=Decimal("1.92"), agent_kind="codex")
    return agent_facts(view, slot, "A", made.at(1024))


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0.03)


async def take(app: QApplication, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    theme, link = Theme(app, Scheme.LIGHT), Link()
    app.setCursorFlashTime(0)
    link.bind(door())
    panel = Inspector(theme, link)
    panel.resize(376, 800)
    panel.show()
    panel.show_facts(facts(), made.at(1024))

    async def snap(name: str) -> None:
        for scheme in SCHEMES:
            theme.choose(scheme)
            await settle()
            shown: QWidget = panel
            await save_still(shown, folder / f"inspector-{name}-{theme.tokens.name}.png")
        theme.choose(Scheme.LIGHT)

    await settle()
    await snap("overview")
    if IS_BRIEF:
        await link.stop()
        panel.close()
        return
    panel.open_transcript()
    await settle()
    await snap("transcript")
    panel.transcript.pager.go_to(0)
    await settle()
    panel.transcript.pager.open_block(
        next(i for i, r in enumerate(panel.transcript.text.rows) if "fetch" in r.text and r.is_first)
    )
    await snap("transcript-top")
    panel.find_here()
    panel.transcript.find_bar.line.setText("upstream")
    await settle()
    await settle()
    await snap("find")
    panel.transcript.find_bar.closed.emit()
    panel.transcript.raw_button.setChecked(True)
    await settle()
    await snap("raw")
    panel.transcript.raw_button.setChecked(False)
    for place, name in ((FILES, "files"), (PROMPT, "prompt")):
        panel.tabs.setCurrentIndex(place)
        await settle()
        await snap(name)
    panel.choose_attempt(AttemptId("a-1"))
    await settle()
    await snap("prompt-missing")
    panel.tabs.setCurrentIndex(OVERVIEW)
    await snap("overview-earlier")
    panel.open_transcript()
    await settle()
    await snap("transcript-coloured")
    await link.stop()
    panel.close()


def main() -> None:
    run_pictures(lambda app: take(app, folder_asked()))


if __name__ == "__main__":
    main()
