"""Which sign-in an agent would use, and the secrets that it gets: read at each claim, handed on, kept nowhere (AUT2, ruling 27).

Sources: the credentials list with the vault, the app's own environment (`env:NAME`), and the login files of known programs.
Blocking. A secret leaves here only in `SignIn.secrets`, which goes to the shim over its socket.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quarterdeck.agents.environment import passed_secrets
from quarterdeck.agents.sign_ins import ENDPOINT_ENDS, PROGRAMS, credential_variable
from quarterdeck.domain.sign_ins import ENV_PREFIX, LOGIN_PREFIX, Credential, CredentialKind, Shape
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.agent_secrets import SecretMissing, missing_words, no_entry_words, no_secret_words
from quarterdeck.engine.secret_vault import SecretVault, VaultFault
from quarterdeck.store.credentials_file import CredentialsNotKept, read_credentials
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.limits_file import config_folder
from quarterdeck.store.regular import read_regular

log = logging.getLogger(__name__)
KEY, LOGIN = "key", "login"
LOGIN_BYTES_MAX = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SignIn:
    """What one agent signs in with. shape: None where nothing is known to sign in. program: kind, or `argv[0]`.

    is_shared: whether others wait for the first one's sign of life: it uses a sign-in that is known, and can tell of its failure.
    is_tried_by_person: nothing else can test it, so that a person's claim is the test. problem: why it cannot be used, in words.
    """

    shape: Shape | None = None
    source: str = ""
    program: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_shared: bool = False
    is_tried_by_person: bool = False
    problem: str = ""


NO_SIGN_IN = SignIn()


class SignInReading:
    """key: of the hash. The same in every process of a data folder, so that one can tell the others what it cleared."""

    def __init__(
        self,
        vault: SecretVault,
        key: bytes,
        config: Callable[[], Path] = config_folder,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.vault, self._key, self._config = vault, key, config
        self._environ = os.environ if environ is None else environ
        self.handed: frozenset[str] = frozenset()
        """Secrets that agents got from here, so that what they print of them is not shown."""

    def entries(self) -> dict[str, Credential]:
        """The list. Raises CredentialsNotKept."""
        return read_credentials(self._config())

    def of_agent(self, agent: AgentSpec) -> SignIn:
        """The sign-in of an agent as it stands now; never raises for what is missing, which is its `problem`."""
        program = agent.argv[0] if agent.kind == "command" and agent.argv else agent.kind
        try:
            credential, secrets = self._secrets(agent)
        except (SecretMissing, CredentialsNotKept, VaultFault) as error:
            return SignIn(source=agent.credential or "", program=program, problem=str(error))
        endpoints = {credential.endpoint} if credential is not None else set()
        passed = {self._environ[name] for name in passed_secrets(agent) if name in self._environ}
        self.handed |= (frozenset(secrets.values()) | passed) - endpoints
        shape = self._shape(agent, program, credential, secrets)
        known = agent.kind in PROGRAMS or agent.kind == "acp"
        speaks = agent.kind != "command" or agent.protocol == "lines"
        is_named = agent.credential is not None
        return SignIn(
            shape if speaks else None,
            _source(agent, credential, program),
            program,
            secrets,
            is_shared=speaks and (is_named or known),
            is_tried_by_person=not (is_named or known),
        )

    def is_slow(self, agent: AgentSpec) -> bool:
        """Whether reading its sign-in touches a disk or a keyring, so that it is not done on the loop."""
        return agent.credential is not None or bool(agent.secrets) or agent.kind in PROGRAMS

    def of_source(self, source: str, listed: Credential | None) -> str:
        """The secret behind `env:NAME` or an entry of the list. Raises SecretMissing, VaultFault."""
        if source.startswith(ENV_PREFIX) or (listed and listed.kind is CredentialKind.ENVIRONMENT):
            name = listed.variable if listed is not None else source.removeprefix(ENV_PREFIX)
            if name not in self._environ:
                raise SecretMissing(missing_words("", name))
            return self._environ[name]
        found = self.vault.get(source)
        if found is None:
            raise SecretMissing(no_secret_words("", source))
        return found

    def secrets_of(self, names: Iterable[str], *, asks_keyring: bool = True) -> dict[str, str | None]:
        """{name: secret} of entries, as far as they can be read now: what is to be left out of a text.

        None: a program's own login, of which nothing is held here. asks_keyring False: those in it are left out.
        """
        found: dict[str, str | None] = {}
        for name in names:
            try:
                listed = self.entries().get(name)
                if not asks_keyring and (listed is None or listed.kind is CredentialKind.API_KEY):
                    continue
                is_own = listed is not None and listed.kind is CredentialKind.OWN_LOGIN
                found[name] = None if is_own else self.of_source(name, listed)
            except (SecretMissing, CredentialsNotKept, VaultFault) as error:
                log.info(
                    "the secret of %s is not known here, so it is not looked for in a text: %s", name, error
                )
        return found

    def fingerprint(self, *parts: str | bytes) -> str:
        """The keyed hash by which secrets are compared."""
        made = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in parts:
            raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            made.update(len(raw).to_bytes(8, "big") + raw)
        return made.hexdigest()

    def login_fingerprint(self, kind: str, environ: Mapping[str, str]) -> str:
        """Of a program's own login: which file it is, and its content, so that a refresh is another sign-in (AUT2)."""
        known = PROGRAMS.get(kind)
        parts: list[str | bytes] = [kind]
        for path in _login_paths(known.login_files if known is not None else (), environ):
            parts += [os.path.realpath(path), _content(path)]
        return self.fingerprint(*parts)

    # ------------------------------------------------------------------------------- parts

    def _secrets(self, agent: AgentSpec) -> tuple[Credential | None, dict[str, str]]:
        """{variable of the agent: value}, and the entry that its `credential` names. Raises as `of_source`."""
        named = [text for _, text in agent.secrets] + ([agent.credential] if agent.credential else [])
        entries = self.entries() if any(not text.startswith(ENV_PREFIX) for text in named) else {}
        found = {
            variable: self._value(agent, text, entries.get(text), f"secrets.{variable}")
            for variable, text in agent.secrets
        }
        if agent.credential is None:
            return None, found
        entry = entries.get(agent.credential)
        variable = variable_of(agent, entry)
        value = self._value(agent, agent.credential, entry, variable)
        if value or agent.credential.startswith(ENV_PREFIX):
            found[variable] = value
        known = PROGRAMS.get(agent.kind)
        if entry is not None and entry.endpoint and known is not None and known.endpoint_variable:
            found[known.endpoint_variable] = entry.endpoint
        return entry, found

    def _value(self, agent: AgentSpec, text: str, entry: Credential | None, variable: str) -> str:
        """The secret; empty for an entry that stands for a program's own login."""
        if not text.startswith(ENV_PREFIX):
            if entry is None:
                raise SecretMissing(no_entry_words(agent.name, text))
            if entry.kind is CredentialKind.OWN_LOGIN:
                return ""
            if not variable:
                raise SecretMissing(
                    f"Agent “{agent.name}” does not say in which variable it wants “{text}”: name it in “credential_env”."
                )
        try:
            return self.of_source(text, entry)
        except SecretMissing as error:
            name = entry.variable if entry is not None else text.removeprefix(ENV_PREFIX)
            is_variable = text.startswith(ENV_PREFIX) or (entry and entry.kind is CredentialKind.ENVIRONMENT)
            words = missing_words(agent.name, name) if is_variable else no_secret_words(agent.name, text)
            raise SecretMissing(words) from error

    def _shape(
        self, agent: AgentSpec, program: str, entry: Credential | None, secrets: Mapping[str, str]
    ) -> Shape | None:
        env = self._env(agent, secrets)
        endpoint = (entry.endpoint if entry is not None else "") or _endpoint(env)
        account = entry.account if entry is not None else ""
        value = self._key_value(agent, entry, secrets, env)
        if value:
            return Shape(program, KEY, endpoint, account, self.fingerprint(value))
        if agent.kind in PROGRAMS:
            mark = self.login_fingerprint(agent.kind, env)
        elif agent.kind == "practice":
            return None
        else:
            mark = self.fingerprint(json.dumps([agent.argv, agent.env, agent.cwd, agent.pass_env]))
        return Shape(program, LOGIN, endpoint, account, mark)

    def _key_value(
        self,
        agent: AgentSpec,
        entry: Credential | None,
        secrets: Mapping[str, str],
        env: Mapping[str, str],
    ) -> str:
        """The secret that it signs in with; empty where that is its own login."""
        if agent.credential is not None:
            return secrets.get(variable_of(agent, entry), "")
        known = PROGRAMS.get(agent.kind)
        if known is not None:
            return next((env[name] for name in known.key_variables if env.get(name)), "")
        return "\0".join(value for _, value in sorted(secrets.items()))

    def _env(self, agent: AgentSpec, secrets: Mapping[str, str]) -> dict[str, str]:
        """What of the agent's environment bears on its sign-in; templates stay as they are written."""
        passed = {name: self._environ[name] for name in agent.pass_env if name in self._environ}
        homes = {name: self._environ[name] for name in ("HOME", "XDG_DATA_HOME") if name in self._environ}
        return {**homes, **passed, **dict(agent.env), **secrets}


