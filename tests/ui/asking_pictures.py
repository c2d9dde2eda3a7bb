"""Pictures of what asks a person beside the canvas, for people to look at: python -m tests.ui.asking_pictures [FOLDER]. Not a test.

Sign-ins, budgets, the page *Doctor*, the import of MCP servers, the queue of questions, the trust of a foreign workflow, and
records that are only read. Each empty and full where that is another picture.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog

from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.shared_limits import SharedLimits, SharedSpending, Standing, Sum
from quarterdeck.domain.sign_ins import Credential, CredentialKind, Limited, Remembered, SignInUse
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.doctor.findings import Examination, Finding, Health, Part
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.mcp_import import ImportedServer, ImportPlan
from quarterdeck.engine.planned import LaunchPreview, LoadedWorkflow, TrustAsked
from quarterdeck.engine.sign_ins import Standing as SignInsStanding
from quarterdeck.ui.dialogs.run_dialog import RunDialog
from quarterdeck.ui.theme import Scheme
from quarterdeck.ui.window import Window
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.fake_door import FakeDoor
from tests.ui.picture_command import folder_asked, run_pictures, size_asked
from tests.ui.take_pictures import NOW, SCHEMES, Camera, busy_door
from tests.ui.test_question_queue import asking
from tests.ui.test_run_trust import FIRST, ForeignDoor

LONG = "/home/ada/projects/the quarterly digest of everything/drafts/" + "section/" * 12 + "notes.md"
NEWER = (
    "/home/ada/.local/share/quarterdeck was written by a newer Quarterdeck (format 9, this version knows 1). "
    "Update Quarterdeck to open it; nothing was changed."
)
COMPUTER = Examination(
    "1.0.0",
    (
        Finding("disk", "Disk", Health.FINE, "70.0 GB are free in /home/ada/.local/share/quarterdeck."),
        Finding(
            "clock",
            "Clock",
            Health.NOTE,
            "The clock is not kept by a time service.",
            "timedatectl set-ntp true",
        ),
        Finding(
            "display",
            "Display libraries",
            Health.BROKEN,
            "Missing: libxcb-cursor.so.0.",
            "apt-get install libxcb-cursor0",
        ),
        Finding(
            "keyring",
            "Keyring",
            Health.UNCHECKED,
            f"It did not answer within 5 s; keys are then kept for the life of the process. {LONG}",
        ),
        Finding("sleep", "Sleep", Health.FINE, "While a run is live the computer does not go to sleep."),
    ),
)
PROMISES = Examination(
    "1.0.0",
    (
        Finding("trust.force-quit", "Force quit", Health.FINE, "Everything that was recorded is there, and no process was left."),
        Finding("trust.twin-runs", "Twin runs", Health.FINE, "Two runs of one workflow were told apart to the cent."),
        Finding("trust.dead-sign-in", "Dead sign-in", Health.FINE, "One agent failed; 39 were not started."),
    ),
)  # fmt: skip


async def _opened(camera: Camera, window: Window) -> QDialog:
    for _ in range(100):
        await asyncio.sleep(0.03)
        if window.conduct._open is not None:
            await camera.settle()
            return window.conduct._open
    raise AssertionError("no dialog came")


@asynccontextmanager
async def _window(camera: Camera, door: FakeDoor, size: tuple[int, int]) -> AsyncIterator[Window]:
    window, link, serving = await camera.window(door, size)
    yield window
    camera.theme.choose(Scheme.LIGHT)
    await camera.close(window, link, serving)


async def _in_each(camera: Camera, name: str, shown: Callable[[], Window | QDialog]) -> None:
    for scheme in SCHEMES:
        camera.theme.choose(scheme)
        await camera.settle()
        await camera.snap(shown(), name)
    camera.theme.choose(Scheme.LIGHT)
    await camera.settle()


async def _dialog(camera: Camera, window: Window, action: str, name: str) -> None:
    window.actions_[action].trigger()
    dialog = await _opened(camera, window)
    await _in_each(camera, name, lambda: dialog)
    dialog.reject()
    await camera.settle()


def _use(source: str, title: str, attempt: str) -> SignInUse:
    return SignInUse(attempt, "r-1", "Night", title, source, "claude-code")


async def sign_ins(camera: Camera, size: tuple[int, int]) -> None:
    """The list empty; then with entries, a failure that is remembered and a limit."""
    async with _window(camera, FakeDoor((made.loaded(),)), size) as window:
        await _dialog(camera, window, "sign_ins", "sign-ins-empty")
    door = busy_door()
    for entry in (
        Credential("anthropic", CredentialKind.API_KEY, "claude-code", account="the team's"),
        Credential("own", CredentialKind.OWN_LOGIN, "codex"),
        Credential("router", CredentialKind.ENVIRONMENT, endpoint="https://router.example/v1", variable="ROUTER_KEY"),
    ):  # fmt: skip
        door.sign_ins.entries[entry.name] = entry
    door.sign_ins.secrets.add("anthropic")
    failed = Remembered(_use("login:claude-code", "Web researcher", "a-1"), NOW.wall_ms - 240_000, "401", 39)
    limit = Limited(
        _use("router", "Drafter", "a-2"), "usage_limit", "weekly", NOW.wall_ms + 3_600_000, True, waiting=12
    )
    async with _window(camera, door, size) as window:
        door.sign_ins.stand(SignInsStanding((failed,), (limit,)))
        await camera.settle()
        await _in_each(camera, "sign-in-failed", lambda: window)
        await _dialog(camera, window, "sign_ins", "sign-ins")


async def budgets(camera: Camera, size: tuple[int, int]) -> None:
    """No limit; then one of the night that is nearly spent and one of the workflow that is."""
    async with _window(camera, FakeDoor((made.loaded(),)), size) as window:
        await _dialog(camera, window, "budgets", "budgets-none")
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    since = NOW.wall_ms - 1_159_000 - 19 * 3_600_000
    door.spending = SharedSpending(
        (
            Standing(Shared.NIGHT, None, Decimal(20), Sum(Decimal("16.40"), False, "mixed"), since),
            Standing(Shared.WORKFLOW, flow.id, Decimal(50), Sum(Decimal("50.25"), True, "reported")),
        ),
        limits=SharedLimits(Decimal(20), "18:00", {flow.id: Decimal(50)}),
    )
    async with _window(camera, door, size) as window:
        await _dialog(camera, window, "budgets", "budgets")


async def doctor(camera: Camera, size: tuple[int, int]) -> None:
    """The page before anything was looked at, and with every kind of finding."""
    door = FakeDoor((made.loaded(),))
    door.household.examinations = {Part.MACHINE: COMPUTER, Part.TRUST: PROMISES}
    async with _window(camera, door, size) as window:
        window.actions_["doctor"].trigger()
        await camera.settle()
        await _in_each(camera, "doctor-before", lambda: window)
        for name in ("check_computer", "try_promises"):
            window.actions_[name].trigger()
            await camera.settle()
        await _in_each(camera, "doctor", lambda: window)


async def imports(camera: Camera, size: tuple[int, int]) -> None:
    """Servers that would be written, with all that is left out."""
    file = made.loaded()
    servers = (
        ImportedServer("files", "npx -y @example/server-files " + LONG, replaces=True, notes=("The value of KEY is not taken over.",)),
        *(ImportedServer(f"web{n}", f"https://mcp.example/{n}", replaces=False) for n in range(9)),
    )  # fmt: skip
    left_out = ("“odd” is left out: it is no object.",)
    plan = ImportPlan(file.path, "writer", Path("/folder/.mcp.json"), servers, left_out, ("KEY",), b"", b"")
    agents = {**file.workflow.agents, "writer": AgentSpec("writer", "claude-code")}
    door = FakeDoor((LoadedWorkflow(file.path, replace(file.workflow, agents=agents)),))
    door.household.plan = plan
    async with _window(camera, door, size) as window:
        await _dialog(camera, window, "import_mcp", "import-mcp")


async def questions(camera: Camera, size: tuple[int, int]) -> None:
    """The queue empty; then one of each kind: a command, a file to be written, a question of the agent's own, the workflow's."""
    async with _window(camera, FakeDoor((made.loaded(),)), size) as window:
        window.actions_["go_questions"].trigger()
        await camera.settle()
        await _in_each(camera, "questions-none", lambda: window)
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    leave = {"options": ("Deny", "Allow once"), "tool": "Bash", "where": "/projects/digest"}
    write = '{"input": {"content": "one\\ntwo", "file_path": "' + LONG + '"}, "tool": "Write"}'
    told = (
        ("repo", "Bash: git fetch upstream --tags", {**leave, "action": '{"input": {"command": "git fetch upstream --tags"}, "tool": "Bash"}'}),
        ("web", f"Write: {LONG}\ncontent: one\ntwo", {**leave, "tool": "Write", "action": write, "writes": LONG}),
        ("planner", "Which digest?\nweekly: as every Friday\ndaily: shorter", {"options": ("weekly", "daily"), "action": '{"tool": "AskUserQuestion"}'}),
        ("drafter", "Publish the digest?", {"attempt_id": None, "options": ("Approve", "Reject")}),
    )  # fmt: skip
    for number, (slot, words, changes) in enumerate(told, 1):
        view = made.run_view(number, {slot: "Running"}, flow, start=100 * number)
        door.put(asking(view, slot, words, 900 + number, **changes))
    async with _window(camera, door, (size[0], 1000)) as window:
        window.watching.choose_run(next(v.run_id for v in door.views.values() if v.launch_seq == 2))
        window.actions_["go_questions"].trigger()
        await asyncio.sleep(0.6)
        await _in_each(camera, "questions", lambda: window)


class _Downloaded(ForeignDoor):
    async def preview(self, request: LaunchRequest) -> LaunchPreview | Refusal:
        found = await super().preview(request)
        assert isinstance(found, LaunchPreview)
        return replace(found, trust=TrustAsked(FIRST, "/home/ada/downloads/weekly digest"))


async def trust(camera: Camera, size: tuple[int, int]) -> None:
    """The Run dialog of a workflow that was never started here."""
    async with _window(camera, _Downloaded((made.loaded(),)), size) as window:
        window.actions_["run"].trigger()
        dialog = window.findChild(RunDialog)
        assert isinstance(dialog, RunDialog)
        await asyncio.sleep(0.6)
        await _in_each(camera, "run-trust", lambda: dialog)
        dialog.reject()


async def read_only(camera: Camera, size: tuple[int, int]) -> None:
    """Records of a newer version, and the prompt over them."""
    door = left.door_over(left.owed_two())
    door.keeping.read_only = NEWER
    async with _window(camera, door, size) as window:
        for _ in range(100):
            await asyncio.sleep(0.03)
            if window.after_crash.dialog is not None and window.records.read_only:
                break
        dialog = window.after_crash.dialog
        assert dialog is not None
        dialog.resize(920, 706)
        await _in_each(camera, "read-only-prompt", lambda: dialog)
        dialog.put_away()
        await _in_each(camera, "read-only", lambda: window)


async def take(app: QApplication, folder: Path, size: tuple[int, int]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    camera = Camera(app, folder)
    for part in (sign_ins, budgets, doctor, imports, questions, trust, read_only):
        await part(camera, size)


def main() -> None:
    run_pictures(lambda app: take(app, folder_asked(), size_asked("1440x900")))


if __name__ == "__main__":
    main()
