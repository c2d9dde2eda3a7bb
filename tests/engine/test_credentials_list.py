"""The credentials list, the vault and the test of a key (AUT5, ruling 27): a keyring in memory, a service on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.sign_ins import Cleared, Credential, CredentialKind
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.attempt_details import Way
from quarterdeck.engine.secret_vault import NO_KEYRING, SecretVault, VaultFault
from quarterdeck.engine.service import Engine
from quarterdeck.engine.sign_in_reading import SignInReading
from quarterdeck.store.credentials_file import CredentialsNotKept, read_credentials, write_credential
from tests.engine.conftest import Opener
from tests.engine.test_sign_ins import AUTH, WORKS, refused
from tests.engine.works import displays, ended, launch, python, slot_of, to_end, until, write

SECRET = "sk-canary-a84f0c77d1"
FRESH = "sk-canary-of-tomorrow"
PLAIN = "correct-horse-battery"
"""Nothing in its shape says what it is."""


class MemoryKeyring(KeyringBackend):
    """Of one person; `locked` refuses everything, as a locked collection does."""

    priority: ClassVar[float] = 5  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._open(username)
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open(password)
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open(username)
        del self.kept[service, username]

    def _open(self, word: str) -> None:
        if self.locked:
            raise KeyringLocked(f"no way to {word}")


class Service(BaseHTTPRequestHandler):
    """Answers by the key; books the paths and whether a key came."""

    good: ClassVar[set[str]] = set()
    booked: ClassVar[list[str]] = []
    status: ClassVar[int] = 0

    def do_GET(self) -> None:
        type(self).booked.append(self.path)
        key = self.headers.get("x-api-key") or str(self.headers.get("authorization", "")).removeprefix(
            "Bearer "
        )
        self.send_response(self.status or (200 if key in self.good else 401))
        if self.status == 302:
            self.send_header("location", "/elsewhere")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def service() -> Iterator[str]:
    Service.good, Service.booked, Service.status = {SECRET}, [], 0
    server = HTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def ring() -> MemoryKeyring:
    return MemoryKeyring()


@pytest.fixture
async def engine(open_engine: Opener, ring: MemoryKeyring) -> Engine:
    return await open_engine(vault=SecretVault(lambda: ring))


def entry(name: str = "work", **more: str) -> Credential:
    return Credential(name, CredentialKind.API_KEY, "anthropic", variable="THE_KEY", **more)


def agent(source: str, name: str = "work", endpoint: str = "") -> dict[str, object]:
    """endpoint: of the entry; a program of the person's own is told it by the workflow."""
    return python(source, credential=name, **({"env": {"API_BASE": endpoint}} if endpoint else {}))


GIVES = "say('output', value=os.environ.get('THE_KEY', '')[:9])"
NEEDS_FRESH = f"if os.environ['THE_KEY'] != {FRESH!r}:\n    " + AUTH.replace("\n", "; ", 1) + WORKS


async def test_an_agent_gets_the_key_of_an_entry_from_the_keyring_and_no_file_of_ours_holds_it(
    engine: Engine, tmp_path: Path, data: Path, ring: MemoryKeyring, caplog: pytest.LogCaptureFixture
) -> None:
    """The canary secret: 0 hits in every byte written, in every argument and log."""
    caplog.set_level("DEBUG")
    done = await engine.sign_ins.save(entry(), SECRET)
    assert not done.fault
    listed = await engine.sign_ins.listed()
    assert [one.has_secret for one in listed.entries] == [True]
    source = GIVES + "\nprint(open('/proc/self/cmdline').read().replace(chr(0), ' '), file=sys.stderr)"
    view = await to_end(engine, write(tmp_path / "w", {"a": agent(source)}))
    assert slot_of(view, "a").attempts[-1].output == SECRET[:9]
    assert list(ring.kept.values()) == [SECRET]
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in caplog.text
    assert SECRET not in repr((view, listed, done, engine.sign_ins.standing()))


async def test_a_key_that_an_agent_prints_is_left_out_of_an_export(engine: Engine, tmp_path: Path) -> None:
    """It stays raw in the agent's own transcript alone."""
    await engine.sign_ins.save(entry(), SECRET)
    tells = "say('note', kind='other', text='k')\nsay('output', value='it is ' + os.environ['THE_KEY'])"
    view = await to_end(engine, write(tmp_path, {"a": agent(tells)}))
    for form in ("json", "markdown"):
        exported = await engine.recovery.export(view, form)  # type: ignore[arg-type]
        assert SECRET not in exported.text
        assert "[secret work]" in exported.text or form == "markdown"


