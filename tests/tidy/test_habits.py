"""Mistakes that this project knows it could make, each with the reason why it is one.

A rule looks at one syntax node of one module and answers whether it breaks the rule. An exception is listed by place,
with its reason, and must still be needed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.tidy.source import Module, dotted, imported, modules


@dataclass(frozen=True)
class Rule:
    name: str
    why: str
    breaks: Callable[[ast.AST, Module], bool]


# (rule name, place) -> why this place may
EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "time.sleep",
        "engine/deaths.py",
    ): "two looks 100 ms apart prove a death, and nothing signals what a process that is no child of ours does; in worker threads",
    **{
        ("open that may wait", place): reason
        for place, reason in {
            "store/regular.py": "it is the place that opens without waiting and looks at what it opened",
            "store/durable_io.py": "the seam of everything that writes; it opens with O_NONBLOCK",
            "store/locks.py": "a look at a lock reads nothing, and opens with O_NONBLOCK",
            "store/machine.py": "files of /proc, which the kernel makes",
            "store/workflow_file.py": "it tells apart what lies there in words of its own; it opens with O_NONBLOCK",
            "engine/run_lines.py": "it loads nothing but what a list needs (P17); it opens with O_NONBLOCK",
            "engine/app_log.py": "the log's own writer; it opens with O_NONBLOCK and looks at what it opened",
            "store/network_folder.py": "a file of /proc, which the kernel makes",
            "engine/survivors.py": "files of /proc, which the kernel makes",
            "engine/agent_processes.py": "files of /proc, which the kernel makes",
            "shim/shim_main.py": "/dev/null is there for everybody",
            "shim/processes.py": "files of /proc, which the kernel makes",
            "shim/kernel.py": "a file of /proc, which the kernel makes",
            "ui/resources.py": "pictures of the package itself",
            "agents/practice_program.py": "a program of its own; the file that it reads was written for this attempt",
        }.items()
    },
    (
        "network of our own",
        "engine/sign_in_probe.py",
    ): "a person asked for the test of a key: one call to the service that the key is for, and nothing else",
    (
        "nested Qt loop",
        "ui/first_frame.py",
    ): "it waits for the first paint before there is a loop of ours, and so before any task",
    (
        "bare task",
        "ui/asking.py",
    ): "Qt's slots are no coroutines and cannot enter a group; the link's close awaits every task it made",
    (
        "bare task",
        "ui/link.py",
    ): "a wait for whichever comes first, which ends both before it returns",
}


def _calls(*names: str) -> Callable[[ast.AST, Module], bool]:
    return lambda node, _: isinstance(node, ast.Call) and dotted(node.func) in names


def _sets_keyword(name: str, harmless: object) -> Callable[[ast.AST, Module], bool]:
    def breaks(node: ast.AST, _: Module) -> bool:
        return isinstance(node, ast.keyword) and node.arg == name and not _is_constant(node.value, harmless)

    return breaks


def _is_constant(node: ast.AST, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _outside(
    rooms: tuple[str, ...], breaks: Callable[[ast.AST, Module], bool]
) -> Callable[[ast.AST, Module], bool]:
    return lambda node, module: module.room not in rooms and breaks(node, module)


def _inside(
    rooms: tuple[str, ...], breaks: Callable[[ast.AST, Module], bool]
) -> Callable[[ast.AST, Module], bool]:
    return lambda node, module: module.room in rooms and breaks(node, module)


def _caught(handler: ast.ExceptHandler) -> set[str]:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {dotted(kind).rsplit(".", maxsplit=1)[-1] for kind in kinds if kind is not None}


def _does_nothing(body: list[ast.stmt]) -> bool:
    return all(
        isinstance(s, ast.Pass | ast.Continue)
        or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in body
    )


def _swallows_everything(node: ast.AST, _: Module) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    broad = node.type is None or _caught(node) & {"Exception", "BaseException"}
    return node.type is None or bool(broad and _does_nothing(node.body))


def _swallows_cancellation(node: ast.AST, _: Module) -> bool:
    if not isinstance(node, ast.ExceptHandler) or not _caught(node) & {"CancelledError", "BaseException"}:
        return False
    return not any(isinstance(n, ast.Raise) or _calls_method(n, "set_exception") for n in ast.walk(node))


def _calls_method(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _prints(node: ast.AST, module: Module) -> bool:
    speaks = module.room in ("cli", "__main__.py") or module.place.startswith("agents/practice")
    return not speaks and _calls("print")(node, module)


def _nested_loop(node: ast.AST, _: Module) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in ("exec", "exec_", "processEvents")


MONEY = re.compile(r"(^|_)(usd|cost|costs|price|prices|budget|spent|spend|cap_usd)(_|$)")


def _money_as_float(node: ast.AST, _: Module) -> bool:
    if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
        name = node.arg if isinstance(node, ast.arg) else dotted(node.target).rsplit(".", maxsplit=1)[-1]
        return bool(MONEY.search(name)) and re.search(r"\bfloat\b", ast.unparse(node.annotation)) is not None
    if isinstance(node, ast.Call) and dotted(node.func) == "float" and node.args:
        return bool(MONEY.search(dotted(node.args[0]).rsplit(".", maxsplit=1)[-1]))
    return False


def _may_wait(node: ast.AST, module: Module) -> bool:
    """Opening by name for reading or writing, otherwise than through `open_regular`; folders cannot be waited for."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("read_bytes", "read_text"):
        return True
    if dotted(node.func) == "os.open":
        return "os.O_DIRECTORY" not in ast.unparse(node)
    if dotted(node.func) != "open" or not node.args:
        return False
    is_open_already = dotted(node.args[0]) in ("fd", "descriptor")
    return not is_open_already and not _calls("open_regular")(node.args[0], module)


