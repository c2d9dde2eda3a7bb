"""A keyring that waits for its person keeps nothing else waiting (ID5, case 14): it answers when a test lets it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.secret_vault import SecretVault
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.test_credentials_list import SECRET, MemoryKeyring, agent, entry
from tests.engine.works import displays, ended, launch, shell, slot_of, to_end, until, write

WORKS = "say('turn')\nsay('output', value='done')\n"
FOR_EVER_S = 600.0
"""Far longer than any test waits."""


class AskingKeyring(MemoryKeyring):
    """Asks its person for a password: while `asks`, no secret is given before `answered`."""

    def __init__(self) -> None:
        super().__init__()
        self.asks = False
        self.answered = threading.Event()
        self.inside, self.most_inside = 0, 0
        self._counting = threading.Lock()

    def get_password(self, service: str, username: str) -> str | None:
        with self._counting:
            self.inside += 1
            self.most_inside = max(self.inside, self.most_inside)
        if self.asks:
            self.answered.wait()
        with self._counting:
            self.inside -= 1
        return super().get_password(service, username)


@pytest.fixture
def ring() -> Iterator[AskingKeyring]:
    made = AskingKeyring()
    yield made
    made.answered.set()


@pytest.fixture
async def engine(open_engine: Opener, ring: AskingKeyring) -> Engine:
    made = await open_engine(vault=SecretVault(lambda: ring, within_s=FOR_EVER_S))
    await made.sign_ins.save(entry(), SECRET)
    ring.asks = True
    return made


async def test_a_stop_is_answered_and_siblings_are_shown_while_the_keyring_asks_its_person(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 14: the slots say what they wait for, and nobody waits with them."""
    crew = {"free": shell("sleep 100"), "a": agent(WORKS), "b": agent(WORKS)}
    run = await launch(engine, write(tmp_path, crew))
    view = await until(engine, run, lambda v: "keyring" in slot_of(v, "b").reason)
    assert "keyring" in slot_of(view, "a").reason
    await until(engine, run, lambda v: slot_of(v, "free").display == "Running")
    assert await engine.stop_run(run) is None
    view = await ended(engine, run)
    assert view.outcome is Outcome.STOPPED
    assert not slot_of(view, "a").attempts


async def test_agents_start_once_the_keyring_was_unlocked(
    engine: Engine, ring: AskingKeyring, tmp_path: Path
) -> None:
    run = await launch(engine, write(tmp_path, {"a": agent(WORKS), "b": agent(WORKS)}))
    await until(engine, run, lambda v: all("keyring" in slot.reason for slot in v.slots))
    ring.answered.set()
    view = await ended(engine, run)
    assert displays(view) == {"a": "Done", "b": "Done"}
    assert {slot.reason for slot in view.slots} == {""}


async def test_a_persons_claim_waits_for_the_keyring_and_no_launch_waits_for_the_claim(
    engine: Engine, ring: AskingKeyring, tmp_path: Path
) -> None:
    ring.asks = False
    ring.locked = True
    view = await to_end(engine, write(tmp_path, {"a": agent(WORKS)}))
    ring.asks, ring.locked = True, False
    assert await engine.reassign(view.run_id, SlotId("a"), "again") is None
    claim = asyncio.create_task(engine.claim(view.run_id, SlotId("a")))
    other = await to_end(engine, write(tmp_path, {"free": shell("true")}, name="other"))
    assert displays(other) == {"free": "Done"}
    assert not claim.done()
    ring.answered.set()
    assert not isinstance(await claim, Refusal)
    assert displays(await ended(engine, view.run_id)) == {"a": "Done"}


def test_a_keyring_is_asked_one_thing_at_a_time() -> None:
    """A person who unlocks it answers one question, however many agents wait."""
    ring = AskingKeyring()
    vault = SecretVault(lambda: ring, within_s=FOR_EVER_S)
    vault.put("work", SECRET)
    ring.asks = True
    threads = [threading.Thread(target=vault.get, args=("work",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    ring.answered.set()
    for thread in threads:
        thread.join()
    assert ring.most_inside == 1
