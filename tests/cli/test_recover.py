"""What a killed terminal left, told, checked and taken up again by later ones: real processes (REC, EFF, CON, rulings 13, 19, 25)."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.cli.real import document, python, quarterdeck, running, shell, wait_until, workflow

SAY = """
import json, os, subprocess, sys, time
def say(**line): print(json.dumps(line), flush=True)
"""
CUT_OFF = (
    SAY
    + f"WRITTEN = {hashlib.sha256(b'written after all').hexdigest()!r}"
    + """
path = os.environ.get("QUARTERDECK_RESUME")
if path:
    say(type="output", value=json.load(open(path)))
    sys.exit(0)
say(type="session", id="s1", resumable=True)
say(type="turn")
say(type="usage", input_tokens=10, output_tokens=3, cost_usd="0.125", model="m", message_id="1")
say(type="checkpoint", step="read", data={"n": 1})
open("half.txt", "w").write("half")
say(type="checkpoint", step="half", path="half.txt")
say(type="effect", id="note", state="sent", kind="file", target="note.txt", detail=WRITTEN)
say(type="effect", id="ticket", state="sent", kind="ticket", target="T-1")
say(type="effect", id="done", state="confirmed", kind="mail", target="m")
print("about to push", flush=True)
while True: time.sleep(0.05)
"""
)
ESCAPES = (
    SAY
    + """
if not os.environ.get("QUARTERDECK_RESUME"):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
    print("child", child.pid, flush=True)
    while True: time.sleep(0.05)
"""
)


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of the test's own."""
    for name in ("data", "config", "log"):
        monkeypatch.setenv(f"QUARTERDECK_{name.upper()}_DIR", str(tmp_path / name))


def killed(tmp_path: Path, file: Path, words: str) -> str:
    """A run whose terminal was killed once an agent had printed the words; its id."""
    with running(tmp_path, "run", file, "--json") as at_work:
        wait_until(lambda: words in printed(tmp_path))
        at_work.process.kill()
        at_work.process.wait()
    (run,) = [path.name for path in (tmp_path / "data" / "runs").iterdir()]
    return run


def printed(tmp_path: Path) -> str:
    return "".join(
        path.read_text(errors="replace") for path in (tmp_path / "data").glob("runs/*/attempts/*/transcript")
    )


def one_agent(told: Any) -> Any:
    ((agent,),) = [run["agents"] for run in told["runs"]]
    return agent


def test_recover_tells_what_a_kill_left_each_time_and_starts_nothing(tmp_path: Path) -> None:
    """REC3–REC7, ruling 19: figures to the last report, unknown effects, how death is known; nothing is answered by telling."""
    run = killed(tmp_path, workflow(tmp_path, ("a", "b"), a=python(CUT_OFF), b=python(SAY)), "about to push")
    told = document("recover")
    assert document("recover") == told, "telling answers nothing"
    (first,) = told["runs"]
    assert (first["run_id"], first["workflow_name"], first["turns"]) == (run, "Real check", 1)
    assert first["cost_usd"] == "0.125"
    agent = one_agent(told)
    assert (agent["node_id"], agent["title"], agent["display"], agent["attempt_number"]) == (
        "a",
        "A",
        "Stopped",
        1,
    )
    assert {one["effect"] for one in agent["effects_unknown"]} == {"a#note", "a#ticket"}
    assert {one["state"] for one in agent["effects_unknown"]} == {"unknown"}
    assert agent["survivors"] == []
    assert agent["evidence"]
    assert agent["last_known"] == "in ticket: T-1"
    assert "about to push" in agent["last_line"]
    assert agent["outside"] == "unknown"
    text = quarterdeck("recover")
    assert b"will not spend or act until you resume them one by one" in text.stdout
    for word in (b"running", b"resuming", b"continues"):
        assert word not in text.stdout.lower(), "REC11"
    assert len(list((tmp_path / "data" / "runs" / run / "attempts").iterdir())) == len(attempts_of(run))


