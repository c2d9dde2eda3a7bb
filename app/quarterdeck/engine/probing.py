"""Asking the owner of an effect whether it happened: files and git (EFF3, EFF7). Read-only, blocking, bounded.

Only on a person's act. What cannot be told stays unknown, with the reason; nothing is concluded from how the slot stands.
What an agent named is foreign text: it is never taken for an option, a revision or a transport of git.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat

from quarterdeck.domain.moment import iso_utc
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.git_reading import LOCAL_S, REMOTE_S, Git, git_of, is_name, is_revision
from quarterdeck.engine.recovery import Probed
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import open_regular

HASHED_BYTES_MAX = 1024 * 1024 * 1024
SLACK_MS = 2_000
_HASH = re.compile(r"(?<![0-9a-f])(?:sha256[:=]\s*)?([0-9a-f]{64})(?![0-9a-f])")
_REVISION = re.compile(r"(?<![0-9a-f])([0-9a-f]{40})(?![0-9a-f])")
_FILE = frozenset(
    {
        "file",
        "write",
        "edit",
        "create",
        "write_file",
        "edit_file",
        "file_write",
        "file_edit",
        "delete",
        "file_delete",
    }
)
_COMMIT = frozenset({"commit", "git_commit"})
_PUSH = frozenset({"push", "git_push"})


def kind_of(effect: EffectView) -> str:
    """Which probe fits: `file`, `commit`, `push`, or nothing."""
    told = re.sub(r"[^a-z]+", "_", effect.type.lower()).strip("_")
    words = effect.target.split()
    if told in ("git", "command") and words[:1] == ["git"] and len(words) > 1:
        told = words[1]
    elif told == "git" and words:
        told = words[0]
    for name, known in (("file", _FILE), ("commit", _COMMIT), ("push", _PUSH)):
        if told in known:
            return name
    return ""


def probe(effect: EffectView, cwd: str | None, since_wall_ms: int) -> Probed:
    """cwd: where the agent worked. since_wall_ms: when its attempt began."""
    match kind_of(effect):
        case "file":
            return _file(effect, cwd, since_wall_ms - SLACK_MS)
        case "commit" | "push" as kind:
            if cwd is None:
                return _unknown("it is not known where the agent worked")
            git = git_of(cwd)
            if isinstance(git, str):
                return _unknown(f"git cannot be asked: {git}")
            if kind == "commit":
                return _commit(effect, git, since_wall_ms - SLACK_MS)
            return _push(effect, git)
        case _:
            asked = f"“{effect.type}”" if effect.type else "this kind"
            return _unknown(f"there is no probe for {asked}; look where it happened, and settle it")


def _unknown(words: str) -> Probed:
    return Probed("unknown", words)


# ------------------------------------------------------------------------------------------- files


def _file(effect: EffectView, cwd: str | None, since_ms: int) -> Probed:
    if not effect.target or "\0" in effect.target:
        return _unknown("the agent did not say which file")
    if cwd is None and not os.path.isabs(effect.target):
        return _unknown("the file is named relative to a folder that is not known")
    path = os.path.join(cwd or "/", effect.target)
    is_removal = "delete" in effect.type.lower()
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return Probed("confirmed" if is_removal else "absent", f"{path} is not there")
    except OSError as error:
        return _unknown(f"{path} cannot be looked at: {error.strerror or error}")
    if is_removal:
        return Probed("absent", f"{path} is still there")
    if not stat.S_ISREG(status.st_mode):
        return _unknown(f"{path} is there and is no regular file")
    return _content(effect, path, status, since_ms)


def _content(effect: EffectView, path: str, status: os.stat_result, since_ms: int) -> Probed:
    """By content alone: the same agent may have written the file for another reason, before or after."""
    wanted = _HASH.search(effect.detail.lower())
    seen = f"{path} is there, {status.st_size:,} bytes"
    if wanted is not None:
        if status.st_size > HASHED_BYTES_MAX:
            return _unknown(f"{seen}; too large to be compared")
        try:
            same = _sha256(path) == wanted.group(1)
        except (OSError, StoreDamaged) as error:
            return _unknown(f"{seen}; it cannot be read: {error}")
        if same:
            return Probed("confirmed", f"{seen}, with the content that the agent named")
        return _unknown(f"{seen}, with another content than the agent named")
    at_ms = status.st_mtime_ns // 1_000_000
    when = "since" if at_ms >= since_ms else "before"
    return _unknown(
        f"{seen}, last written at {iso_utc(at_ms)}, {when} the attempt began; the agent named no content,"
        " so whether it is as meant cannot be told"
    )


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(open_regular(path, follow_links=True), "rb") as file:
        while block := file.read(1024 * 1024):
            digest.update(block)
    return digest.hexdigest()


# ------------------------------------------------------------------------------------------- commits


def _commit(effect: EffectView, git: Git, since_ms: int) -> Probed:
    named = _REVISION.search(f"{effect.target} {effect.detail}".lower())
    if named is not None:
        return _has_commit(git, named.group(1))
    answer = git.ask(
        "log", "--branches", "HEAD", f"--since=@{since_ms // 1000}", "--max-count=1000", "--no-show-signature",
        "--format=%H%x00%s",
    )  # fmt: skip
    if not answer.is_whole:
        return _unknown(f"git could not tell: {answer.fault or answer.error[:200]}")
    pairs = [line.partition("\0") for line in answer.out.decode("utf-8", "replace").splitlines()]
    subject = (effect.detail or "").strip().split("\n", 1)[0]
    alike = [revision for revision, _, said in pairs if subject and said == subject]
    if alike:
        return Probed("confirmed", f"commit {alike[0][:12]} of that subject was made since the attempt began")
    if not pairs:
        return Probed("absent", "no commit was made on any branch since the attempt began")
    return _unknown(
        f"{len(pairs)} commits were made since the attempt began, and none is named as the agent's"
    )


def _has_commit(git: Git, revision: str) -> Probed:
    answer = git.ask("cat-file", "-t", revision)
    if answer.fault:
        return _unknown(f"git could not tell: {answer.fault}")
    if answer.code != 0:
        return Probed("absent", f"the repository has no commit {revision[:12]}")
    held = git.text("branch", "--all", "--contains", revision, "--format=%(refname:short)")
    where = f"on {', '.join(held.split()[:5])}" if held else "on no branch"
    return Probed("confirmed", f"commit {revision[:12]} is in the repository, {where}")


# ------------------------------------------------------------------------------------------- pushes


def _push(effect: EffectView, git: Git) -> Probed:
    """Compares the branch here with the branch at the remote, which is asked over the network."""
    place = _remote_and_branch(effect, git)
    if isinstance(place, str):
        return _unknown(place)
    remote, branch = place
    argv = ("ls-remote", "--upload-pack=git-upload-pack", "--heads", "--", remote, f"refs/heads/{branch}")
    answer = git.ask(*argv, within_s=REMOTE_S)
    if not answer.is_whole:
        return _unknown(f"{remote} could not be asked: {answer.fault or answer.error[:200]}")
    said = answer.out.decode("utf-8", "replace").split()
    there = said[0] if said and is_revision(said[0]) else None
    if there is None:
        return Probed("absent", f"{remote} has no branch {branch}")
    named = _REVISION.search(effect.detail.lower())
    wanted = named.group(1) if named else git.text("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
    if not wanted or not is_revision(wanted):
        return _unknown(f"{remote} has {branch} at {there[:12]}; what was to be pushed is not known here")
    return _compare(git, f"{remote}/{branch}", there, wanted)


def _compare(git: Git, name: str, there: str, wanted: str) -> Probed:
    if there == wanted:
        return Probed("confirmed", f"{name} is at {wanted[:12]}, as here")
    if git.ask("cat-file", "-e", there, within_s=LOCAL_S).code != 0:
        return _unknown(f"{name} is at {there[:12]}, which is not known here; fetch it, then probe again")
    if git.ask("merge-base", "--is-ancestor", wanted, there).code == 0:
        return Probed("confirmed", f"{name} is at {there[:12]} and holds {wanted[:12]}")
    return Probed("absent", f"{name} is at {there[:12]} and does not hold {wanted[:12]}")


def _remote_and_branch(effect: EffectView, git: Git) -> tuple[str, str] | str:
    """From `origin main`, `origin/main` or `git push origin main`; what is not said is what git would take."""
    try:
        words = shlex.split(effect.target)
    except ValueError:
        words = effect.target.split()
    words = [word for word in words if not word.startswith("-")]
    for skipped in ("git", "push"):
        words = words[1:] if words[:1] == [skipped] else words
    if len(words) == 1 and "/" in words[0]:
        words = words[0].split("/", 1)
    known = (git.text("remote") or "").split()
    if not words and known:
        words = ["origin" if "origin" in known else known[0]]
    if not words or words[0] not in known or not is_name(words[0]):
        asked = words[0][:100] if words else ""
        return f"the repository has no remote “{asked}” that could be asked"
    branch = words[1].rpartition(":")[2] if len(words) > 1 else git.text("branch", "--show-current") or ""
    branch = branch.removeprefix("+").removeprefix("refs/heads/")
    return (words[0], branch) if is_name(branch) else "it is not known which branch was pushed"
