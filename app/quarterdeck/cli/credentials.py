"""`credentials list|set|test|remove`: the sign-ins of agents. A key comes from a prompt or from stdin and leaves for the keyring."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import count_text, escaped, table
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.sign_ins import Credential, CredentialKind

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door
    from quarterdeck.engine.sign_ins import Listed, SignInsListed, SignInTested

ACTIONS = ("list", "set", "test", "remove")
SECRET_BYTES_MAX = 64 * 1024
NO_KEYRING = (
    "This computer has no keyring that can be used here, so the key would be gone with this command. Set it as an environment "
    "variable and name that: --kind environment --variable NAME; or save it in the window, which holds it until it closes."
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What was typed. secret: as it was read; None where none is to be set."""

    action: str
    name: str | None = None
    kind: str | None = None
    program: str | None = None
    endpoint: str | None = None
    variable: str | None = None
    account: str | None = None
    keep_secret: bool = False
    secret: str | None = field(default=None, repr=False)


def prepare(console: Console, wish: Wish) -> Wish:
    """Check the words, and read the key, before anything else is started. Raises UsageProblem, Refused."""
    if wish.action not in ACTIONS:
        raise UsageProblem(f"`credentials` does {', '.join(ACTIONS)}, not {wish.action!r}.")
    if wish.action != "list" and not wish.name:
        raise UsageProblem(f"`credentials {wish.action}` needs the name of an entry.")
    if wish.kind is not None and wish.kind not in set(CredentialKind):
        raise UsageProblem(f"--kind is one of {', '.join(CredentialKind)}.")
    takes_key = wish.kind in (None, CredentialKind.API_KEY.value)
    if wish.action != "set" or not takes_key or wish.keep_secret:
        return wish
    _need_keyring()
    return replace(wish, secret=_read_secret(console, wish.name or ""))


def _need_keyring() -> None:
    from quarterdeck.engine.secret_vault import SecretVault, VaultFault

    try:
        state = SecretVault().state()
    except VaultFault as error:
        raise Refused(Refusal(Code.E_CREDENTIAL, str(error))) from error
    if not state.name:
        raise Refused(Refusal(Code.E_CREDENTIAL, NO_KEYRING))


def _read_secret(console: Console, name: str) -> str:
    if console.is_interactive:
        return getpass.getpass(f"Key of {name} (not shown): ").strip()
    if console.stdin_fd is None:
        raise UsageProblem("The key is read from stdin, which is closed.")
    content = b""
    while (piece := os.read(console.stdin_fd, 8192)) and len(content) <= SECRET_BYTES_MAX:
        content += piece
    try:
        return content.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise UsageProblem("What stdin gave is no text, so it is no key.") from error


async def credentials(call: Call, wish: Wish) -> int:
    """Exit 0; 1 where a test did not pass; 5 where the list or the keyring did not take it."""
    async with call.door(read_only=True) as door:
        match wish.action:
            case "set":
                return await _set(call.console, door, wish)
            case "test":
                return _tell_test(call.console, await door.sign_ins.test(wish.name or ""))
            case "remove":
                done = await door.sign_ins.remove(wish.name or "")
                _refuse(done.fault)
                return _tell(call.console, done.name, f"{done.name} is removed. {done.words}".strip())
            case _:
                return _tell_list(call.console, await door.sign_ins.listed())


async def _set(console: Console, door: Door, wish: Wish) -> int:
    listed = await door.sign_ins.listed()
    _refuse(listed.fault)
    before = next((one.credential for one in listed.entries if one.credential.name == wish.name), None)
    entry = before or Credential(wish.name or "")
    kind = CredentialKind(wish.kind) if wish.kind is not None else entry.kind
    named = ("program", "endpoint", "variable", "account")
    told: dict[str, Any] = {part: value for part in named if (value := getattr(wish, part)) is not None}
    secret = wish.secret if kind is CredentialKind.API_KEY else None
    done = await door.sign_ins.save(replace(entry, kind=kind, **told), secret)
    _refuse(done.fault)
    return _tell(console, done.name, f"{done.name} is saved. {done.words}".strip())


def _refuse(fault: str) -> None:
    if fault:
        raise Refused(Refusal(Code.E_CREDENTIAL, fault))


def _tell(console: Console, name: str, words: str) -> int:
    console.say(escaped(words))
    if console.as_json:
        console.print_document({"name": name, "message": words})
    return exits.DONE


def _tell_test(console: Console, tested: SignInTested) -> int:
    words = {True: "passed", False: "failed", None: "proved nothing"}[tested.passed]
    cleared = f" {count_text(tested.cleared, 'remembered failure')} cleared." if tested.cleared else ""
    console.say(escaped(f"{tested.name}: the test {words}. {tested.words}{cleared}"))
    if console.as_json:
        console.print_document({"name": tested.name, "passed": tested.passed, "message": tested.words})
    return exits.DONE if tested.passed else exits.FAILED


# ------------------------------------------------------------------------------------------- the list

_SECRET = {True: "yes", False: "missing", None: "–"}


def _tell_list(console: Console, listed: SignInsListed) -> int:
    _refuse(listed.fault)
    if console.as_json:
        console.print_document(list_document(listed))
        return exits.DONE
    rows = [_row(one) for one in listed.entries]
    if rows:
        heads = ("NAME", "KIND", "PROGRAM", "ENDPOINT", "VARIABLE", "KEY")
        console.print_text(table(heads, rows, console.out.size()[0]))
    else:
        console.say("The list is empty. `quarterdeck credentials set NAME --program claude-code` adds a key.")
    console.say(escaped(f"Keys lie in: {listed.keyring}." if listed.keyring else listed.keyring_words))
    return exits.DONE


def _row(one: Listed) -> tuple[str, ...]:
    entry = one.credential
    return (
        entry.name,
        entry.kind.value,
        entry.program,
        entry.endpoint,
        entry.variable,
        _SECRET[one.has_secret],
    )


def list_document(listed: SignInsListed) -> dict[str, Any]:
    """`credentials list --json`. No part of it is a secret."""
    return {
        "credentials": [
            {
                "name": one.credential.name,
                "kind": one.credential.kind.value,
                "program": one.credential.program,
                "endpoint": one.credential.endpoint,
                "variable": one.credential.variable,
                "account": one.credential.account,
                "has_secret": one.has_secret,
                "message": one.words,
            }
            for one in listed.entries
        ],
        "keyring": listed.keyring or None,
        "message": listed.keyring_words,
        "file": listed.place,
    }