EMPTY_NAMES = re.compile(r"(^|_)(manager|helpers?|utils?|common|misc)$|^data$")
EMPTY_CLASSES = re.compile(r"(Manager|Helpers?|Utils?|Common|Misc|[a-z]Data)$|^Data$")


def _says_nothing(node: ast.AST, module: Module) -> bool:
    if isinstance(node, ast.Module):
        parts = module.place.removesuffix(".py").split("/")
        return any(EMPTY_NAMES.search(part) for part in parts)
    return isinstance(node, ast.ClassDef) and bool(EMPTY_CLASSES.search(node.name))


TIP_TEXT = {"setToolTip": 0, "showText": 1, "setItemData": 1, "setTabToolTip": 1}
"""Methods that take a tooltip, and the place of its text."""


def _tip_may_be_html(node: ast.AST, module: Module) -> bool:
    """A tooltip's text that `tips.tip` did not make; a model that gives tooltips and is no RowsModel, which asks it."""
    if module.room != "ui":
        return False
    if isinstance(node, ast.ClassDef):
        bases = {dotted(base).rsplit(".", maxsplit=1)[-1] for base in node.bases}
        is_own_model = any(base.startswith("QAbstract") and base.endswith("Model") for base in bases)
        return is_own_model and "ToolTipRole" in ast.unparse(node) and "tip(" not in ast.unparse(node)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    place = TIP_TEXT.get(node.func.attr)
    if place is None or len(node.args) <= place:
        return False
    if node.func.attr == "setItemData" and "ToolTipRole" not in ast.unparse(node):
        return False
    text = node.args[place]
    return not _is_constant(text, "") and not (isinstance(text, ast.Call) and dotted(text.func) == "tip")


def _no_docstring(node: ast.AST, _: Module) -> bool:
    return isinstance(node, ast.Module) and not ast.get_docstring(node)


def _no_future_annotations(node: ast.AST, module: Module) -> bool:
    return (
        isinstance(node, ast.Module)
        and any(
            isinstance(s, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom) for s in node.body
        )
        and "from __future__ import annotations" not in module.text
    )


def _imports(*names: str) -> Callable[[ast.AST, Module], bool]:
    def breaks(node: ast.AST, module: Module) -> bool:
        return isinstance(node, ast.Module) and any(
            name.split(".")[0] in names for name, _ in imported(module)
        )

    return breaks


