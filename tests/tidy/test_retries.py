"""AUT8: one module decides what is tried again. Looked at in the syntax of every module; each look is shown a fault of its kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.tidy.source import Module, dotted, imported, modules

DECIDES = "domain/retry.py"
NETWORK = frozenset({"http", "urllib", "urllib3", "requests", "httpx", "aiohttp", "ftplib", "smtplib"})
ASKS_A_SERVICE = frozenset({"engine/sign_in_probe.py"})
"""Modules that can open a connection of their own: the test of a key, on a person's press, once."""
WAITS_FOR = {
    "engine/budget_watch.py": "what other processes spent: their files",
    "engine/run_book.py": "the disk: a fact that could not be written is written again",
    "engine/supervision.py": "the disk, and its own keeper's socket",
    "engine/watching.py": "files of other processes",
    "engine/sleep_watch.py": "the machine's clock",
    "engine/deaths.py": "whether a process is dead",
    "shim/shim_main.py": "processes that it is ending",
}
"""{module with a loop that waits and goes on after a fault: what it waits for}. None of them starts an agent or asks a service."""
STARTS_AGENTS = ("Popen", "create_subprocess_exec", "fork_exec", "posix_spawn", "_fork_exec")


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _last(call: ast.Call) -> str:
    return dotted(call.func).rsplit(".", maxsplit=1)[-1]


def plans_a_retry(module: Module) -> bool:
    """It makes a decision for a time of its own, or a policy of delays."""
    return any(
        _last(call) in ("RetryPolicy", "SharedPolicy")
        or (_last(call) == "RetryDecision" and "TIMER" in ast.unparse(call))
        for call in _calls(module.tree)
    )


def waits_and_goes_on(tree: ast.AST) -> bool:
    """A loop that waits, and in which a fault is caught so that the loop goes round once more."""
    return any(True for _ in patient_loops(tree))


def patient_loops(tree: ast.AST) -> Iterator[ast.AST]:
    """Each of them."""
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.While | ast.For | ast.AsyncFor))
    return (loop for loop in loops if _is_patient(loop))


def _is_patient(loop: ast.AST) -> bool:
    sleeps = any(
        _last(call) in ("sleep", "wait_for") or "sleep" in dotted(call.func) for call in _calls(loop)
    )
    caught = [node for node in ast.walk(loop) if isinstance(node, ast.ExceptHandler)]
    goes_on = any(
        not any(isinstance(part, ast.Raise | ast.Return | ast.Break) for part in ast.walk(handler))
        for handler in caught
    )
    return sleeps and goes_on


def opens_connections(module: Module) -> bool:
    """It can reach a service by itself."""
    is_client = any(
        name.split(".")[0] in NETWORK and not name.startswith("urllib.parse") for name, _ in imported(module)
    )
    return is_client or any(dotted(call.func) == "socket.create_connection" for call in _calls(module.tree))


def test_only_one_module_decides_that_something_is_tried_again_and_when() -> None:
    assert {module.place for module in modules() if plans_a_retry(module)} == {DECIDES}


def test_who_can_reach_a_service_asks_it_once_and_neither_waits_nor_loops() -> None:
    reach = [module for module in modules() if opens_connections(module)]
    assert {module.place for module in reach} == ASKS_A_SERVICE
    for module in reach:
        assert not waits_and_goes_on(module.tree), module.place
        assert not any(_last(call) == "sleep" for call in _calls(module.tree)), module.place


def test_no_loop_that_starts_a_program_waits_and_goes_on() -> None:
    patient = [module for module in modules() if waits_and_goes_on(module.tree)]
    assert {module.place for module in patient} <= set(WAITS_FOR), (
        "say what it waits for, or leave it to domain/retry.py"
    )
    for module in patient:
        for loop in patient_loops(module.tree):
            assert not any(_last(call) in STARTS_AGENTS for call in _calls(loop)), module.place


def test_adapters_neither_wait_nor_start_anything() -> None:
    """What a program tries again by itself is told by it; its adapter only reads."""
    for module in modules():
        if module.room == "agents" and not module.place.startswith("agents/practice"):
            found = [_last(call) for call in _calls(module.tree) if _last(call) in (*STARTS_AGENTS, "sleep")]
            assert not found, module.place


@pytest.mark.parametrize(
    ("fault", "sees"),
    [
        ("decision = RetryDecision(Hold.TIMER, 5)", plans_a_retry),
        ("MINE = RetryPolicy(first_ms=1)", plans_a_retry),
        ("import httpx", opens_connections),
        ("from urllib.request import urlopen", opens_connections),
        ("while True:\\n    try:\\n        ask()\\n    except OSError:\\n        time.sleep(1)", lambda m: waits_and_goes_on(m.tree)),
    ],
)  # fmt: skip
def test_each_look_sees_its_fault_and_not_a_sound_module(fault: str, sees: object) -> None:
    assert callable(sees)
    path = next(module for module in modules() if module.room == "engine").path
    text = fault.replace("\\n", "\n")
    assert sees(Module(path, text, ast.parse(text)))
    sound = "from urllib.parse import urlsplit\nfor one in two:\n    try:\n        ask()\n    except OSError:\n        raise\n"
    assert not sees(Module(path, sound, ast.parse(sound)))
