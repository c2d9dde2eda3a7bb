"""A secret that an agent got, and prints wherever it can, is found nowhere in the window (AUT1, AUT2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.sign_ins import Credential, CredentialKind
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.secret_vault import SecretVault
from tests.engine.test_credentials_list import MemoryKeyring
from tests.engine.works import python, write
from tests.ui.desk import Desk, until
from tests.ui.overheard import all_that_is_told, told_of
from tests.ui.real_desk import real_desk, real_engine

CANARY = "kJ8w canary q2Z"
TELLS = """
key = os.environ['THE_KEY']
k = 'key ' + key
say('session', id='s' + key, resumable=True, messages=True)
say('turn')
say('text', text=k + ' in a text')
say('note', kind='other', text=k)
say('progress', done=1, total=2, label=k)
say('usage', input_tokens=1, model='m ' + key)
say('effect', id='e1', state='sent', kind='shell ' + key, target='cat ' + k, detail=k)
say('effect', id='e2', state='intended', kind='shell', target='cat ' + k, detail=k)
say('artifact', name='file ' + key, text=k)
say('checkpoint', step='step ' + key, data={'k': k})
sys.stderr.write('on stderr ' + k + chr(10)); sys.stderr.flush()
print('plain ' + k, flush=True)
"""
ASKS = (
    TELLS
    + "say('approval', id='q', question='May I use ' + k + '?', options=['Allow', 'Deny'], where=k, network=k, writes=k)\ntold()"
)
FAILS = TELLS + "say('error', **{'class': 'auth', 'message': '401 not valid: ' + k})\nsys.exit(1)"
LIMITED = (
    TELLS
    + "say('error', **{'class': 'usage_limit', 'message': 'no more for ' + k, 'retry_after_s': 3600})\nsys.exit(1)"
)
GIVES = TELLS + "say('output', value={'the': k})"
DIALOGS = (
    "sign_ins", "settings", "budgets", "palette", "run", "stop", "compare_runs", "interrupted", "export_run", "about",
    "discard_run",
)  # fmt: skip
FACTS = (" in a text", "401 not valid", "May I use", "cat key", "file ", "key *")
"""What must be told, without the secret: a look that sees nothing proves nothing."""
CREW = {"asks": ASKS, "fails": FAILS, "limited": LIMITED, "gives": GIVES}


class Look:
    """What was told, and where the secret was among it."""

    def __init__(self) -> None:
        self.told: set[str] = set()
        self.found: dict[str, str] = {}

    def at(self, where: str, told: Iterable[tuple[str, str]]) -> None:
        for at, text in told:
            self.told.add(text)
            if CANARY in text:
                self.found.setdefault(f"{where}: {at}", text)

    def has(self, words: str) -> bool:
        return any(words in text for text in self.told)


async def quiet(desk: Desk) -> None:
    """Nothing is asked of the engine any more."""
    await asyncio.sleep(0)
    await until(lambda: not desk.link._asking._owed, "the answers")
    await asyncio.sleep(0)


async def look_at_agent(desk: Desk, look: Look, run: RunId, slot: str) -> None:
    """Every page of the inspector; raw and found words of its transcript."""
    inspector = desk.window.inspector
    desk.window.watching.choose_slot(run, SlotId(slot))
    for number in range(inspector.tabs.count()):
        inspector.tabs.setCurrentIndex(number)
        await quiet(desk)
        look.at(f"{slot}, page {number}", told_of(inspector))
    page = inspector.transcript
    inspector.tabs.setCurrentWidget(page)
    await until(lambda: any("in a text" in text for _, text in told_of(page)), "its words")
    look.at(f"{slot}, words", told_of(page))
    page.raw_button.click()
    await until(lambda: any('"type"' in text for _, text in told_of(page)), "its raw words")
    look.at(f"{slot}, raw", told_of(page))
    page.find_button.click()
    page.find_bar.line.clear()
    page.find_bar.line.setText("key")
    await until(lambda: any(c.isdigit() for _, text in told_of(page.find_bar) for c in text), "what is found")
    look.at(f"{slot}, found", told_of(page))
    page.find_bar.close_.click()
    page.raw_button.click()


async def look_everywhere(desk: Desk, look: Look, run: RunId) -> None:
    """Each agent, each page at the bottom, each dialog, and the whole of it."""
    window = desk.window
    for slot in CREW:
        await look_at_agent(desk, look, run, slot)
    for number in range(window.bottom.tabs.count()):
        window.bottom.tabs.setCurrentIndex(number)
        await quiet(desk)
        look.at(f"bottom {number}", told_of(window.bottom))
    await look_at_dialogs(desk, look)
    look.at("all", all_that_is_told())


async def look_at_dialogs(desk: Desk, look: Look) -> None:
    """Those that can be opened as things stand."""
    window = desk.window
    for name in DIALOGS:
        if not window.actions_[name].isEnabled():
            continue
        window.actions_[name].trigger()
        await quiet(desk)
        for dialog in window.findChildren(QDialog):
            look.at(f"dialog {name}", told_of(dialog))
            dialog.done(0)


@pytest.mark.qt_loop
async def test_a_secret_that_agents_print_wherever_they_can_is_nowhere_in_the_window(tmp_path: Path) -> None:
    ring = MemoryKeyring()
    agents = {name: python(source, credential=name) for name, source in CREW.items()}
    path = write(tmp_path / "w", agents)
    look = Look()
    async with real_engine(tmp_path / "data", vault=SecretVault(lambda: ring)) as engine:
        for name in CREW:
            saved = Credential(name, CredentialKind.API_KEY, "anthropic", variable="THE_KEY")
            await engine.sign_ins.save(saved, f"{CANARY} {name}")
        async with real_desk(tmp_path / "data", path, engine) as (desk, _, _):
            rows = desk.window.agents.model
            desk.link.launch(LaunchRequest(path, {}))
            await until(
                lambda: {one.badge.word for one in rows.rows} == {"Needs you", "Failed", "Done"},
                "all to have told",
            )
            (run,) = {one.key[0] for one in rows.rows}
            await look_everywhere(desk, look, run)
            await engine.stop_run(run)
            await engine.wait_ended(run)
            await look_at_agent(desk, look, run, "asks")
            look.at("ended", all_that_is_told())
            assert desk.window.actions_["discard_run"].isEnabled()
            await look_at_dialogs(desk, look)
    assert not look.found, "\n".join(f"{where}: {text[:200]!r}" for where, text in look.found.items())
    assert not [words for words in FACTS if not look.has(words)]
