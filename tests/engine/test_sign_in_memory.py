"""What a process remembers of sign-ins, without any process (AUT1, AUT2, AUT4, AUT5, AUT8): times and files are handed in."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.retry import SharedPolicy
from quarterdeck.domain.sign_ins import Cleared, Credential, CredentialKind, Remembered, Shape, SignInUse
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.secret_vault import SecretVault
from quarterdeck.engine.sign_in_gate import told_ms
from quarterdeck.engine.sign_in_memory import Held, SignInMemory, Trying
from quarterdeck.engine.sign_in_reading import SignInReading
from quarterdeck.store.credentials_file import write_credential

SHAPE, OTHER = Shape("agent", "key", fingerprint="one"), Shape("agent", "key", fingerprint="two")
POLICY = SharedPolicy(
    canary_ms=15_000, retries=2, window_ms=1_000, rate_ms=500, usage_ms=5_000, longest_ms=60_000
)


def at(ms: int) -> Moment:
    return Moment("boot", ms, 1_000_000 + ms)


def use(attempt: str, source: str = "work") -> SignInUse:
    return SignInUse(attempt, "r-1", "Night", attempt.upper(), source, "agent")


def begin(
    memory: SignInMemory, attempt: str, ms: int = 0, shape: Shape = SHAPE, source: str = "work"
) -> None:
    memory.begin(shape, use(attempt, source), ms, is_shared=True)


def test_others_wait_for_the_first_until_it_lives_and_no_longer_than_their_patience() -> None:
    """AUT4, ruling 27: at most 15 s."""
    memory = SignInMemory(POLICY)
    assert memory.ask(SHAPE, 0) is None
    begin(memory, "a")
    waiting = memory.ask(SHAPE, 10)
    assert isinstance(waiting, Trying)
    assert waiting.until_boot_ms == 15_000
    assert memory.ask(OTHER, 10) is None
    assert memory.ask(SHAPE, 15_000) is None
    memory = SignInMemory(POLICY)
    begin(memory, "a")
    memory.alive("a")
    assert memory.ask(SHAPE, 11) is None


def test_after_each_patience_twice_as_many_try_and_not_all_until_one_lives() -> None:
    """AUT4, ruling 27: a dead key on a busy machine costs few launches; one that works and is slow to say so holds nobody for long."""
    memory = SignInMemory(POLICY)
    begin(memory, "a")
    for number, more in enumerate((1, 2, 4), 1):
        due = number * 15_000
        assert isinstance(memory.ask(SHAPE, due - 1), Trying)
        for nth in range(more):
            assert memory.ask(SHAPE, due + nth) is None
            begin(memory, f"{number}.{nth}", due + nth)
        waiting = memory.ask(SHAPE, due + more)
        assert isinstance(waiting, Trying)
        assert (waiting.use.attempt_id, waiting.until_boot_ms) == (f"{number}.0", due + 15_000)
    memory.ended("2.0")
    assert isinstance(memory.ask(SHAPE, 45_010), Trying)
    told: list[str] = []
    memory.watch(lambda: told.append("moved"))
    memory.alive("a")
    assert told == ["moved"], "those who wait for the newest are told that the first one lives"
    assert memory.ask(SHAPE, 45_011) is None
    begin(memory, "d", 45_011)
    assert memory.ask(SHAPE, 45_012) is None


def test_a_failure_of_any_that_was_waited_for_refuses_the_rest() -> None:
    memory = SignInMemory(POLICY)
    begin(memory, "a")
    begin(memory, "b", 15_000)
    assert memory.failed("a", "401", at(16_000))
    assert isinstance(memory.ask(SHAPE, 16_001), Remembered)


def test_the_patience_counts_from_the_start_of_its_process() -> None:
    """What a busy machine takes to start it is not waited for in vain."""
    memory = SignInMemory(POLICY)
    begin(memory, "a")
    memory.started("a", 9_000)
    waiting = memory.ask(SHAPE, 15_000)
    assert isinstance(waiting, Trying)
    assert waiting.until_boot_ms == 24_000
    begin(memory, "b", 24_000)
    memory.started("a", 30_000)
    memory.started("nobody", 30_000)
    assert memory.ask(SHAPE, 39_000) is None


def test_one_that_ends_without_a_sign_hands_the_trying_on_to_the_next() -> None:
    memory = SignInMemory(POLICY)
    begin(memory, "a")
    memory.ended("a")
    assert memory.ask(SHAPE, 10) is None
    begin(memory, "b", 10)
    assert isinstance(memory.ask(SHAPE, 11), Trying)


def test_a_failure_is_kept_by_shape_and_the_first_is_the_one_that_is_told() -> None:
    memory = SignInMemory(POLICY)
    begin(memory, "a")
    begin(memory, "b", 5)
    assert memory.failed("a", "401", at(20))
    assert not memory.failed("b", "401 again", at(21))
    told = memory.ask(SHAPE, 22)
    assert isinstance(told, Remembered)
    assert (told.use.attempt_id, told.message) == ("a", "401")
    assert memory.ask(OTHER, 22) is None


def test_what_began_before_a_clearing_neither_sets_nor_lifts_anything_after_it() -> None:
    """AUT5: the generation number."""
    memory = SignInMemory(POLICY)
    begin(memory, "old")
    memory.clear(Cleared(source="work"))
    begin(memory, "new", 10)
    memory.alive("old")
    assert isinstance(memory.ask(SHAPE, 11), Trying)
    assert not memory.failed("old", "401", at(12))
    memory.limited("old", "usage_limit", "", None, at(12))
    assert isinstance(memory.ask(SHAPE, 13), Trying)
    assert memory.failed("new", "401", at(14))


def test_who_began_before_a_person_s_trial_does_not_set_again_what_it_cleared() -> None:
    """AUT5: a trial that shows the sign-in at work clears it as a save does; what the trial itself tells later counts."""
    memory = SignInMemory(POLICY)
    begin(memory, "old")
    begin(memory, "dead")
    assert memory.failed("dead", "401", at(10))
    begin(memory, "trial", 20)
    memory.alive("trial")
    assert not memory.remembered()
    assert not memory.failed("old", "401", at(30))
    memory.limited("old", "usage_limit", "", None, at(31))
    memory.doubted("old")
    assert memory.ask(SHAPE, 32) is None
    assert memory.failed("trial", "401 again", at(40))


def test_a_sign_in_in_doubt_is_tried_by_one_and_only_who_began_since_then_shows_it_at_work() -> None:
    """AUT4, Q3: of ten at work, one ends with what may be a refusal; the other nine prove nothing and doubt nothing more."""
    memory = SignInMemory(POLICY)
    crew = [f"n{number}" for number in range(10)]
    for attempt in crew:
        begin(memory, attempt)
        memory.alive(attempt)
    memory.doubted(crew[0])
    memory.ended(crew[0])
    memory.alive(crew[1])
    assert memory.ask(SHAPE, 10) is None
    begin(memory, "next", 10)
    for attempt in crew[2:]:
        memory.doubted(attempt)
        memory.ended(attempt)
        assert isinstance(memory.ask(SHAPE, 11), Trying)
    memory.alive("next")
    assert memory.ask(SHAPE, 12) is None
    memory.doubted("next")
    begin(memory, "last", 13)
    assert isinstance(memory.ask(SHAPE, 14), Trying)
    memory.failed("last", "401", at(15))
    assert isinstance(memory.ask(SHAPE, 16), Remembered)


@pytest.mark.parametrize(
    ("cleared", "is_gone"),
    [
        (Cleared(source="work"), True),
        (Cleared("one"), True),
        (Cleared("one", "https://elsewhere"), False),
        (Cleared("one", account="second"), False),
        (Cleared("two"), False),
        (Cleared(source="other"), False),
        (Cleared(), False),
    ],
)
def test_only_that_key_is_cleared(cleared: Cleared, is_gone: bool) -> None:
    memory = SignInMemory(POLICY)
    begin(memory, "a")
    memory.failed("a", "401", at(1))
    assert memory.clear(cleared) == is_gone
    assert bool(memory.remembered()) is not is_gone


def test_a_limit_holds_until_it_resets_and_then_one_tries_first() -> None:
    memory = SignInMemory(POLICY)
    for attempt in ("a", "b"):
        begin(memory, attempt)
    memory.alive("a")
    memory.limited("a", "rate_limit", "slow", 2_000, at(100))
    held = memory.ask(SHAPE, 101)
    assert isinstance(held, Held)
    assert held.until_boot_ms == 2_100
    memory.limited("b", "rate_limit", "slow", 1_000, at(200))
    assert memory.ask(SHAPE, 2_099) == held
    assert [one.is_known for one in memory.limits(2_099)] == [True]
    assert memory.ask(SHAPE, 2_100) is None
    assert not memory.limits(2_100)
    begin(memory, "c", 2_100)
    assert isinstance(memory.ask(SHAPE, 2_101), Trying)


@pytest.mark.parametrize("told", [None, 2_000])
def test_who_ends_well_after_a_limit_lifts_it_where_its_end_was_only_supposed(told: int | None) -> None:
    """What the service itself said is kept to."""
    memory = SignInMemory(POLICY)
    for attempt in ("a", "b"):
        begin(memory, attempt)
    memory.alive("a")
    memory.limited("a", "rate_limit", "slow", told, at(100))
    memory.passed("b")
    assert memory.limits(101)
    memory.passed("a")
    assert bool(memory.limits(101)) is (told is not None)


@pytest.mark.parametrize(
    ("error_class", "told", "held_ms"),
    [
        ("rate_limit", None, 500),
        ("usage_limit", None, 5_000),
        ("usage_limit", 7_000, 7_000),
        ("usage_limit", 10**12, 60_000),
        ("rate_limit", 0, 0),
    ],
)
def test_how_long_a_limit_holds_is_said_in_one_place(
    error_class: str, told: int | None, held_ms: int
) -> None:
    """AUT8: `domain/retry.py`, and nowhere else."""
    assert POLICY.held_ms(error_class, told) == held_ms


def test_the_users_of_one_sign_in_share_their_retries() -> None:
    """AUT8: a budget, which time gives back."""
    memory = SignInMemory(POLICY)
    for attempt in ("a", "b", "c"):
        begin(memory, attempt)
    assert memory.retries_left("nobody", 0) is None
    assert memory.retries_left("a", 0) == 2
    memory.note_retry("a", 0)
    memory.note_retry("b", 500)
    assert memory.retries_left("c", 600) == 0
    assert memory.retries_left("c", 1_000) == 1
    assert memory.retries_left("c", 1_500) == 2


@pytest.mark.parametrize(
    ("report", "ms"),
    [
        ({"retry_after_s": 1.5}, 1_500),
        ({"resets_at": "1970-01-01T00:16:50Z"}, 10_000),
        ({"resets_at": "1970-01-01T00:16:50"}, 10_000),
        ({"resets_at": 1_010}, 10_000),
        ({"resets_at": 1}, 0),
        ({"resets_at": "3pm"}, None),
        ({"resets_at": True}, None),
        ({}, None),
    ],
)
def test_the_end_of_a_limit_is_taken_as_the_service_says_it(
    report: dict[str, object], ms: int | None
) -> None:
    assert told_ms(report, at(0)) == ms


# ------------------------------------------------------------------------------------------- shapes


def reading(folder: Path, **environ: str) -> SignInReading:
    return SignInReading(SecretVault(lambda: None), b"key", lambda: folder, {"HOME": str(folder), **environ})


def test_a_login_that_its_program_refreshed_is_another_sign_in(tmp_path: Path) -> None:
    """AUT2: the login file's identity and its content."""
    one = reading(tmp_path)
    agent = AgentSpec("a", "claude-code")
    file = tmp_path / ".claude" / ".credentials.json"
    before = one.of_agent(agent).shape
    file.parent.mkdir()
    file.write_text('{"refresh": 1}')
    first = one.of_agent(agent).shape
    assert first is not None
    assert (first.way, first != before) == ("login", True)
    file.write_text('{"refresh": 2}')
    second = one.of_agent(agent).shape
    assert second != first
    file.write_text('{"refresh": 1}')
    assert one.of_agent(agent).shape == first
    elsewhere = AgentSpec("a", "claude-code", env=(("CLAUDE_CONFIG_DIR", str(tmp_path / "second")),))
    assert one.of_agent(elsewhere).shape not in (first, second)