async def test_an_export_names_the_entry_whose_secret_has_gone_and_still_takes_out_what_it_gave_itself(
    engine: Engine, tmp_path: Path, ring: MemoryKeyring
) -> None:
    """A key that was changed is known here no more but by what this process gave; one that is gone is said to be."""
    await engine.sign_ins.save(entry(), PLAIN)
    tells = "say('note', kind='other', text='k')\nsay('output', value='it is ' + os.environ['THE_KEY'])"
    view = await to_end(engine, write(tmp_path, {"a": agent(tells)}))
    await engine.sign_ins.save(entry(), FRESH)
    rotated = await engine.recovery.export(view, "json")
    assert PLAIN not in rotated.text
    assert rotated.unsought == ()
    assert "one that was changed since the run is not found" in rotated.text
    said = next(words for words in rotated.stripped if words.startswith("secrets: "))
    assert said.endswith("one that was changed since the run is not found: work"), "by name, never by value"
    assert rotated.sought == ("work",)
    ring.kept.clear()
    gone = await engine.recovery.export(view, "markdown")
    assert [(one.variable, one.source) for one in gone.unsought] == [("", "work")]
    assert "- work: its entry or the secret of it is not there now" in gone.text
    assert any("not all of them could be looked for" in words for words in gone.stripped)
    assert PLAIN not in gone.text


async def test_a_login_of_a_program_is_no_secret_that_an_export_could_miss(
    engine: Engine, tmp_path: Path
) -> None:
    await engine.sign_ins.save(entry(), SECRET)
    view = await to_end(engine, write(tmp_path, {"a": agent("say('output', value='x')")}))
    await engine.sign_ins.save(replace(entry(), kind=CredentialKind.OWN_LOGIN), None)
    assert (await engine.recovery.export(view, "json")).unsought == ()


async def test_a_key_that_an_agent_prints_is_shown_as_asterisks_and_stays_in_its_transcript(
    engine: Engine, tmp_path: Path
) -> None:
    """Views mask what this process gave to agents; places in the file stay what they are."""
    await engine.sign_ins.save(entry(), SECRET)
    source = "say('text', text='my key is ' + os.environ['THE_KEY'])\ntime.sleep(60)"
    run = await launch(engine, write(tmp_path, {"a": agent(source)}))
    view = await until(
        engine, run, lambda v: "my key is" in "".join(a.tail for a in slot_of(v, "a").attempts)
    )
    attempt = slot_of(view, "a").attempts[-1]
    assert attempt.tail.strip() == "my key is " + "*" * len(SECRET)
    page = await engine.details.page(run, attempt.attempt_id, 0, Way.AFTER)
    assert SECRET not in repr(page)
    assert page.lines[0].item == {"kind": "text", "text": "my key is " + "*" * len(SECRET)}
    raw = await engine.transcript(run, attempt.attempt_id, 0, 10_000)
    assert SECRET.encode() in raw.content
    await engine.stop_run(run)
    await ended(engine, run)


async def test_without_a_keyring_a_key_is_held_by_this_process_and_that_is_said(
    open_engine: Opener, tmp_path: Path
) -> None:
    engine = await open_engine(vault=SecretVault(lambda: None))
    done = await engine.sign_ins.save(entry(), SECRET)
    assert done.words.startswith(NO_KEYRING)
    view = await to_end(engine, write(tmp_path, {"a": agent(GIVES)}))
    assert slot_of(view, "a").attempts[-1].output == SECRET[:9]
    other = await open_engine(vault=SecretVault(lambda: None))
    assert [one.has_secret for one in (await other.sign_ins.listed()).entries] == [False]


async def test_saving_clears_at_once_also_with_the_same_value_and_a_failed_save_does_not(
    engine: Engine, tmp_path: Path, ring: MemoryKeyring
) -> None:
    """AUT5."""
    await engine.sign_ins.save(entry(), SECRET)
    await engine.sign_ins.save(entry("other"), "another-key-of-mine")
    file = write(tmp_path, {"a": agent(AUTH)})
    await to_end(engine, file)
    assert refused(await to_end(engine, file)) == ["a"]
    ring.locked = True
    failed = await engine.sign_ins.save(entry(), SECRET)
    assert "unlock it" in failed.fault
    assert SECRET not in failed.fault
    ring.locked = False
    await engine.sign_ins.save(entry("other"), "another-key-of-mine")
    assert not (await engine.sign_ins.save(entry(""), SECRET)).cleared
    assert engine.sign_ins.standing().remembered
    assert (await engine.sign_ins.save(entry())).cleared == 1
    assert not engine.sign_ins.standing().remembered
    assert not refused(await to_end(engine, file))