def test_what_is_cut_off_behind_an_attested_end_makes_no_figure_less_and_the_duration_is_at_least(
    tmp_path: Path,
) -> None:
    """JNL5: turns and cost, of the run and of the agent, as attested; the run's last sign is no end of it."""
    killed(tmp_path, workflow(tmp_path, a=python(CUT_OFF)), "about to push")
    document("recover")
    (reports,) = (tmp_path / "data").glob("runs/*/attempts/*/reports.jsonl")
    with reports.open("ab") as file:
        file.write(b'{"seq":99,"kind":"usa')
    said = quarterdeck("recover").stdout.decode()
    assert "ran for at least " in said
    assert said.count("1 turn, $0.125") == 2, "its keeper attested the end: what follows it took nothing away"


def attempts_of(run: str) -> list[Any]:
    return [attempt for slot in document("show", run)["slots"] for attempt in slot["attempts"]]


def test_a_clean_end_owes_no_prompt_and_ctrl_c_neither(tmp_path: Path) -> None:
    """REC3, ruling 20; SIGTERM leaves the run interrupted, its prompt owed."""
    file = workflow(tmp_path, a=python(CUT_OFF))
    for number, owed, expected in ((signal.SIGINT, 0, 1), (signal.SIGTERM, 1, 2)):
        with running(tmp_path, "run", file) as at_work:
            wait_until(lambda many=expected: printed(tmp_path).count("about to push") == many)
            at_work.process.send_signal(number)
            at_work.ended()
        assert len(document("recover")["runs"]) == owed


def test_unknown_effects_are_probed_and_settled_and_the_successor_is_told(tmp_path: Path) -> None:
    """EFF3, EFF7, ruling 13, CON3, CON4, case 64: what was sent may have happened; and a resume answers the prompt."""
    run = killed(tmp_path, workflow(tmp_path, a=python(CUT_OFF)), "about to push")
    probed = document("probe", run, "a#note")
    assert (probed["state"], probed["effect"]) == ("absent", "a#note")
    (tmp_path / "note.txt").write_text("written after all")
    assert document("probe", run, "a#note")["state"] == "confirmed", "EFF6: again, later"
    assert document("probe", run, "a#ticket")["state"] == "unknown"
    refused = quarterdeck("settle", run, "a#ticket", "--as", "happened", "--reason", " \u200b")
    assert refused.returncode == 5
    shown = document("settle", run, "a#ticket", "--as", "happened", "--reason", "it is in the tracker")
    (attempt,) = shown["slots"][0]["attempts"]
    states = {one["id"]: one for one in attempt["effects"]}
    assert states["ticket"]["state"] == "accepted_by_person"
    assert states["ticket"]["settled"]["value"] == "happened"
    assert states["ticket"]["settled"]["reason"] == "it is in the tracker"
    assert states["note"]["state"] == "confirmed"
    assert quarterdeck("settle", run, "a#done", "--as", "absent", "--reason", "no").returncode == 5
    assert quarterdeck("settle", run, "a#ticket", "--as", "maybe", "--reason", "no").returncode == 2
    told = one_agent(document("recover"))
    assert told["effects_unknown"] == []
    assert {one["effect"]: one["state"] for one in told["effects_settled"]} == {
        "a#ticket": "accepted_by_person",
        "a#note": "confirmed",
    }
    assert b"confirmed, as a probe found" in quarterdeck("recover").stdout
    for said in (("recover",), ("show", run), ("export", run, "--format", "markdown")):
        words = quarterdeck(*said).stdout.decode()
        assert "it is in the tracker" in words, said
        assert "told nothing of it" not in words
    second = quarterdeck("settle", run, "a#ticket", "--as", "happened", "--reason", "I looked again")
    assert b"Before, it was happened, as " in second.stderr
    assert b"it is in the tracker" in second.stderr
    stored = [
        *(tmp_path / "data" / "runs" / run / "attempts" / attempt["attempt_id"] / "artifacts").iterdir()
    ]
    stored[0].write_text("damaged")
    resumed = document("resume", run, "a", "--reason", "the tracker has it")
    told = resumed["slots"][0]["attempts"][1]["output"]
    assert told["reason"] == "the tracker has it"
    assert told["steps"]["kept"] == [{"step": "read", "data": {"n": 1}}]
    assert [one["step"] for one in told["steps"]["repeat"]] == ["half"]
    effects = {one["id"]: one for one in told["attempts"][0]["effects"]}
    assert {name: one["state"] for name, one in effects.items()} == {
        "note": "confirmed",
        "ticket": "accepted_by_person",
        "done": "confirmed",
    }
    assert effects["ticket"]["idempotency_key"] == f"{run}/a:ticket", "EFF4"
    assert document("recover")["runs"] == [], "a resume answers"
    assert resumed["cost_usd"] == "0.125", "REC10"