def test_who_signs_in_again_in_a_program_clears_that_login_and_no_key_and_no_other_folder(
    tmp_path: Path,
) -> None:
    """AUT5: only that one."""
    one = reading(tmp_path, ANTHROPIC_API_KEY="s1", CODEX_HOME=str(tmp_path / "mine"))
    own = one.of_agent(AgentSpec("a", "claude-code"))
    elsewhere = one.of_agent(AgentSpec("a", "claude-code", env=(("CLAUDE_CONFIG_DIR", "/second"),)))
    passed = one.of_agent(AgentSpec("a", "claude-code", pass_env=("ANTHROPIC_API_KEY",)))
    sources = [sign_in.source for sign_in in (own, elsewhere, passed)]
    assert sources == ["login:claude-code", "login:claude-code (/second)", "env:ANTHROPIC_API_KEY"]
    assert one.of_agent(AgentSpec("a", "codex", pass_env=("CODEX_HOME",))).source == "login:codex"
    memory = SignInMemory(POLICY)
    for attempt, sign_in in zip("abc", (own, elsewhere, passed), strict=True):
        assert sign_in.shape is not None
        begin(memory, attempt, shape=sign_in.shape, source=sign_in.source)
        memory.failed(attempt, "401", at(1))
    assert memory.clear(Cleared(source="login:claude-code")) == 1
    assert [known.use.attempt_id for known in memory.remembered()] == ["b", "c"]


