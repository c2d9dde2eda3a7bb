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
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quarterdeck.agents.environment import passed_secrets
from quarterdeck.agents.sign_ins import ENDPOINT_ENDS, PROGRAMS, Provider, provider_of
from quarterdeck.domain.sign_ins import ENV_PREFIX, LOGIN_PREFIX, Credential, CredentialKind, Shape
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.agent_secrets import SecretMissing, missing_words, no_entry_words, no_secret_words
from quarterdeck.engine.entry_fit import WrongEntry, misfits, variable_of
from quarterdeck.engine.secret_vault import SecretVault, VaultFault
from quarterdeck.store.credentials_file import CredentialsNotKept, read_credentials
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular
from quarterdeck.store.settings_part import config_folder

log = logging.getLogger(__name__)
KEY, LOGIN = "key", "login"
LOGIN_BYTES_MAX = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SignIn:
    """What one agent signs in with. shape: None where nothing is known to sign in. program: kind, or `argv[0]`.

    variable: in which of `secrets` the agent's `credential` is; empty where that is none, or a login of its program. provider,
    endpoint: the service that it is for, as the entry says.
    is_shared: whether others wait for the first one's sign of life: it uses a sign-in that is known, and can tell of its failure.
    is_tried_by_person: nothing else can test it, so that a person's claim is the test. problem: why it cannot be used, in words.
    """

    shape: Shape | None = None
    source: str = ""
    program: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    variable: str = ""
    provider: str = ""
    endpoint: str = ""
    is_shared: bool = False
    is_tried_by_person: bool = False
    problem: str = ""


NO_SIGN_IN = SignIn()


@dataclass(frozen=True, slots=True)
class KeyCall:
    """The call that tests a key just as one agent uses it. endpoint: empty, the provider's own."""

    provider: Provider | None
    endpoint: str


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
        self._handing = threading.Lock()
        """Sign-ins are read in several threads at once."""
        self.calls: dict[Shape, KeyCall | None] = {}
        """Of each sign-in with a key that an agent was to use: what tests it; None where no such call is known."""

    def entries(self) -> dict[str, Credential]:
        """The list. Raises CredentialsNotKept."""
        return read_credentials(self._config())

    def of_agent(self, agent: AgentSpec) -> SignIn:
        """The sign-in of an agent as it stands now; never raises for what is missing, which is its `problem`."""
        program = agent.argv[0] if agent.kind == "command" and agent.argv else agent.kind
        try:
            credential, secrets = self._secrets(agent)
        except (SecretMissing, WrongEntry, CredentialsNotKept, VaultFault) as error:
            return SignIn(source=agent.credential or "", program=program, problem=str(error))
        endpoints = {credential.endpoint} if credential is not None else set()
        passed = {self._environ[name] for name in passed_secrets(agent) if name in self._environ}
        with self._handing:
            self.handed |= (frozenset(secrets.values()) | passed) - endpoints
        shape = self._shape(agent, program, credential, secrets)
        known = agent.kind in PROGRAMS or agent.kind == "acp"
        variable = variable_of(agent, credential) if agent.credential is not None else ""
        service = provider_of(credential.program if credential is not None else "", variable)
        if shape is not None and shape.way == KEY:
            self.calls[shape] = _call(agent, credential, shape.endpoint, self._env(agent, secrets))
        is_untestable = shape in self.calls and self.calls[shape] is None and _is_variable(agent, credential)
        speaks = agent.kind != "command" or agent.protocol == "lines"
        is_named = agent.credential is not None
        return SignIn(
            shape if speaks else None,
            self._source(agent, credential, program, secrets),
            program,
            secrets,
            variable if variable in secrets else "",
            service.name if service is not None else "",
            credential.endpoint if credential is not None else "",
            is_shared=speaks and (is_named or known),
            is_tried_by_person=not (is_named or known) or is_untestable,
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
        _check(agent, entries)
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
        if agent.kind in PROGRAMS:
            return env.get(_key_variable(agent.kind, env), "")
        return "\0".join(value for _, value in sorted(secrets.items()))

    def _source(
        self, agent: AgentSpec, entry: Credential | None, program: str, secrets: Mapping[str, str]
    ) -> str:
        """The name under which a person finds it again: of the list, `env:NAME`, or of a program's own login. Each login is one of
        its own, so that who signs in again in one clears no other (AUT5).
        """
        is_login = entry is not None and entry.kind is CredentialKind.OWN_LOGIN
        if agent.credential and not is_login:
            return agent.credential
        env = self._env(agent, secrets)
        if name := "" if agent.credential else _key_variable(agent.kind, env):
            passed = ENV_PREFIX + name if name in agent.pass_env else name
            return dict(agent.secrets).get(name, passed)
        return LOGIN_PREFIX + program + self._elsewhere(agent.kind, env)

    def _elsewhere(self, kind: str, env: Mapping[str, str]) -> str:
        """The folder of a login that is not where the program has it by itself, as a part of its name."""
        known = PROGRAMS.get(kind)
        variables = (
            [variable for variable, _, _ in known.login_files if variable] if known is not None else []
        )
        chosen = (env[name] for name in variables if env.get(name) not in (None, "", self._environ.get(name)))
        return next((f" ({folder})" for folder in chosen), "")

    def _env(self, agent: AgentSpec, secrets: Mapping[str, str]) -> dict[str, str]:
        """What of the agent's environment bears on its sign-in; `env` holds rendered values."""
        passed = {name: self._environ[name] for name in agent.pass_env if name in self._environ}
        homes = {name: self._environ[name] for name in ("HOME", "XDG_DATA_HOME") if name in self._environ}
        return {**homes, **passed, **dict(agent.env), **secrets}


def reading_of(vault: SecretVault, store: Store) -> SignInReading:
    """The reading for a data folder: every process of it compares by the same key."""
    return SignInReading(vault, f"quarterdeck sign-ins of {store.tenant}".encode(), store.config)


def _check(agent: AgentSpec, entries: Mapping[str, Credential]) -> None:
    """No entry goes to another service than it is for. Raises WrongEntry."""
    wrong = next((words for _, words in misfits(agent, entries)), "")
    if wrong:
        raise WrongEntry(wrong)


def _key_variable(kind: str, env: Mapping[str, str]) -> str:
    """The variable from which a known program takes its key there; empty where it signs in by itself."""
    known = PROGRAMS.get(kind)
    return next((name for name in known.key_variables if env.get(name)), "") if known is not None else ""


def _is_variable(agent: AgentSpec, entry: Credential | None) -> bool:
    """Whether it signs in with a variable of the environment, which no save clears."""
    is_env = agent.credential is not None and agent.credential.startswith(ENV_PREFIX)
    return is_env or (entry is not None and entry.kind is CredentialKind.ENVIRONMENT)


def _call(
    agent: AgentSpec, entry: Credential | None, endpoint: str, env: Mapping[str, str]
) -> KeyCall | None:
    """What tests the agent's key; None where no call is known that asks as the agent does."""
    variable, known = variable_of(agent, entry), PROGRAMS.get(agent.kind)
    provider = provider_of(entry.program if entry is not None and entry.program else agent.kind, variable)
    if provider is None:
        return KeyCall(None, entry.endpoint) if entry is not None and entry.endpoint else None
    if known is not None and variable not in provider.variables:
        return None  # another way of signing in to that service
    if known is not None and known.endpoint_variable and not (entry is not None and entry.endpoint):
        endpoint = env.get(known.endpoint_variable, "")
    is_address = endpoint.startswith(("https://", "http://")) and not set(endpoint) & set(" {}")
    return KeyCall(provider, endpoint) if is_address or not endpoint else None


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
