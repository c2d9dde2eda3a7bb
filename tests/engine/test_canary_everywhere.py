"""A secret planted as a key is found in nothing that Quarterdeck writes, starts or tells; only the tree of the agent whose entry names
it has it in its environment (AUT1, AUT2). What an agent itself prints stays raw in the records of its own run alone.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quarterdeck.domain.sign_ins import Credential, CredentialKind
from quarterdeck.engine.secret_vault import SecretVault
from tests.engine.conftest import Opener
from tests.engine.test_credentials_list import MemoryKeyring
from tests.engine.works import launch, python, slot_of, until, write

CANARY = "kJ8w-canary-q2Z-40f1"
LOUD = "loud-canary-77aa-9c3e"
CHILD = "import subprocess\nchild = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(600)'])\n"
USES = (
    CHILD
    + "say('output', value=len(os.environ['THE_KEY']))\nsay('approval', id='q', question='Go?', options=['yes'])\ntold()\nchild.kill()\nchild.wait()"
)
TELLS = "k = os.environ['THE_KEY']\nprint(k, flush=True)\nsay('note', kind='other', text=k)\nsay('output', value=k)"


def processes() -> dict[int, tuple[bytes, bytes, int]]:
    """{pid: (argument list, environment, parent)} of all of this person that can be read."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                cmdline, environ = (Path("/proc", name, part).read_bytes() for part in ("cmdline", "environ"))
                parent = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
            found[int(name)] = (cmdline, environ, parent)
    return found


def below(root: int, told: dict[int, tuple[bytes, bytes, int]]) -> set[int]:
    """That process and all that came from it."""
    tree = {root}
    while more := {pid for pid, (_, _, parent) in told.items() if parent in tree} - tree:
        tree |= more
    return tree


def files_with(secret: str, *roots: Path) -> list[Path]:
    """Every file below these folders that holds it, or is named by it, also as JSON, hex or base64 writes it."""
    import base64

    spelled = {
        secret.encode(),
        secret.encode().hex().encode(),
        base64.b64encode(secret.encode()).rstrip(b"="),
    }
    paths = [path for root in roots for path in root.rglob("*")]
    named = [path for path in paths if secret in path.name]
    return named + [p for p in paths if p.is_file() and any(one in p.read_bytes() for one in spelled)]


@pytest.fixture
def ring() -> MemoryKeyring:
    return MemoryKeyring()


async def test_a_key_is_in_no_file_argument_log_or_environment_but_of_its_agents_own_tree(
    open_engine: Opener, ring: MemoryKeyring, tmp_path: Path, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """While the agent and a child of its own are at work, and after a restart of the engine."""
    caplog.set_level("DEBUG")
    engine = await open_engine(vault=SecretVault(lambda: ring))
    for name in ("used", "unused"):
        entry = Credential(name, CredentialKind.API_KEY, "anthropic", variable="THE_KEY")
        assert not (await engine.sign_ins.save(entry, f"{CANARY}-{name}")).fault
    crew = {
        "a": python(USES, credential="used"),
        "b": python("say('approval', id='q', question='Go?', options=['yes'])\ntold()"),
    }
    run = await launch(engine, write(tmp_path / "w", crew))
    view = await until(engine, run, lambda v: all(slot.approvals for slot in v.slots))
    pids = {slot: slot_of(view, slot).attempts[-1].pid for slot in ("a", "b")}
    told = processes()
    assert pids["a"] in told
    assert not [pid for pid, (cmdline, _, _) in told.items() if CANARY.encode() in cmdline]
    has_it = {pid for pid, (_, environ, _) in told.items() if CANARY.encode() in environ}
    own = below(pids["a"], told)
    assert len(own) == 2, "the agent and its child"
    assert has_it == own
    assert not [pid for pid, (_, environ, _) in told.items() if f"{CANARY}-unused".encode() in environ]
    assert not files_with(CANARY, tmp_path, data)
    await engine.stop_run(run)
    ended = await engine.wait_ended(run)
    for form in ("json", "markdown"):
        assert CANARY not in (await engine.recovery.export(ended, form)).text  # type: ignore[arg-type]
    await engine.close()
    again = await open_engine(vault=SecretVault(lambda: ring))
    assert CANARY not in repr((await again.run(run), again.runs(), await again.sign_ins.listed()))
    assert not files_with(CANARY, tmp_path, data)
    assert CANARY not in caplog.text


async def test_what_an_agent_prints_of_its_key_lies_in_the_records_of_its_run_and_nowhere_else(
    open_engine: Opener, ring: MemoryKeyring, tmp_path: Path, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    engine = await open_engine(vault=SecretVault(lambda: ring))
    entry = Credential("used", CredentialKind.API_KEY, "anthropic", variable="THE_KEY")
    await engine.sign_ins.save(entry, LOUD)
    run = await launch(engine, write(tmp_path / "w", {"a": python(TELLS, credential="used")}))
    view = await engine.wait_ended(run)
    (attempt,) = slot_of(view, "a").attempts
    for path in files_with(LOUD, tmp_path, data):
        assert attempt.attempt_id in path.parts or run in path.parts, path
    for form in ("json", "markdown"):
        assert LOUD not in (await engine.recovery.export(view, form)).text  # type: ignore[arg-type]
    assert LOUD not in caplog.text