def test_name_secret_endpoint_and_account_make_the_shape_as_the_rule_says(tmp_path: Path) -> None:
    """AUT2's matrix: names and ways of storing do not count; secret, endpoint, account and program do."""
    one = reading(tmp_path, KEY="s1", SAME="s1", DIFFERENT="s2")
    for name, variable, more in (
        ("first", "KEY", {}),
        ("second", "SAME", {}),
        ("third", "DIFFERENT", {}),
        ("at", "KEY", {"endpoint": "https://x"}),
        ("of", "KEY", {"account": "two"}),
    ):
        write_credential(tmp_path, Credential(name, CredentialKind.ENVIRONMENT, variable=variable, **more))

    def shape(credential: str, kind: str = "claude-code") -> Shape | None:
        return one.of_agent(AgentSpec("a", kind, credential=credential)).shape

    assert shape("first") == shape("second") == shape("env:KEY")
    shapes = [shape(name) for name in ("first", "third", "at", "of")] + [shape("first", "codex")]
    assert len(set(shapes)) == 5
    assert all("s1" not in repr(made) and "s2" not in repr(made) for made in shapes)


def test_an_agent_that_cannot_tell_of_its_sign_in_has_none(tmp_path: Path) -> None:
    """A text command says nothing that could be remembered; practice agents pretend."""
    one = reading(tmp_path, KEY="s1")
    assert one.of_agent(AgentSpec("a", "command", ("x",), credential="env:KEY")).shape is None
    assert one.of_agent(AgentSpec("a", "practice")).shape is None
    lines = one.of_agent(AgentSpec("a", "command", ("x",), protocol="lines", credential="env:KEY"))
    assert lines.is_shared
    assert "s1" not in repr(lines)
    plain = one.of_agent(AgentSpec("a", "command", ("x",), protocol="lines"))
    assert (plain.is_shared, plain.is_tried_by_person) == (False, True)


