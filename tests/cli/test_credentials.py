"""`credentials list|set|test|remove` (design §8): what it prints and with which code it ends; a key never in an argument."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from quarterdeck.cli import exits
from quarterdeck.cli.credentials import Wish, credentials, prepare
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.domain.refusal import Code
from quarterdeck.domain.sign_ins import Credential, CredentialKind
from quarterdeck.engine.sign_ins import SignInTested
from tests.cli.call import desk
from tests.cli.fake_door import FakeDoor
from tests.cli.real import command, python, quarterdeck, workflow

DIES = "import json\nprint(json.dumps({'type': 'error', 'class': 'auth', 'message': 'no'}), flush=True)\nraise SystemExit(1)"


@pytest.mark.parametrize(
    ("passed", "code", "word"),
    [
        (True, exits.DONE, "passed"),
        (False, exits.FAILED, "failed"),
        (None, exits.FAILED, "proved nothing"),
    ],
)
async def test_a_test_that_did_not_pass_ends_with_one(passed: bool | None, code: int, word: str) -> None:
    door = FakeDoor()
    door.sign_ins.test_gives = SignInTested("work", passed, "It was asked.")
    one = desk(door, as_json=True)
    assert await credentials(one.call, Wish("test", "work")) == code
    assert one.document() == {"name": "work", "passed": passed, "message": "It was asked."}
    assert f"work: the test {word}" in one.err.text


async def test_set_changes_only_what_is_named_and_hands_the_key_to_the_engine() -> None:
    door = FakeDoor()
    door.sign_ins.entries["work"] = Credential("work", CredentialKind.API_KEY, "anthropic", account="mine")
    one = desk(door)
    wish = Wish("set", "work", endpoint="https://x", secret="sk-canary-typed")
    assert await credentials(one.call, wish) == exits.DONE
    kept = Credential("work", CredentialKind.API_KEY, "anthropic", "https://x", account="mine")
    assert door.sign_ins.asked == [("save", kept, True)]
    assert "canary" not in one.err.text + one.out.text + repr(wish)


async def test_what_the_keyring_refuses_is_a_refusal() -> None:
    door = FakeDoor()
    door.sign_ins.fault = "The keyring refused (KeyringLocked); unlock it and try again."
    with pytest.raises(Refused) as told:
        await credentials(desk(door).call, Wish("remove", "work"))
    assert told.value.refusal.code is Code.E_CREDENTIAL


async def test_the_list_names_no_secret_and_says_where_they_lie() -> None:
    door = FakeDoor()
    door.sign_ins.entries["work"] = Credential("work", CredentialKind.API_KEY, "anthropic")
    one = desk(door, as_json=True)
    assert await credentials(one.call, Wish("list")) == exits.DONE
    [told] = one.document()["credentials"]
    assert (told["name"], told["has_secret"]) == ("work", False)
    assert one.document()["keyring"] == "Secret Service"
    plain = desk(door)
    await credentials(plain.call, Wish("list"))
    assert "missing" in plain.out.text
    assert "Secret Service" in plain.err.text


@pytest.mark.parametrize("wish", [Wish("forget"), Wish("set"), Wish("test"), Wish("set", "a", kind="secret")])
async def test_words_that_cannot_be_followed_are_a_usage_problem(wish: Wish) -> None:
    with pytest.raises(UsageProblem):
        prepare(desk(FakeDoor()).call.console, wish)


def test_without_a_keyring_a_key_is_not_taken_and_the_way_out_is_said() -> None:
    """In a process of its own, without a session's bus: exit 5, and the key is nowhere."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DBUS_")}
    told = subprocess.run(
        command("credentials", "set", "work", "--program", "anthropic", "--json"),
        env={**environment, "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"},
        input=b"sk-canary-piped\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert told.returncode == exits.REFUSED, told.stderr
    assert json.loads(told.stdout)["code"] == "E_CREDENTIAL"
    assert b"--kind environment" in told.stderr
    assert b"canary" not in told.stdout + told.stderr
    config = Path(os.environ["QUARTERDECK_CONFIG_DIR"])
    assert not (config / "credentials.toml").exists()


def test_a_variable_is_listed_tested_and_removed() -> None:
    made = quarterdeck("credentials", "set", "work", "--kind", "environment", "--variable", "WORK_KEY")
    assert made.returncode == exits.DONE, made.stderr
    listed = json.loads(quarterdeck("credentials", "--json").stdout)
    assert [one["variable"] for one in listed["credentials"]] == ["WORK_KEY"]
    tested = quarterdeck("credentials", "test", "work", WORK_KEY="sk-canary-set")
    assert tested.returncode == exits.FAILED
    assert b"proved nothing" in tested.stderr
    assert b"canary" not in tested.stdout + tested.stderr
    removed = quarterdeck("credentials", "remove", "work")
    assert removed.returncode == exits.DONE
    assert b"a key" not in removed.stderr
    assert b"WORK_KEY stays as it is" in removed.stderr
    assert quarterdeck("credentials", "remove", "work").returncode == exits.REFUSED


def test_a_dead_sign_in_is_one_line_and_one_summary_in_the_terminal(tmp_path: Path) -> None:
    """AUT7: not a line for each of twelve agents."""
    crew = {f"n{number:02d}": python(DIES, credential="env:DEAD_KEY") for number in range(12)}
    told = quarterdeck("run", workflow(tmp_path, **crew), DEAD_KEY="sk-canary-dead")
    assert told.returncode == exits.FAILED, told.stderr
    said = told.stderr.decode()
    assert said.count("its sign-in failed before") == 1
    assert said.count("11 agents were not started, as their sign-in is known to fail.") == 1
    assert "canary" not in said + told.stdout.decode()