def reading_of(vault: SecretVault, store: Store) -> SignInReading:
    """The reading for a data folder: every process of it compares by the same key."""
    return SignInReading(vault, f"quarterdeck sign-ins of {store.tenant}".encode(), store.config)


def variable_of(agent: AgentSpec, entry: Credential | None) -> str:
    """In which variable an agent gets its credential; empty where nothing says so."""
    if agent.credential_env:
        return agent.credential_env
    if entry is not None and entry.variable:
        return entry.variable
    known = PROGRAMS.get(agent.kind)
    variables = known.key_variables if known is not None else ()
    if agent.credential is not None and agent.credential.startswith(ENV_PREFIX):
        named, own = agent.credential.removeprefix(ENV_PREFIX), credential_variable(agent.kind)
        return named if own is None or named in variables else own
    return variables[0] if variables else ""


def _source(agent: AgentSpec, entry: Credential | None, program: str) -> str:
    if entry is not None and entry.kind is CredentialKind.OWN_LOGIN:
        return LOGIN_PREFIX + program
    return agent.credential or LOGIN_PREFIX + program


def _endpoint(env: Mapping[str, str]) -> str:
    named = sorted((name, value) for name, value in env.items() if name.endswith(ENDPOINT_ENDS) and value)
    return " ".join(value for _, value in named)


def _login_paths(files: tuple[tuple[str, str, str], ...], environ: Mapping[str, str]) -> Iterator[Path]:
    home = Path(environ.get("HOME") or Path.home())
    for variable, folder, name in files:
        chosen = environ.get(variable) if variable else None
        yield (Path(chosen) if chosen else home / folder) / name


def _content(path: Path) -> bytes:
    """The hash of a login file; empty where it cannot be read, which is a sign-in of its own as well."""
    try:
        return hashlib.sha256(read_regular(path, LOGIN_BYTES_MAX, follow_links=True)).digest()
    except (OSError, StoreDamaged):
        return b""