def test_an_entry_gives_its_key_in_the_variable_that_is_named_nearest(tmp_path: Path) -> None:
    """Design §6: `credential_env`, else the entry's, else the program's own."""
    one = reading(tmp_path, KEY="s1")
    write_credential(tmp_path, Credential("work", endpoint="https://x", variable="ENTRY"))
    one.vault.put("work", "s1")
    spec = AgentSpec("a", "claude-code", credential="work", credential_env="MINE")
    assert one.of_agent(spec).secrets == {"MINE": "s1", "ANTHROPIC_BASE_URL": "https://x"}
    assert "ENTRY" in one.of_agent(AgentSpec("a", "claude-code", credential="work")).secrets
    write_credential(tmp_path, Credential("bare"))
    one.vault.put("bare", "s1")
    assert one.of_agent(AgentSpec("a", "codex", credential="bare")).secrets == {"CODEX_API_KEY": "s1"}
    problem = one.of_agent(AgentSpec("a", "command", ("x",), credential="bare")).problem
    assert "credential_env" in problem


@pytest.mark.parametrize(
    ("kind", "program", "variable"),
    [
        ("opencode", "openai", "OPENAI_API_KEY"), ("opencode", "codex", "OPENAI_API_KEY"),
        ("opencode", "anthropic", "ANTHROPIC_API_KEY"), ("opencode", "google", "GEMINI_API_KEY"),
        ("opencode", "", None), ("opencode", "mistral", None),
        ("claude-code", "anthropic", "ANTHROPIC_API_KEY"), ("claude-code", "", "ANTHROPIC_API_KEY"),
        ("claude-code", "openai", None), ("claude-code", "codex", None), ("claude-code", "mistral", None),
        ("codex", "openai", "CODEX_API_KEY"), ("codex", "claude-code", None),
        ("gemini", "google", "GEMINI_API_KEY"), ("gemini", "openai", None),
    ],
)  # fmt: skip
def test_a_key_goes_to_no_other_service_than_its_entry_names(
    tmp_path: Path, kind: str, program: str, variable: str | None
) -> None:
    """In the variable of that service, or to nobody: and then in words, at the launch already."""
    one = reading(tmp_path)
    write_credential(tmp_path, Credential("work", program=program))
    one.vault.put("work", "s1")

    told = one.of_agent(AgentSpec("a", kind, credential="work"))

    assert told.secrets == ({} if variable is None else {variable: "s1"})
    assert told.variable == (variable or "")
    assert bool(told.problem) == (variable is None)
    assert "work" in told.problem or variable is not None