def test_a_survivor_is_named_and_holds_its_slot_until_it_is_ended(tmp_path: Path) -> None:
    """REC9, cases 29 and 56, LSE4: by pid and start time, never another process; then the slot may be resumed."""
    agent = {**python(ESCAPES), "containment": "tree"}
    file = workflow(tmp_path, a=agent)
    with running(tmp_path, "run", file) as at_work:
        wait_until(lambda: "child" in printed(tmp_path))
        child = int(printed(tmp_path).split()[-1])
        for line in (
            next((tmp_path / "data").glob("runs/*/attempts/*/reports.jsonl")).read_text().splitlines()
        ):
            if (report := json.loads(line))["kind"] == "starting":
                keeper = report["shim_pid"]
        os.kill(at_work.process.pid, signal.SIGSTOP)
        os.kill(keeper, signal.SIGKILL)
        at_work.process.kill()
        at_work.process.wait()
    process = psutil.Process(child)
    try:
        told = one_agent(document("recover"))
        assert [one["pid"] for one in told["survivors"]] == [child]
        assert "time.sleep(300)" in told["survivors"][0]["command"]
        assert (told["display"], told["end_first"], told["evidence"]) == ("Still alive", True, "")
        (run,) = [one["run_id"] for one in document("recover")["runs"]]
        refused = quarterdeck("resume", run, "a", "--reason", "again", "--json")
        assert refused.returncode == 5
        why = json.loads(refused.stdout)["message"] if refused.stdout else refused.stderr.decode()
        assert str(child) in why, "what stands in the way is named, and not that the slot is active"
        assert "quarterdeck stop" in why
        assert process.is_running()
        stopped = document("stop", run, "a")
        assert not psutil.pid_exists(child) or process.status() == psutil.STATUS_ZOMBIE
        assert stopped["slots"][0]["display"] == "Stopped"
        assert one_agent(document("recover"))["survivors"] == []
        assert document("resume", run, "a", "--reason", "it is gone")["outcome"] == "completed"
    finally:
        if process.is_running():
            process.kill()


def test_two_terminals_resume_at_once_and_one_attempt_comes_of_it(tmp_path: Path) -> None:
    """REC8, SLT17, case 62: the other is refused and changes nothing."""
    run = killed(tmp_path, workflow(tmp_path, a=python(CUT_OFF)), "about to push")
    before = len(attempts_of(run))
    command = ["resume", run, "a", "--reason", "again", "--json"]
    with running(tmp_path, *command) as one:
        other = quarterdeck(*command)
        codes = sorted((one.ended(), other.returncode))
    assert codes == [0, 5], (one.said, other.stderr)
    assert len(attempts_of(run)) == before + 1


