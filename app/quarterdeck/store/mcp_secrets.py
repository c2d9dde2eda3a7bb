"""What of an MCP server's words may be a secret: references take its place, each told in a sentence. Pure.

In doubt it is one: a value too many is set again by a person, a key in a workflow file is shared with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quarterdeck.domain.mcp_servers import REFERENCE

_VS_CODE = re.compile(r"\$\{(input|env):([A-Za-z0-9_.-]+)\}")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORD = (
    r"(?:key|token|secret|passw|passphrase|passcode|pass(?![a-z])|pwd|pat(?![a-z])|cred|auth|bearer|jwt"
    r"|cookie|session|sig(?:nature)?(?![a-z]))"
)
_NAME = rf"[\w.-]*{_WORD}[\w.-]*"
_ATOM = r"(?:\$\{[^}]*\}|[^\s;&#,\"'])"
_SECRET_NAME = re.compile(_WORD, re.IGNORECASE)
_USER_INFO = re.compile(
    r"(://)((?:\$\{[^}]*\}|[^/\s?#])*|(?!\[)[^/\s?#:]*:(?!\d+(?:[/?#\s]|$))\S*)(@)", re.IGNORECASE
)
_PARAMETER = re.compile(
    rf"([?&#;]({_NAME}|[\w.-]*code|sas|pw|sid|st|se)=)((?:\$\{{[^}}]*\}}|[^&#\s])+)", re.IGNORECASE
)
_OPTION = re.compile(rf"((?<![\w-])(--?{_NAME})(?:\s*=\s*|\s+))(?!-)({_ATOM}+)", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    rf"((?<![\w.?&#-])({_NAME})[\"']?\s*[:=]\s*[\"']?)(?!//)(?:((?:Bearer|Basic|token)\s+))?({_ATOM}+)",
    re.IGNORECASE,
)
_BEFORE_PROGRAM = re.compile(r"((?:^|(?<=\s))([A-Z_][A-Z0-9_]*)=)((?:\$\{[^}]*\}|[^\s])+)(?=\s)")
_SCHEME = re.compile(r"(\b(Bearer|Basic)\s+)((?:\$\{[^}]*\}|[^\s\"'])+)", re.IGNORECASE)
_RUN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*|[A-Za-z0-9_+=~-]{10,}")
_PIECE = re.compile(r"[A-Za-z0-9]+")
_NO_TOKEN = re.compile(r"sha256:[0-9a-f]{64}|@v?\d+(?:\.\d+)+[\w.+-]*")
_PREFIXES = ("sk-", "pk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "eyJ", "npm_", "hf_")  # fmt: skip
_SET = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_HEADER = re.compile(r"(([A-Za-z0-9_-]+)\s*:\s*)((?:Bearer|Basic|token)\s+)?(.*)", re.DOTALL | re.IGNORECASE)
_PORTS = re.compile(r"[\d.:/-]+(?:tcp|udp)?")
_ENV_OPTIONS = ("-e", "--env")
_HEADER_OPTIONS = ("-H", "--header")
_PASSWORD_OPTIONS = ("-p", "-P")
_WITH_IMAGE = ("docker", "podman", "nerdctl")
TEXT_CHARS_MAX, OPTION_CHARS_MAX = 2_000, 200
"""What is longer is not looked through: no argument needs it, and a hostile one would hold the import up."""
DIGITS_OF_TOKEN, CHARS_OF_TOKEN, CHARS_OF_WORDLESS = 2, 10, 20


class Concealed:
    """One server's words without what may be a secret. notes: what was left out, in sentences, never its value."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._values: dict[str, str] = {}
        self.notes: list[str] = []

    def text(self, text: str, name: str = "") -> str:
        """A command, an argument or an address. name: of what it is the value, where it has one."""
        if len(text) > TEXT_CHARS_MAX:
            return self._too_long(name or "text")
        text = self._without_defaults(references(text), name)
        text = _USER_INFO.sub(
            lambda m: m[1] + self._put("The sign-in in an address", "user_info", m[2]) + m[3], text
        )
        text = _PARAMETER.sub(lambda m: m[1] + self._after(m[2], m[3]), text)
        text = _OPTION.sub(lambda m: m[1] + self._after(m[2], m[3]), text)
        text = _ASSIGNMENT.sub(lambda m: m[1] + (m[3] or "") + self._value_of(m[2], m[4]), text)
        text = _BEFORE_PROGRAM.sub(lambda m: m[1] + self._value_of(m[2], m[3]), text)
        text = _SCHEME.sub(lambda m: m[1] + self._after(m[2], m[3]), text)
        return self._without_tokens(text)

    def value(self, key: str, value: str, *, is_header: bool) -> str:
        """A value of `env` or of a header: only references are taken over, a header's scheme with them."""
        if len(value) > TEXT_CHARS_MAX:
            return self._too_long(key)
        text = self._without_defaults(references(value), key)
        scheme = re.match(r"(?:Bearer|Basic|token)\s+", text, re.IGNORECASE) if is_header else None
        head = scheme[0] if scheme else ""
        bare = text.removeprefix(head)
        if not REFERENCE.sub("", bare):
            return text
        return head + self._put(f"The value of {key}", key, bare, is_own=not is_header)

    def arguments(self, command: str, args: list[str]) -> Iterator[str]:
        """The arguments, each by the option before it."""
        before = ""
        for arg in args:
            told = references(arg)
            is_too_long = len(told) > TEXT_CHARS_MAX
            yield self._too_long("argument") if is_too_long else self._argument(command, before, told)
            before = told if len(told) <= OPTION_CHARS_MAX else ""

    def _argument(self, command: str, before: str, arg: str) -> str:
        joined = re.fullmatch(r"(--env=|--header=|-e(?==?[A-Za-z_]\w*=)=?|-H(?=.*:))(.+)", arg, re.DOTALL)
        if joined:
            return joined[1] + self._argument(command, joined[1].rstrip("="), joined[2])
        if before in _ENV_OPTIONS and (found := _SET.fullmatch(arg)):
            return f"{found[1]}={self._value_of(found[1], found[2])}" if found[2] else arg
        if before in _HEADER_OPTIONS and (header := _HEADER.fullmatch(arg)):
            return header[1] + (header[3] or "") + self._after(header[2], header[4])
        if _names_secret(command, before, arg):
            return self._after(before, arg)
        flag, equals, value = arg.partition("=")
        if (
            equals
            and value
            and flag.startswith("-")
            and (_SECRET_NAME.search(flag) or flag in _PASSWORD_OPTIONS)
        ):
            return f"{flag}={self._after(flag, value)}"
        return self.text(arg)

    # ------------------------------------------------------------------------------------------- the pieces

    def _without_defaults(self, text: str, name: str) -> str:
        def of(match: re.Match[str]) -> str:
            is_secret = any(_SECRET_NAME.search(said) for said in (name, match[1]))
            if not match[2] or not (is_secret or Concealed("").text(match[2]) != match[2]):
                return match[0]
            self._note(f"The default of {match[1]}", match[1])
            return f"${{{match[1]}}}"

        return REFERENCE.sub(of, text)

    def _without_tokens(self, text: str) -> str:
        parts, at = [], 0
        for kept in [*REFERENCE.finditer(text), None]:
            end = len(text) if kept is None else kept.start()
            parts.append(self._tokens_of(text[at:end]))
            if kept is not None:
                parts.append(kept[0])
                at = kept.end()
        return "".join(parts)

    def _tokens_of(self, text: str) -> str:
        parts, at = [], 0
        for kept in [*_NO_TOKEN.finditer(text), None]:
            end = len(text) if kept is None else kept.start()
            parts.append(_RUN.sub(self._token, text[at:end]))
            if kept is not None:
                parts.append(kept[0])
                at = kept.end()
        return "".join(parts)

    def _token(self, match: re.Match[str]) -> str:
        run = match[0]
        if not run.startswith(_PREFIXES) and not any(map(_is_random, _PIECE.findall(run))):
            return run
        return self._put("What looks like a key", "key", run)

    def _after(self, name: str, value: str) -> str:
        return self._put(f"What follows {name}", name.lstrip("-"), value)

    def _value_of(self, name: str, value: str) -> str:
        return self._put(f"The value of {name}", name, value, is_own=bool(_IDENTIFIER.fullmatch(name)))

    def _put(self, what: str, name: str, value: str, *, is_own: bool = False) -> str:
        """A reference in the place of the value. is_own: the variable has exactly this name; else the server's before it."""
        value = self._without_defaults(value, name)
        if not value or not REFERENCE.sub("", value):
            return value
        wanted = name if is_own else variable(f"{self._server}_{name}")
        wanted = wanted if _IDENTIFIER.fullmatch(wanted) else variable(wanted)
        made, count = wanted, 1
        while self._values.setdefault(made, value) != value:
            count += 1
            made = f"{wanted}_{count}"
        self._note(what, made)
        return f"${{{made}}}"

    def _too_long(self, name: str) -> str:
        made = variable(f"{self._server}_{name[:OPTION_CHARS_MAX]}")
        self._note(f"What is longer than {TEXT_CHARS_MAX:,} characters", made)
        return f"${{{made}}}"

    def _note(self, what: str, made: str) -> None:
        said = f"{what} is not taken over, as it may be a secret: set the variable {made}."
        if said not in self.notes:
            self.notes.append(said)