async def test_a_new_key_under_the_name_is_used_by_the_next_claim_and_nothing_starts_by_itself(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT9."""
    await engine.sign_ins.save(entry(), SECRET)
    view = await to_end(engine, write(tmp_path, {"a": agent(NEEDS_FRESH), "b": agent(NEEDS_FRESH)}))
    [waiting] = refused(view)
    await engine.sign_ins.save(entry(), FRESH)
    assert engine.live_run(view.run_id) is None or not engine.live_run(view.run_id).is_live  # type: ignore[union-attr]
    await engine.claim(view.run_id, slot_of(view, waiting).slot_id)
    assert displays(await ended(engine, view.run_id))[waiting] == "Done"


async def test_a_passed_test_clears_and_one_that_fails_or_proves_nothing_does_not(
    engine: Engine, tmp_path: Path, service: str
) -> None:
    """AUT5; what is asked goes to the named endpoint, and no redirect takes the key further."""
    await engine.sign_ins.save(entry(endpoint=service), SECRET)
    await to_end(engine, write(tmp_path, {"a": agent(AUTH, endpoint=service)}))
    for status, passed in ((401, False), (403, None), (429, None), (503, None), (302, None)):
        Service.status = status
        tested = await engine.sign_ins.test("work")
        assert tested.passed is passed, status
        assert engine.sign_ins.standing().remembered
    Service.status = 0
    tested = await engine.sign_ins.test("work")
    assert tested.passed
    assert tested.cleared == 1
    assert "not that its account has money left" in tested.words
    assert set(Service.booked) == {"/v1/models?limit=1"}
    assert SECRET not in tested.words


async def test_a_variable_clears_with_a_passed_test(
    engine: Engine, tmp_path: Path, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ruling 27: a save says nothing new of it, a passed test does."""
    monkeypatch.setenv("THE_KEY", SECRET)
    variable = Credential("named", CredentialKind.ENVIRONMENT, "anthropic", service, "THE_KEY")
    assert not (await engine.sign_ins.save(variable)).fault
    await to_end(engine, write(tmp_path, {"a": agent(AUTH, "named", service)}))
    assert not (await engine.sign_ins.save(variable)).cleared
    assert engine.sign_ins.standing().remembered
    assert (await engine.sign_ins.test("named")).cleared == 1


async def test_a_variable_is_tested_at_the_service_that_refused_it(
    engine: Engine, tmp_path: Path, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AUT5: the key of a gateway goes to that gateway, and what passes there clears what was remembered there."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    told = python(AUTH, credential="env:ANTHROPIC_API_KEY", env={"ANTHROPIC_BASE_URL": service})
    await to_end(engine, write(tmp_path, {"a": told}))
    Service.status = 401
    assert (await engine.sign_ins.test("env:ANTHROPIC_API_KEY")).passed is False
    assert engine.sign_ins.standing().remembered
    Service.status = 0
    tested = await engine.sign_ins.test("env:ANTHROPIC_API_KEY")
    assert (tested.passed, tested.cleared) == (True, 1)
    assert service in tested.words
    assert Service.booked == ["/v1/models?limit=1"] * 2
    assert not engine.sign_ins.standing().remembered


async def test_an_entry_is_tested_where_its_agent_uses_it(
    engine: Engine, tmp_path: Path, service: str
) -> None:
    """AUT5: also where the agent names the endpoint, and not the entry."""
    await engine.sign_ins.save(entry(), SECRET)
    told = python(AUTH, credential="work", env={"ANTHROPIC_BASE_URL": service})
    await to_end(engine, write(tmp_path, {"a": told}))
    tested = await engine.sign_ins.test("work")
    assert (tested.passed, tested.cleared) == (True, 1)


async def test_where_nothing_can_test_a_variable_a_persons_claim_is_the_test(
    engine: Engine, tmp_path: Path, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AUT5: nothing is asked anywhere, the schedule goes on refusing, and the agent that works again clears it."""
    monkeypatch.setenv("CKEY", SECRET)
    fixed = tmp_path / "fixed"
    source = f"if not os.path.exists({str(fixed)!r}):\n    " + AUTH.replace("\n", "; ", 1) + WORKS
    file = write(tmp_path, {"a": python(source, credential="env:CKEY", env={"MY_ENDPOINT": service})})
    await to_end(engine, file)
    view = await to_end(engine, file)
    assert refused(view) == ["a"]
    tested = await engine.sign_ins.test("env:CKEY")
    assert (tested.passed, tested.cleared, Service.booked) == (None, 0, [])
    assert "claim" in tested.words
    fixed.touch()
    assert not isinstance(await engine.claim(view.run_id, SlotId("a")), Refusal)
    assert displays(await ended(engine, view.run_id)) == {"a": "Done"}
    assert not engine.sign_ins.standing().remembered


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"kind": "claude-code"}, ("anthropic", "")),
        ({"kind": "claude-code", "env": (("ANTHROPIC_BASE_URL", "https://gate"),)}, ("anthropic", "https://gate")),
        ({"kind": "claude-code", "env": (("OTEL_ENDPOINT", "https://logs"),)}, ("anthropic", "")),
        ({"kind": "claude-code", "env": (("ANTHROPIC_BASE_URL", "https://{{ x }}"),)}, None),
        ({"kind": "claude-code", "credential_env": "ANTHROPIC_AUTH_TOKEN"}, None),
        ({"kind": "opencode", "credential_env": "OPENAI_API_KEY"}, ("openai", "")),
        ({"kind": "command", "protocol": "lines", "argv": ("x",)}, None),
    ],
)  # fmt: skip
def test_what_tests_a_key_asks_as_the_agent_does_or_not_at_all(
    more: dict[str, Any], wanted: tuple[str, str] | None, tmp_path: Path
) -> None:
    """AUT5, AUT6: what a service says of a key that is used otherwise proves nothing."""
    reading = SignInReading(SecretVault(MemoryKeyring), b"k", lambda: tmp_path, {"MY_KEY": SECRET})
    sign_in = reading.of_agent(AgentSpec(name="a", credential="env:MY_KEY", **more))
    assert sign_in.shape is not None
    call = reading.calls[sign_in.shape]
    told = None if call is None or call.provider is None else (call.provider.name, call.endpoint)
    assert told == wanted
    assert sign_in.is_tried_by_person is (wanted is None)


@pytest.mark.parametrize("way", ["pass_env", "secrets"])
def test_a_key_is_tested_at_the_gateway_that_its_agent_is_led_to_by_a_variable(
    way: str, tmp_path: Path
) -> None:
    """AUT5: never at the maker of the model, to which the agent does not send it."""
    environ = {"MY_KEY": SECRET, "ANTHROPIC_BASE_URL": "https://gate"}
    named: Any = (
        ("ANTHROPIC_BASE_URL",) if way == "pass_env" else (("ANTHROPIC_BASE_URL", "env:ANTHROPIC_BASE_URL"),)
    )
    reading = SignInReading(SecretVault(MemoryKeyring), b"k", lambda: tmp_path, environ)
    sign_in = reading.of_agent(
        AgentSpec(name="a", kind="claude-code", credential="env:MY_KEY", **{way: named})
    )
    assert sign_in.shape is not None
    call = reading.calls[sign_in.shape]
    assert call is not None
    assert call.endpoint == "https://gate"


async def test_a_programs_own_login_is_not_tested_by_what_it_says_of_itself(engine: Engine) -> None:
    login = Credential("claude", CredentialKind.OWN_LOGIN, "claude-code")
    await engine.sign_ins.save(login)
    tested = await engine.sign_ins.test("claude")
    assert tested.passed is None
    assert "not checked with the service" in tested.words


async def test_what_one_process_clears_is_cleared_in_the_others_and_launches_nothing_there(
    engine: Engine, open_engine: Opener, ring: MemoryKeyring, tmp_path: Path
) -> None:
    """Ruling 27: over their sockets; only that key."""
    await engine.sign_ins.save(entry(), SECRET)
    other = await open_engine(vault=SecretVault(lambda: ring))
    await to_end(other, write(tmp_path, {"a": agent(AUTH)}))
    await to_end(other, write(tmp_path, {"a": python(AUTH)}, name="without"))
    assert len(other.sign_ins.standing().remembered) == 2
    told = asyncio.Event()
    end = other.sign_ins.watch(told.set)
    done = await engine.sign_ins.save(entry())
    assert not done.fault
    await asyncio.wait_for(told.wait(), 10)
    end()
    assert len(other.sign_ins.standing().remembered) == 1
    assert not [
        view for view in (other.live_run(run.run_id) for run in other.runs()) if view and view.is_live
    ]


async def test_a_launch_that_names_no_entry_of_the_list_is_refused_by_agent_and_name(
    engine: Engine, tmp_path: Path
) -> None:
    from quarterdeck.domain.refusal import Refusal
    from quarterdeck.engine.door import LaunchRequest

    answer = await engine.launch(LaunchRequest(write(tmp_path, {"a": agent(WORKS, "nowhere")})))
    assert isinstance(answer, Refusal)
    assert "“nowhere”, which is not in the list" in answer.message


async def test_a_locked_keyring_at_the_claim_is_told_as_that_and_the_slot_stays_open(
    engine: Engine, ring: MemoryKeyring, tmp_path: Path
) -> None:
    """SLT17."""
    await engine.sign_ins.save(entry(), SECRET)
    ring.locked = True
    view = await to_end(engine, write(tmp_path, {"a": agent(WORKS)}))
    assert "unlock it" in slot_of(view, "a").reason
    assert slot_of(view, "a").state == "retry_wait"


async def test_an_entry_is_removed_with_its_key(engine: Engine, ring: MemoryKeyring) -> None:
    await engine.sign_ins.save(entry(), SECRET)
    assert not (await engine.sign_ins.remove("work")).fault
    assert not ring.kept
    assert "no credential" in (await engine.sign_ins.remove("work")).fault


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Credential("env:x"), "does not begin with"),
        (Credential(" "), "characters that can be seen"),
        (Credential("a", endpoint="ftp://x"), "begins with https://"),
        (Credential("a", endpoint="https://me:pw@x"), "no place for a secret"),
        (Credential("a", endpoint="https://x\\me:pw@y"), "no place for a secret"),
        (Credential("a", endpoint="https://x/?key=secret"), "no place for a secret"),
        (Credential("a", endpoint="http://h/#k=secret"), "no place for a secret"),
        (Credential("a", CredentialKind.ENVIRONMENT), "Name the environment variable"),
        (Credential("a", variable="1-x"), "no name of an environment variable"),
    ],
)
def test_an_entry_that_is_wrong_is_told_and_not_written(
    tmp_path: Path, wrong: Credential, words: str
) -> None:
    with pytest.raises(CredentialsNotKept, match=words):
        write_credential(tmp_path, wrong)
    assert not list(tmp_path.iterdir())


def test_unknown_keys_stay_and_a_list_that_is_wrong_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "credentials.toml"
    file.write_text('[work]\nkind = "api_key"\ncolour = "red"\n')
    write_credential(tmp_path, Credential("work", account="mine"))
    assert 'colour = "red"' in file.read_text()
    assert read_credentials(tmp_path)["work"].account == "mine"
    file.write_text("[work\n")
    with pytest.raises(CredentialsNotKept):
        write_credential(tmp_path, Credential("work"))
    assert file.read_text() == "[work\n"


def test_a_keyring_that_never_answers_is_waited_for_so_long_and_no_longer() -> None:
    waits = threading.Event()

    class Silent(MemoryKeyring):
        def get_password(self, service: str, username: str) -> str | None:
            waits.wait()
            return None

    silent = Silent()
    vault = SecretVault(lambda: silent, within_s=0.1)
    with pytest.raises(VaultFault, match="did not answer"):
        vault.get("work")
    waits.set()


async def test_a_clearing_by_value_fits_that_endpoint_alone(engine: Engine, tmp_path: Path) -> None:
    """AUT2: the same key at another base URL is another sign-in."""
    await engine.sign_ins.save(entry(endpoint="http://127.0.0.1:9/one"), SECRET)
    await to_end(engine, write(tmp_path, {"a": agent(AUTH, endpoint="http://127.0.0.1:9/one")}))
    memory = engine.sign_ins.memory
    [shape] = memory._known
    assert memory.clear(Cleared(shape.fingerprint, "http://127.0.0.1:9/two")) == 0
    assert memory.clear(Cleared(shape.fingerprint, shape.endpoint)) == 1