RULES = (
    Rule(
        "shell=True",
        "a shell re-reads an argument that a workflow file or an agent gave us; argv goes as a list",
        _sets_keyword("shell", False),
    ),
    Rule(
        "preexec_fn",
        "it makes the whole app fork with its memory: forty starts froze the window for over a second; the shim is small",
        _sets_keyword("preexec_fn", None),
    ),
    Rule(
        "os.system",
        "there is one way to start programs, with argv as a list",
        _calls("os.system", "os.popen"),
    ),
    Rule(
        "swallowed exception",
        "a fault that nobody hears of is told to nobody; name it and say why it is harmless",
        _swallows_everything,
    ),
    Rule(
        "swallowed cancellation",
        "a task that survives its cancel keeps a run alive that was stopped",
        _swallows_cancellation,
    ),
    Rule(
        "time.sleep",
        "it stops a loop or hides a missing condition; wait for the condition with a deadline",
        _outside(("shim",), _calls("time.sleep", "sleep")),
    ),
    Rule(
        "bare task",
        "a task without a group has no owner: its errors and its end are seen by nobody (style rule 24)",
        _calls("asyncio.create_task", "asyncio.ensure_future", "ensure_future", "create_task"),
    ),
    Rule(
        "open that may wait",
        "a named pipe in a file's place, or one that an agent names, holds up who opens it for ever; use store.regular",
        _may_wait,
    ),
    Rule("print", "stdout belongs to the terminal's verbs; the rest logs", _prints),
    Rule(
        "nested Qt loop",
        "exec() and processEvents() run Qt inside a task and break every other task under qasync; use open() and finished",
        _inside(("ui", "bootstrap.py"), _nested_loop),
    ),
    Rule("money as float", "0.1 + 0.2: money is Decimal from the wire to the label", _money_as_float),
    Rule(
        "name that says nothing",
        "manager, helper, utils, common, misc and data collect what belongs elsewhere",
        _says_nothing,
    ),
    Rule("module docstring", "it says what lives here and what must not", _no_docstring),
    Rule(
        "future annotations",
        "one rule for all modules: annotations are not evaluated",
        _no_future_annotations,
    ),
    Rule(
        "pickle",
        "a file must not be able to run code when it is read",
        _imports("pickle", "marshal", "shelve", "dill"),
    ),
    Rule(
        "tooltip that may be HTML",
        "foreign text in a tooltip would be rendered: every one is made by ui/tips.py",
        _tip_may_be_html,
    ),
    Rule(
        "waitpid in the app",
        "shims are watched by pidfd and socket end; a waitpid of ours would steal a status from somebody",
        _inside(
            ("engine", "ui", "cli", "bootstrap.py"), _calls("os.waitpid", "os.wait", "os.wait4", "os.waitid")
        ),
    ),
    Rule(
        "network of our own",
        "Quarterdeck opens no connection but to agents' own sockets on this machine",
        _imports("urllib3", "requests", "httpx", "aiohttp", "http", "smtplib", "ftplib", "telnetlib"),
    ),
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_module_breaks(rule: Rule) -> None:
    broken = [
        f"app/quarterdeck/{module.place}:{getattr(node, 'lineno', 1)}"
        for module in modules()
        for node in module.nodes
        if (rule.name, module.place) not in EXCEPTIONS and rule.breaks(node, module)
    ]
    assert not broken, f"{rule.name}: {rule.why}\n" + "\n".join(broken)


def test_every_exception_is_still_needed() -> None:
    rules = {rule.name: rule for rule in RULES}
    for (name, place), reason in EXCEPTIONS.items():
        assert len(reason) > 20, (name, place)
        module = next((m for m in modules() if m.place == place), None)
        assert module is not None, f"no such module: {place}"
        assert any(rules[name].breaks(node, module) for node in module.nodes), f"no longer needed: {place}"


FAULTS = {
    "shell=True": "run('x', shell=True)",
    "preexec_fn": "Popen([], preexec_fn=f)",
    "os.system": "import os\nos.system('x')",
    "swallowed exception": "try:\n    f()\nexcept Exception:\n    pass",
    "swallowed cancellation": "try:\n    f()\nexcept asyncio.CancelledError:\n    x = 1",
    "time.sleep": "time.sleep(1)",
    "bare task": "asyncio.create_task(f())",
    "open that may wait": "open(path)",
    "print": "print(1)",
    "nested Qt loop": "dialog.exec()",
    "money as float": "cost_usd: float = 0.0",
    "name that says nothing": "class RunManager: ...",
    "module docstring": "x = 1",
    "future annotations": "import os",
    "pickle": "import pickle",
    "tooltip that may be HTML": "self.setToolTip(row.title)",
    "waitpid in the app": "os.waitpid(1, 0)",
    "network of our own": "import requests",
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_sees_its_fault_and_not_a_sound_module(rule: Rule) -> None:
    path = next(m for m in modules() if m.room == "ui").path
    faulty = Module(path, FAULTS[rule.name], ast.parse(FAULTS[rule.name]))
    assert any(rule.breaks(node, faulty) for node in faulty.nodes)
    text = '"""Sound."""\n\nfrom __future__ import annotations\n\nimport os\n\ncost_usd: Decimal = Decimal(0)\nrun([], shell=False)\n'
    sound = Module(path, text, ast.parse(text))
    assert not any(rule.breaks(node, sound) for node in sound.nodes)
