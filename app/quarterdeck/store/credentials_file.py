"""`credentials.toml` in the config folder: the credentials list, without any secret. Read with the standard library alone,
since every launch may need it; replaced whole.

What is wrong in it is told and never written over. Keys that we do not know are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quarterdeck.domain.sign_ins import ENV_PREFIX, LOGIN_PREFIX, NAME_CHARS_MAX, Credential, CredentialKind
from quarterdeck.store.durable_io import FOLDER_MODE, DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged, StoreError
from quarterdeck.store.regular import read_regular

FILE_NAME = "credentials.toml"
HEAD = "# Quarterdeck's credentials list. It holds no secret: those lie in the keyring of this system.\n"
_TEXTS = ("program", "endpoint", "variable", "account")
TEXT_CHARS_MAX = 2_000


class CredentialsNotKept(StoreError):
    """The list cannot be read, is wrong, or could not be written; it was left alone. Says why in words."""


def read_credentials(folder: Path) -> dict[str, Credential]:
    """{name: entry} in the order of the file; empty where there is no file. Raises CredentialsNotKept."""
    return {name: _entry(folder, name, part) for name, part in _read(folder).items()}


def write_credential(folder: Path, entry: Credential, io: DurableIO | None = None) -> None:
    """Add or replace one entry. Raises CredentialsNotKept; what was there stays then."""
    wrong = fault_of(entry)
    if wrong:
        raise CredentialsNotKept(wrong)
    whole = _read(folder)
    told = {"kind": entry.kind.value, **{key: getattr(entry, key) for key in _TEXTS if getattr(entry, key)}}
    kept = {k: v for k, v in whole.get(entry.name, {}).items() if k not in (*_TEXTS, "kind")}
    whole[entry.name] = {**told, **kept}
    _write(folder, whole, io)


def remove_credential(folder: Path, name: str, io: DurableIO | None = None) -> bool:
    """Take one entry out; whether there was one. Raises CredentialsNotKept."""
    whole = _read(folder)
    if whole.pop(name, None) is None:
        return False
    _write(folder, whole, io)
    return True


def fault_of(entry: Credential) -> str:
    """What is wrong with an entry, in a sentence; empty where nothing is."""
    name = entry.name
    if not name.strip() or len(name) > NAME_CHARS_MAX or not name.isprintable():
        return f"A credential's name has 1 to {NAME_CHARS_MAX} characters that can be seen."
    if name.startswith((ENV_PREFIX, LOGIN_PREFIX)):
        return (
            f"A credential's name does not begin with {ENV_PREFIX} or {LOGIN_PREFIX}; they name other things."
        )
    if any(len(text) > TEXT_CHARS_MAX or not text.isprintable() for text in _texts(entry)):
        return "A part of the credential is too long, or holds characters that cannot be seen."
    if entry.variable and not _is_variable(entry.variable):
        return f"“{entry.variable[:60]}” is no name of an environment variable."
    if entry.kind is CredentialKind.ENVIRONMENT and not entry.variable:
        return "Name the environment variable that holds the secret."
    if entry.endpoint and not entry.endpoint.startswith(("https://", "http://")):
        return "An endpoint begins with https:// or http://."
    if _holds_more(entry.endpoint):
        return "An endpoint holds no user, password, query or fragment: the list is no place for a secret."
    return ""


def _texts(entry: Credential) -> Iterator[str]:
    return (getattr(entry, key) for key in _TEXTS)


def _holds_more(endpoint: str) -> bool:
    """Whether an address has a part that may hold a secret. A backslash is read as a slash by some, so it is none here."""
    authority = endpoint.partition("://")[2].partition("/")[0]
    return "@" in authority or any(sign in endpoint for sign in ("?", "#", "\\", ";"))


def _is_variable(text: str) -> bool:
    return text.isascii() and text.replace("_", "a").isalnum() and not text[0].isdigit()


def _entry(folder: Path, name: str, part: Mapping[str, Any]) -> Credential:
    try:
        texts = {key: part.get(key, "") for key in _TEXTS}
        if not all(isinstance(text, str) for text in texts.values()):
            raise ValueError("a value is no text")
        entry = Credential(name, CredentialKind(part.get("kind", "api_key")), **texts)
    except (ValueError, TypeError) as error:
        raise CredentialsNotKept(f"{folder / FILE_NAME}, {name[:60]}: {error}.") from error
    wrong = fault_of(entry)
    if wrong:
        raise CredentialsNotKept(f"{folder / FILE_NAME}, {name[:60]}: {wrong}")
    return entry


def _read(folder: Path) -> dict[str, dict[str, Any]]:
    import tomllib  # not loaded where no agent names an entry

    path = folder / FILE_NAME
    try:
        found = tomllib.loads(read_regular(path, follow_links=True).decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise CredentialsNotKept(f"{path} cannot be read: {error.strerror or error}.") from error
    except StoreDamaged as error:
        raise CredentialsNotKept(f"{path} cannot be read: {error.reason}.") from error
    except ValueError as error:
        raise CredentialsNotKept(f"{path} is not a TOML file: {error}.") from error
    wrong = [name for name, part in found.items() if not isinstance(part, dict)]
    if wrong:
        raise CredentialsNotKept(f"{path}: “{wrong[0][:60]}” is no table; each credential is one.")
    return found


def _write(folder: Path, whole: Mapping[str, Any], io: DurableIO | None) -> None:
    from quarterdeck.store.settings_file import to_toml

    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        replace_file(io or DurableIO(), folder / FILE_NAME, (HEAD + to_toml(whole)).encode())
    except (OSError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise CredentialsNotKept(f"{folder / FILE_NAME} cannot be written: {why}.") from error
