"""Probes ask files and git, read-only, and say unknown with a reason where they cannot tell (EFF3, EFF6, EFF7)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from pathlib import Path

import pytest

from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.bounded_program import ask
from quarterdeck.engine.changed_files import folder_evidence
from quarterdeck.engine.probing import probe
from quarterdeck.engine.redacting import Redactor

HOMES = os.sep + "home"
LONG_AGO_MS = 1_000_000_000_000


def effect(kind: str, target: str = "", detail: str = "") -> EffectView:
    return EffectView("e", EffectState.UNKNOWN, kind, target, detail)


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
    ran = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit on main, and `there` as its remote origin."""
    there, here = tmp_path / "there.git", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    git(there, "init", "-q", "--bare")
    git(here, "init", "-q")
    (here / "a.txt").write_text("a")
    git(here, "add", ".")
    git(here, "commit", "-q", "-m", "first")
    git(here, "remote", "add", "origin", str(there))
    return here


def test_a_file_is_confirmed_by_its_content_alone_and_absent_where_it_is_not(tmp_path: Path) -> None:
    """EFF3: that it was written since the attempt began says nothing of this effect: it may have been an earlier one."""
    now_ms = time.time_ns() // 1_000_000
    assert probe(effect("file", "x.txt"), str(tmp_path), now_ms).state == "absent"
    (tmp_path / "x.txt").write_text("hello")
    digest = hashlib.sha256(b"hello").hexdigest()
    assert probe(effect("file", "x.txt", f"sha256:{digest}"), str(tmp_path), now_ms).state == "confirmed"
    assert probe(effect("file", "x.txt", "0" * 64), str(tmp_path), now_ms).state == "unknown"
    since = probe(effect("edit", "x.txt"), str(tmp_path), now_ms)
    assert (since.state, ", since the attempt began" in since.words) == ("unknown", True)
    os.utime(tmp_path / "x.txt", (1_000_000, 1_000_000))
    before = probe(effect("edit", "x.txt"), str(tmp_path), now_ms)
    assert (before.state, ", before the attempt began" in before.words) == ("unknown", True)
    assert probe(effect("file", "x.txt"), None, now_ms).state == "unknown"
    assert probe(effect("delete", "x.txt"), str(tmp_path), now_ms).state == "absent"
    assert probe(effect("delete", "gone.txt"), str(tmp_path), now_ms).state == "confirmed"
    assert probe(effect("file", str(tmp_path)), str(tmp_path), now_ms).state == "unknown"