@pytest.mark.parametrize(
    ("kind", "more", "problem"),
    [
        ("claude-code", {}, ""),
        ("gemini", {"program": "google"}, ""),
        ("codex", {}, ""),
        ("codex", {"kind": CredentialKind.OWN_LOGIN}, "own login"),
        ("opencode", {"program": "openai"}, ""),
        ("opencode", {"variable": "MINE"}, "which provider"),
        ("acp", {"variable": "MINE"}, "`env`"),
        ("command", {"variable": "MINE"}, "`env`"),
    ],
)
def test_an_endpoint_is_handed_over_or_the_agent_is_refused_in_words(
    tmp_path: Path, kind: str, more: dict[str, Any], problem: str
) -> None:
    """A key that is for one place is never used at another because nobody told the program of it."""
    one = reading(tmp_path)
    write_credential(tmp_path, Credential("work", endpoint="https://gateway.example/v1", **more))
    one.vault.put("work", "s1")

    told = one.of_agent(AgentSpec("a", kind, ("x",), credential="work"))

    assert problem in told.problem
    assert bool(told.problem) == bool(problem)
    assert told.endpoint == ("" if problem else "https://gateway.example/v1")
    env = (("API_BASE", "https://gateway.example/v1"),)
    if kind in ("acp", "command"):
        assert one.of_agent(AgentSpec("a", kind, ("x",), credential="work", env=env)).secrets == {
            "MINE": "s1"
        }


def test_a_secret_of_another_service_is_refused_in_that_service_s_variable(tmp_path: Path) -> None:
    one = reading(tmp_path)
    write_credential(tmp_path, Credential("work", program="openai"))
    one.vault.put("work", "s1")
    wrong = AgentSpec("a", "command", ("x",), secrets=(("ANTHROPIC_API_KEY", "work"),))
    assert "takes it to anthropic" in one.of_agent(wrong).problem
    right = AgentSpec("a", "command", ("x",), secrets=(("OPENAI_API_KEY", "work"), ("MY_OWN", "work")))
    assert one.of_agent(right).secrets == {"OPENAI_API_KEY": "s1", "MY_OWN": "s1"}


def test_a_variable_of_the_app_becomes_the_program_s_own_where_the_program_has_one(tmp_path: Path) -> None:
    """A program of many providers keeps the name: which of them it is for is the person's to say."""
    one = reading(tmp_path, MY_KEY="s1", ANTHROPIC_AUTH_TOKEN="s2")
    for kind, variable in (
        ("claude-code", "ANTHROPIC_API_KEY"),
        ("opencode", "MY_KEY"),
        ("command", "MY_KEY"),
    ):
        spec = AgentSpec("a", kind, ("x",) if kind == "command" else (), credential="env:MY_KEY")
        assert one.of_agent(spec).secrets == {variable: "s1"}
    token = AgentSpec("a", "claude-code", credential="env:ANTHROPIC_AUTH_TOKEN")
    assert one.of_agent(token).secrets == {"ANTHROPIC_AUTH_TOKEN": "s2"}


class Slowly(frozenset[str]):
    """A set whose union is long enough for two threads to meet in it."""

    meeting = threading.Barrier(2)

    def __or__(self, other: object) -> Slowly:
        with contextlib.suppress(threading.BrokenBarrierError):
            self.meeting.wait(0.3)
        return Slowly(frozenset.__or__(self, other))  # type: ignore[operator]


def test_no_secret_is_lost_that_two_threads_hand_over_at_once(tmp_path: Path) -> None:
    """What is lost here is shown as agents print it, and stays in an export."""
    one = reading(tmp_path, FIRST="the first secret", SECOND="the second secret")
    one.handed = Slowly()
    agents = [AgentSpec("a", "command", ("x",), secrets=(("KEY", f"env:{n}"),)) for n in ("FIRST", "SECOND")]
    threads = [threading.Thread(target=one.of_agent, args=(agent,)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one.handed == {"the first secret", "the second secret"}