def test_a_claim_that_cannot_start_says_why_and_leaves_the_slot_open(tmp_path: Path) -> None:
    """SLT17, case 107: the program is gone; shown as that, never as work."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho about to push\nwhile true; do sleep 0.1; done\n")
    tool.chmod(0o755)
    file = workflow(tmp_path, ("a", "b"), a={"kind": "command", "argv": [str(tool)]}, b=python(SAY))
    run = killed(tmp_path, file, "about to push")
    tool.unlink()
    failed = quarterdeck("resume", run, "a", "--reason", "again", "--json")
    assert failed.returncode != 0
    shown = document("show", run)
    slot, later = shown["slots"]
    assert str(tool) in slot["reason"]
    assert slot["attempts"][-1]["status"] == "failed"
    assert slot["attempts"][-1]["cost_usd"] in ("0", None)
    assert later["attempts"] == [], "C10"
    tool.write_text("#!/bin/sh\necho well\n")
    tool.chmod(0o755)
    assert quarterdeck("resume", run, "a", "--reason", "it is there again").returncode in (0, 4)
    assert document("show", run)["slots"][0]["display"] == "Done"
    assert document("show", run)["slots"][1]["attempts"] == [], "C10: later nodes wait for a person"


def test_evidence_is_gathered_only_when_asked_for(tmp_path: Path) -> None:
    """Ruling 25: git says what changed and was committed since the attempt began; without a repository the files tell."""
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / "old.txt").write_text("before")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "before", date="2020-01-01T00:00:00Z")
    work = SAY + (
        "open('new file.txt', 'w').write('x')\nopen('old.txt', 'w').write('after')\n"
        "subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-am', 'by the agent'])\n"
        "open('old.txt', 'w').write('again')\n"
        "say(type='effect', id='c', state='sent', kind='commit', detail='by the agent')\n"
        "say(type='artifact', name='half', text='half')\n"
        "print('about to push', flush=True)\nwhile True: time.sleep(0.05)\n"
    )
    run = killed(tmp_path, workflow(tmp_path, a=python(work, cwd=str(repository))), "about to push")
    assert "looked" not in one_agent(document("recover"))
    looked = one_agent(document("recover", "--evidence"))["looked"]
    folder = looked["folder"]
    assert folder["is_repository"]
    changed = {one["path"]: (one["how"], one["since_start"]) for one in folder["changed"]}
    assert changed == {"new file.txt": ("new", True), "old.txt": ("changed", True)}
    assert [one["subject"] for one in folder["commits"]] == ["by the agent"]
    assert folder["could_not"] == ""
    assert [(one["artifact"]["name"], one["state"]) for one in looked["saved"]] == [("half", "kept")]
    assert looked["process"]
    assert document("probe", run, "a#c")["state"] == "confirmed"
    assert not (repository / ".git" / "index.lock").exists()


def git(folder: Path, *words: str, date: str | None = None) -> None:
    env = {**os.environ, "HOME": str(folder.parent)}
    if date:
        env |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    who = ("-c", "user.name=t", "-c", "user.email=t@t")
    subprocess.run(["git", *who, *words], cwd=folder, env=env, check=True, capture_output=True)


def test_an_export_holds_no_secret_no_home_and_no_environment(tmp_path: Path) -> None:
    secret = "correct-horse-battery"
    agent = python(
        SAY + "say(type='output', value={'at': os.environ['HOME'] + '/x', 'key': os.environ['KEY'],"
        " 'token': 'ghp_' + 'a' * 36, 'safe': 'plain'})",
        secrets={"KEY": "env:MY_KEY"},
        env={"SETTING": "from-the-environment"},
    )
    home = str(Path.home())
    ran = quarterdeck("run", workflow(tmp_path, a=agent), "--json", MY_KEY=secret)
    assert ran.returncode == 0, ran.stderr
    run = json.loads(ran.stdout)["run_id"]
    for form in ("json", "markdown"):
        made = quarterdeck("export", run, "--format", form, MY_KEY=secret)
        text = made.stdout.decode()
        assert made.returncode == 0
        assert "plain" in text
        for gone in (secret, "ghp_aaaa", "from-the-environment", f"{home}/"):
            assert gone not in text, (form, gone)
        assert b"secrets: 2" in made.stderr or b"secrets: 3" in made.stderr
    assert json.loads(quarterdeck("export", run, MY_KEY=secret).stdout)["run_id"] == run
    preview = quarterdeck("export", run, "--preview", MY_KEY=secret)
    assert b"Preview" in preview.stderr
    assert quarterdeck("export", run, "--format", "pdf").returncode == 2


def test_an_export_whose_secret_is_not_known_now_is_not_written_unless_that_is_wanted(tmp_path: Path) -> None:
    """It never claims that secrets were taken out which it could not look for; it names them, and never a value."""
    secret = "correct-horse-battery"
    told = SAY + "say(type='output', value={'key': os.environ['KEY'], 'token': 'ghp_' + 'a' * 36})"
    file = workflow(tmp_path, a=python(told, secrets={"KEY": "env:MY_KEY"}))
    run = json.loads(quarterdeck("run", file, "--json", MY_KEY=secret).stdout)["run_id"]
    for form in ("json", "markdown"):
        refused = quarterdeck("export", run, "--format", form)
        assert refused.returncode == 5
        assert refused.stdout == b""
        assert b"KEY from env:MY_KEY (its variable is not set here)" in refused.stderr
        assert b"--without-secrets-check" in refused.stderr
        made = quarterdeck("export", run, "--format", form, "--without-secrets-check")
        assert made.returncode == 0
        assert secret in made.stdout.decode()
        assert b"not all of them could be looked for" in made.stderr
        assert b"may stand in the text: KEY from env:MY_KEY" in made.stderr
        assert secret.encode() not in made.stderr
    assert "could not be looked for" in made.stdout.decode()
    preview = quarterdeck("export", run, "--preview")
    assert preview.returncode == 0
    assert b"may stand in the text: KEY from env:MY_KEY" in preview.stderr
    check = json.loads(quarterdeck("export", run, "--without-secrets-check").stdout)["secrets_check"]
    why = "its variable is not set here"
    assert check["not_looked_for"] == [{"variable": "KEY", "source": "env:MY_KEY", "why": why}]
    assert not check["all_looked_for"]
    whole = quarterdeck("export", run, MY_KEY=secret)
    assert json.loads(whole.stdout)["secrets_check"]["looked_for"] == [
        {"variable": "KEY", "source": "env:MY_KEY"}
    ]
    assert b"not all of them" not in whole.stderr
    assert b"Not looked for" not in whole.stderr
    assert b"by the value that each has now: one that was changed since the run is not found" in whole.stderr


def test_of_a_run_with_a_thousand_agents_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    """What was not cut off stands on one line that a person can read; `--json` has every one."""
    agents = {"cut": python(CUT_OFF), **{f"n{number:03}": shell("true") for number in range(40)}}
    waits = [("cut", name) for name in agents if name != "cut"]
    killed(tmp_path, workflow(tmp_path, *waits, **agents), "about to push")
    told = quarterdeck("recover").stdout.decode()
    (line,) = [line for line in told.splitlines() if line.startswith("  others: ")]
    assert line.endswith(" and 28 more")
    assert line.count("not started") == 12
    assert len(document("recover")["runs"][0]["rest"]) == 40


def test_another_program_than_at_the_last_start_is_said_before_a_resume_also_after_one_that_never_began(
    tmp_path: Path,
) -> None:
    """PIN6: what differs is shown, not hidden; an attempt that could not begin says nothing of the program."""
    tool, away = tmp_path / "tool", tmp_path / "away"
    tool.write_text(
        '#!/bin/sh\n[ -n "$QUARTERDECK_RESUME" ] && exit 0\necho at work\nwhile :; do sleep 0.1; done\n'
    )
    tool.chmod(0o755)
    run = killed(tmp_path, workflow(tmp_path, a={"kind": "command", "argv": [str(tool)]}), "at work")
    assert "another version" not in quarterdeck("recover").stderr.decode()
    tool.rename(away)
    failed = quarterdeck("resume", run, "a", "--reason", "first").stderr.decode()
    assert str(tool) in failed
    away.write_text("#!/bin/sh\necho another\n")
    away.rename(tool)
    told = quarterdeck("resume", run, "a", "--reason", "again")
    assert told.returncode == 0, told.stderr.decode()
    assert "another version than at the last start" in told.stderr.decode()