def test_a_commit_is_found_by_its_hash_or_its_subject(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    cwd = str(repository)
    assert probe(effect("commit", detail=head), cwd, LONG_AGO_MS).state == "confirmed"
    assert probe(effect("commit", detail="f" * 40), cwd, LONG_AGO_MS).state == "absent"
    assert probe(effect("commit", detail="first"), cwd, LONG_AGO_MS).state == "confirmed"
    other = probe(effect("git commit", detail="second"), cwd, LONG_AGO_MS)
    assert (other.state, "none is named" in other.words) == ("unknown", True)
    in_an_hour_ms = time.time_ns() // 1_000_000 + 3_600_000
    assert probe(effect("commit", detail="second"), cwd, in_an_hour_ms).state == "absent"


def test_a_push_is_compared_with_the_remote_itself(repository: Path) -> None:
    cwd, push = str(repository), effect("push", "origin main")
    assert probe(push, cwd, LONG_AGO_MS).state == "absent"
    git(repository, "push", "-q", "origin", "main")
    for told in (
        push,
        effect("git", "push origin main"),
        effect("command", "git push origin main"),
        effect("push"),
    ):
        assert probe(told, cwd, LONG_AGO_MS).state == "confirmed", told
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    behind = probe(push, cwd, LONG_AGO_MS)
    assert (behind.state, "does not hold" in behind.words) == ("absent", True), "EFF6: again, later"


@pytest.mark.parametrize(
    "target",
    ["--upload-pack=touch PWNED", "ext::sh -c touch% PWNED main", "origin --exec=touch", "nowhere main"],
)
def test_what_an_agent_named_is_never_an_option_or_a_transport_of_git(repository: Path, target: str) -> None:
    found = probe(effect("push", target), str(repository), LONG_AGO_MS)
    assert found.state in ("unknown", "absent")
    assert not list(repository.glob("*PWNED*"))


def test_no_program_that_a_repository_configures_is_run(repository: Path) -> None:
    """EFF7: an agent can write into `.git/config` and `.git/info/attributes`; a look is no way to have its program run."""
    marks = [
        repository.parent / f"ran-{name}" for name in ("upload", "clean", "process", "required", "helper")
    ]
    upload, clean, process, required, helper = (f"touch {mark}; cat" for mark in marks)
    git(repository, "push", "-q", "origin", "main")
    for key, value in {
        "remote.origin.uploadpack": upload,
        "filter.plain.clean": clean,
        "filter.od=d name.process": process,
        "filter.must.clean": required,
        "filter.must.required": "true",
        "credential.helper": f"!{helper}",
    }.items():
        git(repository, "config", key, value)
    (repository / ".git/info/attributes").write_text("a.txt filter=plain\nb.txt filter=must\n")
    for name in ("a.txt", "b.txt"):
        (repository / name).write_text("changed")
    assert probe(effect("push", "origin main"), str(repository), LONG_AGO_MS).state == "confirmed"
    found = folder_evidence(str(repository), LONG_AGO_MS)
    assert {one.path for one in found.changed} == {"a.txt", "b.txt"}
    assert not found.could_not
    assert [mark.name for mark in marks if mark.exists()] == []


def test_what_no_probe_fits_stays_unknown_with_the_reason(tmp_path: Path) -> None:
    for told in (effect("ticket", "T-1"), effect("", ""), effect("commit")):
        found = probe(told, str(tmp_path), LONG_AGO_MS)
        assert found.state == "unknown"
        assert found.words


def test_a_folder_without_a_repository_is_walked_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old.txt", tmp_path / "deep" / "new.txt"
    new.parent.mkdir()
    for path in (old, new):
        path.write_text("x")
    os.utime(old, (1_000_000, 1_000_000))
    found = folder_evidence(str(tmp_path), time.time_ns() // 1_000_000)
    assert [one.path for one in found.changed] == ["deep/new.txt"]
    assert (found.is_repository, found.cut, found.could_not) == (False, False, "")
    monkeypatch.setattr("quarterdeck.engine.changed_files.WALK_ENTRIES_MAX", 1)
    cut = folder_evidence(str(tmp_path), 0)
    assert cut.cut
    assert "only the first" in cut.could_not
    assert "not there" in folder_evidence(str(tmp_path / "gone"), 0).could_not
    assert folder_evidence(None, 0).could_not


def test_a_program_that_is_asked_is_bounded_in_time_and_size() -> None:
    slow = ask(("/bin/sh", "-c", "sleep 60"), {"PATH": "/bin:/usr/bin"}, 0.2)
    assert (slow.code, slow.is_whole) == (None, False)
    assert slow.fault
    loud = ask(
        ("/bin/sh", "-c", "while :; do echo yyyyyyyyyyyyyyyyyyyy; done"), {"PATH": "/bin"}, 20, 100_000
    )
    assert "more than" in loud.fault
    assert ask(("/nowhere/program",), {}, 1).fault
    assert ask(("/bin/sh", "-c", "echo well"), {}, 5).out == b"well\n"


def test_a_group_is_signalled_only_while_its_number_cannot_be_anothers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A child that was reaped has given its number back."""
    real = os.killpg
    signalled: list[int] = []

    def killpg(group: int, number: int) -> None:
        os.waitid(os.P_PID, group, os.WEXITED | os.WNOWAIT | os.WNOHANG)  # ChildProcessError: it was reaped
        signalled.append(group)
        real(group, number)

    monkeypatch.setattr(os, "killpg", killpg)
    assert ask(("/bin/sh", "-c", "echo well"), {}, 5).out == b"well\n"
    closes_first = ask(("/bin/sh", "-c", "exec >&- 2>&-; sleep 60"), {"PATH": "/bin:/usr/bin"}, 0.2)
    assert "did not end" in closes_first.fault
    assert len(signalled) == 2


def test_text_that_is_handed_on_has_no_secret_and_no_home() -> None:
    redactor = Redactor(f"{HOMES}/ann", {"KEY": "s3cr3t-value", "SHORT": "ab"})
    told = {
        f"{HOMES}/ann/x": ["s3cr3t-value here", 3, None, "cab"],
        "url": "https://ann:hunter22@example.org/x",
        "other": f"{HOMES}/bob/y and C:\\Users\\carl\\z, not {HOMES}/annabel",
        "bearer": "Authorization: Bearer abcdefghijklmnop",
        "named": "API_KEY=abcdef123456 done",
        "pem": "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- after",
    }
    made = redactor.value(told)
    assert made["~/x"] == ["[secret KEY] here", 3, None, "cab"]
    text = str(made)
    for gone in ("hunter22", "bob", "carl", "annabel", "abcdefghijklmnop", "abcdef123456", "nabc"):
        assert gone not in text, gone
    assert "after" in made["pem"]
    assert redactor.secrets_out >= 5
    assert redactor.homes_out >= 4


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "hunter22xyz"}',
        '{\\"api_key\\": \\"hunter22xyz\\"}',
        "'client_secret' : 'hunter22xyz'",
        "aws_secret_access_key = hunter22xyz",
        "AWS_SECRET_ACCESS_KEY=hunter22xyz",
        "x-api-key: hunter22xyz",
        "https://hunter22xyz@github.com/a/b",
        "https://:hunter22xyz@github.com/a/b",
    ],
)
def test_a_named_secret_is_taken_out_however_it_is_written(text: str) -> None:
    redactor = Redactor("", {})
    told = redactor.text(text)
    assert "hunter22xyz" not in told
    assert "[secret]" in told
    assert redactor.secrets_out == 1


def test_texts_under_a_key_that_names_a_secret_are_taken_out_and_nothing_else_is() -> None:
    redactor = Redactor("", {"K": "known-value"})
    made = redactor.value(
        {
            "api_key": "plain words 1",
            "secrets": ["API_KEY", 2],
            "token": "known-value",
            "tokens_in": "many words",
            "password": {"length": 7},
            "token_": "short",
            "output_tokens": 12,
        }
    )
    assert made == {
        "api_key": "[secret]",
        "secrets": ["API_KEY", 2],
        "token": "[secret K]",
        "tokens_in": "many words",
        "password": {"length": 7},
        "token_": "short",
        "output_tokens": 12,
    }
    for plain in (
        "ssh://git@github.com/a",
        "https://example.org/x@y",
        "the secretary said hello",
        "password: no",
    ):
        assert redactor.text(plain) == plain
