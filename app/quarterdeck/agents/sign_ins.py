"""How the known programs and providers sign in: variables that hold a key, where a login lies, what asks cheaply. A table.

Pure: whoever reads files, environments and networks is elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

ENDPOINT_ENDS = ("BASE_URL", "API_BASE", "ENDPOINT")
"""Variables that end so name the service that is asked."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A model service. models: the path below its base that lists models, which costs nothing and needs a valid key.

    header, prefix: how the key goes along. variables: those in which keys of it are usual.
    """

    name: str
    endpoint: str
    models: str
    header: str
    prefix: str = ""
    more_headers: tuple[tuple[str, str], ...] = ()
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramSignIn:
    """How one kind of agent signs in.

    provider: the only service that it asks; empty: it asks many. key_variables: where it takes a key from, the first is the one
    in which it is given one. endpoint_variable: where it takes its base URL from; empty: it has none. is_led: its launch leads it
    to a service by settings, with a key. login_files: (variable of a folder, that folder below the home, file in it).
    """

    kind: str
    provider: str
    key_variables: tuple[str, ...]
    endpoint_variable: str = ""
    is_led: bool = False
    login_files: tuple[tuple[str, str, str], ...] = ()


PROVIDERS = {
    one.name: one
    for one in (
        Provider(
            "anthropic",
            "https://api.anthropic.com",
            "/v1/models?limit=1",
            "x-api-key",
            more_headers=(("anthropic-version", "2023-06-01"),),
            variables=("ANTHROPIC_API_KEY",),
        ),
        Provider(
            "openai",
            "https://api.openai.com/v1",
            "/models",
            "authorization",
            "Bearer ",
            variables=("OPENAI_API_KEY", "CODEX_API_KEY"),
        ),
        Provider(
            "google",
            "https://generativelanguage.googleapis.com",
            "/v1beta/models?pageSize=1",
            "x-goog-api-key",
            variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ),
    )
}

PROGRAMS = {
    one.kind: one
    for one in (
        ProgramSignIn(
            "claude-code",
            "anthropic",
            ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
            "ANTHROPIC_BASE_URL",
            False,
            (("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),),
        ),
        ProgramSignIn(
            "codex",
            "openai",
            ("CODEX_API_KEY", "OPENAI_API_KEY"),
            "",
            True,
            (("CODEX_HOME", ".codex", "auth.json"),),
        ),
        ProgramSignIn(
            "gemini",
            "google",
            ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            "GOOGLE_GEMINI_BASE_URL",
            False,
            (("", ".gemini", "oauth_creds.json"),),
        ),
        ProgramSignIn(
            "opencode",
            "",
            ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"),
            "",
            True,
            (("XDG_DATA_HOME", ".local/share", "opencode/auth.json"),),
        ),
    )
}


def provider_of(program: str, variable: str) -> Provider | None:
    """Which service a key is for, by the program or provider that is named, else by the variable that holds it."""
    named = PROVIDERS.get(service_of(program))
    return named if named is not None else owner_of(variable)


def service_of(program: str) -> str:
    """The service that a program asks, or the name as it is where it names a service itself, or nothing that is known."""
    name = program.strip().lower()
    known = PROGRAMS.get(name)
    return (known.provider or name) if known is not None else name


def owner_of(variable: str) -> Provider | None:
    """The service whose keys go by that variable."""
    for known in PROGRAMS.values():
        if known.provider and variable in known.key_variables:
            return PROVIDERS[known.provider]
    return next((one for one in PROVIDERS.values() if variable in one.variables), None)


def credential_variable(kind: str, program: str = "") -> str | None:
    """The variable in which a program of that kind takes its key; of a program of many services the one of the service that
    `program` names (of an entry), None where it names none.
    """
    known = PROGRAMS.get(kind)
    if known is None:
        return None
    if known.provider:
        return known.key_variables[0]
    service = PROVIDERS.get(service_of(program))
    return service.variables[0] if service is not None else None


def base_path(provider: Provider) -> str:
    """The path that stands before its calls, where a program wants it in its base URL."""
    return provider.models.partition("/models")[0]
