"""What git says of a folder, read-only, asked only when a person asked (ruling 25, EFF7). Blocking, bounded.

Argument lists; no optional locks, no prompt, no hooks, no file-system monitor; no program that a repository configures is
run: an agent can write such a configuration. Filters, credential helpers and transports of the person's own are left out
with them.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from quarterdeck.engine.bounded_program import Answer, ask

LOCAL_S = 10.0
REMOTE_S = 20.0
_SAFE = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never",
    "-c", "core.quotePath=false", "-c", "credential.helper=",
)  # fmt: skip
_HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}")


@dataclass(frozen=True, slots=True)
class Git:
    """The repository of a folder."""

    top: Path
    program: str
    filters: tuple[str, ...] = ()
    """Names of the content filters that are configured; none of them is run."""

    def ask(self, *argv: str, within_s: float = LOCAL_S) -> Answer:
        """Ask git in the repository's top folder."""
        return ask(
            (self.program, "--no-optional-locks", "-C", str(self.top), *_SAFE, *argv),
            _env() | _without(self.filters),
            within_s,
        )

    def text(self, *argv: str) -> str | None:
        """The answer in one line; None where there is none."""
        answer = self.ask(*argv)
        return answer.out.decode("utf-8", "replace").strip() if answer.is_whole else None


def git_of(folder: str) -> Git | str:
    """The repository that holds the folder; else why not, in words: `no repository`, or why git could not be asked."""
    program = shutil.which("git")
    if program is None:
        return "git is not installed"
    if not os.path.isdir(folder):
        return f"the folder {folder} is not there"
    argv = (program, "--no-optional-locks", "-C", folder, *_SAFE, "rev-parse", "--show-toplevel")
    answer = ask(argv, _env(), LOCAL_S)
    if answer.is_whole:
        found = Git(Path(os.fsdecode(answer.out.rstrip(b"\n"))), program)
        filters = _filters_of(found)
        return filters if isinstance(filters, str) else replace(found, filters=filters)
    if answer.fault:
        return answer.fault
    return NO_REPOSITORY if "not a git repository" in answer.error else f"git says: {answer.error[:200]}"


NO_REPOSITORY = "no repository"


def _filters_of(git: Git) -> tuple[str, ...] | str:
    """Names of the configured content filters; else why that cannot be told."""
    answer = git.ask("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    if answer.code not in (0, 1) or answer.fault:  # 1: there is none
        return f"git says: {(answer.fault or answer.error)[:200]}"
    names = (os.fsdecode(line) for line in answer.out.split(b"\0") if line)
    return tuple(sorted({name.removeprefix("filter.").rpartition(".")[0] for name in names}))


def _without(filters: tuple[str, ...]) -> dict[str, str]:
    """The environment in which these filters are programs no more; a name may hold anything, so none is an argument."""
    said = [
        (f"filter.{name}.{key}", value)
        for name in filters
        for key, value in (("clean", ""), ("process", ""), ("smudge", ""), ("required", "false"))
    ]
    numbered = {f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(said)}
    values = {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(said)}
    return {"GIT_CONFIG_COUNT": str(len(said)), **numbered, **values}


def is_revision(text: str) -> bool:
    """A whole hash: nothing else of foreign text is handed to git as a revision."""
    return bool(_HEX.fullmatch(text))


def is_name(text: str) -> bool:
    """A plain name of a branch or remote."""
    return bool(_NAME.fullmatch(text)) and ".." not in text


def _env() -> dict[str, str]:
    kept = ("HOME", "PATH", "USER", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK", "LANG", "TMPDIR")
    own = {name: os.environ[name] for name in kept if name in os.environ}
    return own | {
        "LC_ALL": "C.UTF-8",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=10",
        "GIT_PROXY_COMMAND": "",
        "GIT_PAGER": "cat",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    }