def references(text: str) -> str:
    """`${input:id}` and `${env:NAME}` of Visual Studio Code as references to variables; a variable keeps its exact name."""

    def of(match: re.Match[str]) -> str:
        is_name = match[1] == "env" and _IDENTIFIER.fullmatch(match[2])
        return f"${{{match[2] if is_name else variable(match[2])}}}"

    return _VS_CODE.sub(of, text)


def variable(text: str) -> str:
    """A name for a variable."""
    made = re.sub(r"[^A-Za-z0-9_]", "_", text).upper()
    return made if not made[:1].isdigit() else f"_{made}"


def _names_secret(command: str, option: str, arg: str) -> bool:
    """Whether this argument is the secret that the option before it names."""
    if not option.startswith("-") or "=" in option or arg.startswith("--") or re.fullmatch(r"-\w?", arg):
        return False
    if option in _PASSWORD_OPTIONS:
        return _PORTS.fullmatch(arg) is None
    if option in ("-u", "--user", "--userpwd"):
        return ":" in REFERENCE.sub("", arg)
    if option in ("-t", "-k"):
        return command.rpartition("/")[2] not in _WITH_IMAGE
    return _SECRET_NAME.search(option) is not None


def _is_random(piece: str) -> bool:
    """Whether a run of letters and digits is no word: with digits among its letters, or capitals at random."""
    digits, capitals = sum(c.isdigit() for c in piece), sum(c.isupper() for c in piece)
    if digits >= DIGITS_OF_TOKEN and digits < len(piece):
        return len(piece) >= CHARS_OF_TOKEN
    if digits == len(piece):
        return len(piece) > CHARS_OF_WORDLESS
    return len(piece) >= CHARS_OF_WORDLESS and (
        0.25 <= capitals / len(piece) <= 0.75 or len(piece) >= 2 * CHARS_OF_WORDLESS
    )
