"""Every action of the window as data, in one table: what `agent_action_specs` has stands among it. No Qt.

Menus, buttons, shortcuts, the command palette and the list of keys are built from this table. No key allows a command
of an agent: that stays a press on a button that was read.
"""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.ui.action_spec import APPEARANCE, CANVAS, CONTROL, FILE, HELP, VIEW, ActionSpec
from quarterdeck.ui.agent_action_specs import AGENT_SPECS
from quarterdeck.ui.doctor.action_specs import DOCTOR_SPECS
from quarterdeck.ui.language import Texts, shown

tr = Texts("Actions")

SPECS = (
    ActionSpec(
        "open_folder",
        tr.later("Open folder…"),
        FILE,
        ("Ctrl+O",),
        "folder-open",
        said=tr.later("workspace workflow"),
    ),
    ActionSpec(
        "open_practice",
        tr.later("Open Practice night"),
        FILE,
        (),
        "graduation-cap",
        said=tr.later("example demo try"),
    ),
    ActionSpec("reload", tr.later("Reload workflows"), FILE, ("F5",), "refresh-cw"),
    ActionSpec(
        "export_csv",
        tr.later("Export the run list as CSV…"),
        FILE,
        (),
        "download",
        said=tr.later("save runs"),
    ),
    ActionSpec(
        "export_json",
        tr.later("Export the run list as JSON…"),
        FILE,
        (),
        "download",
        said=tr.later("save runs"),
    ),
    ActionSpec(
        "export_run",
        tr.later("Export the run…"),
        FILE,
        (),
        "download",
        said=tr.later("save report markdown json hand on"),
    ),
    ActionSpec(
        "export_spend",
        tr.later("Export spend as CSV…"),
        FILE,
        (),
        "download",
        said=tr.later("save cost money ledger"),
    ),
    ActionSpec(
        "edit_workflow",
        tr.later("Open the workflow in an editor"),
        FILE,
        (),
        "external-link",
        said=tr.later("file text"),
    ),
    ActionSpec(
        "import_mcp",
        tr.later("Import MCP servers…"),
        FILE,
        (),
        "link",
        said=tr.later("mcp.json tools servers agent take over"),
    ),
    ActionSpec("try_again", tr.later("Try to open the records again"), FILE, (), "refresh-cw"),
    ActionSpec(
        "settings",
        tr.later("Settings…"),
        FILE,
        ("Ctrl+,",),
        "settings",
        said=tr.later("preferences theme scale notices"),
    ),
    ActionSpec(
        "sign_ins",
        tr.later("Sign-ins…"),
        FILE,
        (),
        "lock",
        said=tr.later("credentials api key login token keyring account"),
    ),
    ActionSpec(
        "budgets",
        tr.later("Budgets…"),
        FILE,
        (),
        "coins",
        said=tr.later("limit spend cap money night workflow"),
    ),
    ActionSpec("quit", tr.later("Quit"), FILE, ("Ctrl+Q",), "log-out", said=tr.later("exit close")),
    ActionSpec(
        "run", tr.later("Run…"), CONTROL, ("Ctrl+Return", "Ctrl+Enter"), "play", said=tr.later("launch start")
    ),
    ActionSpec("stop", tr.later("Stop…"), CONTROL, ("Ctrl+.",), "square", said=tr.later("end cancel kill")),
    ActionSpec(
        "stop_run",
        tr.later("Stop the run…"),
        CONTROL,
        (),
        "square",
        said=tr.later("end cancel kill"),
    ),
    ActionSpec(
        "try_limited",
        tr.later("Try again before the limit resets"),
        CONTROL,
        (),
        "hourglass",
        said=tr.later("rate usage limit wait now"),
    ),
    ActionSpec(
        "compare_runs",
        tr.later("Compare runs…"),
        CONTROL,
        (),
        "git-compare",
        said=tr.later("difference side by side"),
    ),
    ActionSpec("copy_run_id", tr.later("Copy run id"), CONTROL, (), "copy", said=tr.later("clipboard")),
    ActionSpec(
        "record_files",
        tr.later("Show record files"),
        CONTROL,
        (),
        "folder-open",
        said=tr.later("journal folder reports"),
    ),
    ActionSpec(
        "interrupted",
        tr.later("Interrupted runs…"),
        CONTROL,
        (),
        "unplug",
        said=tr.later("crash recovery closed killed prompt"),
    ),
    ActionSpec(
        "pin_run", tr.later("Pin run"), CONTROL, (), "pin", said=tr.later("keep hold never evict protect")
    ),
    ActionSpec(
        "unpin_run", tr.later("Unpin run"), CONTROL, (), "pin-off", said=tr.later("let go release keep")
    ),
    ActionSpec(
        "discard_run",
        tr.later("Discard the run…"),
        CONTROL,
        (),
        "",
        said=tr.later("delete remove records"),
    ),
    ActionSpec(
        "discarded_runs",
        tr.later("Discarded runs…"),
        CONTROL,
        (),
        "history",
        said=tr.later("undo bring back deleted"),
    ),
    ActionSpec("undo_discard", tr.later("Undo discard"), CONTROL, (), "history"),
    ActionSpec(
        "simulate_crash",
        tr.later("Simulate a crash…"),
        CONTROL,
        (),
        "unplug",
        said=tr.later("practice kill recovery demo try"),
    ),
    ActionSpec(
        "next_waiting",
        tr.later("Next that needs you"),
        CONTROL,
        ("Ctrl+Shift+A",),
        "hand",
        said=tr.later("question approval"),
    ),
    ActionSpec("previous_run", tr.later("Previous live run"), CONTROL, ("[",), scope=CANVAS),
    ActionSpec("next_run", tr.later("Next live run"), CONTROL, ("]",), scope=CANVAS),
    *AGENT_SPECS,
    ActionSpec(
        "palette",
        tr.later("Search or run a command"),
        VIEW,
        ("Ctrl+K",),
        "search",
        said=tr.later("palette find"),
    ),
    ActionSpec(
        "find", tr.later("Find here"), VIEW, ("Ctrl+F",), "file-search", said=tr.later("search filter")
    ),
    ActionSpec("go_runs", tr.later("Go to runs"), VIEW, ("Ctrl+1",), "history"),
    ActionSpec(
        "go_canvas", tr.later("Go to canvas"), VIEW, ("Ctrl+2",), "workflow", said=tr.later("workflow")
    ),
    ActionSpec("go_inspector", tr.later("Go to inspector"), VIEW, ("Ctrl+3",), "panel-right"),
    ActionSpec("go_agents", tr.later("Go to agents"), VIEW, ("Ctrl+4",), "bot", said=tr.later("outline")),
    ActionSpec(
        "go_timeline",
        tr.later("Timeline and spend"),
        VIEW,
        ("Ctrl+T",),
        "chart-gantt",
        said=tr.later("analytics cost runs"),
    ),
    ActionSpec(
        "go_activity", tr.later("Go to activity"), VIEW, ("Ctrl+5",), "activity", said=tr.later("events feed")
    ),
    ActionSpec("go_run_timeline", tr.later("Go to the run's timeline"), VIEW, ("Ctrl+6",), "chart-column"),
    ActionSpec(
        "go_questions",
        tr.later("Go to the questions"),
        VIEW,
        ("Ctrl+9",),
        "message-circle-question-mark",
        said=tr.later("queue approval needs you"),
    ),
    ActionSpec(
        "go_problems",
        tr.later("Go to problems"),
        VIEW,
        ("Ctrl+7",),
        "triangle-alert",
        said=tr.later("errors failed"),
    ),
    ActionSpec(
        "go_log", tr.later("Go to the app log"), VIEW, ("Ctrl+8",), "scroll-text", said=tr.later("faults")
    ),
    ActionSpec("toggle_bottom", tr.later("Show or hide the bottom panel"), VIEW, ("Ctrl+J",), "panel-bottom"),
    ActionSpec(
        "go_files",
        tr.later("Go to files of the agent"),
        VIEW,
        (),
        "folder-open",
        said=tr.later("artifacts outputs"),
    ),
    ActionSpec(
        "filter_runs", tr.later("Filter runs"), VIEW, (), "funnel", checkable=True, said=tr.later("narrow")
    ),
    ActionSpec("copy_log", tr.later("Copy the shown log lines"), VIEW, (), "copy"),
    ActionSpec(
        "context_menu",
        tr.later("Menu of what is chosen"),
        VIEW,
        ("Shift+F10", "Menu"),
        "ellipsis",
        said=tr.later("context right click"),
    ),
    ActionSpec("fit", tr.later("Fit the workflow"), VIEW, ("Shift+1",), "maximize", scope=CANVAS),
    ActionSpec("fit_chosen", tr.later("Fit the chosen node"), VIEW, ("Shift+2",), "scan", scope=CANVAS),
    ActionSpec("zoom_full", tr.later("100 %"), VIEW, ("Ctrl+0",), "scan", said=tr.later("zoom")),
    ActionSpec("zoom_in", tr.later("Zoom in"), VIEW, ("Ctrl++", "Ctrl+="), "plus"),
    ActionSpec("zoom_out", tr.later("Zoom out"), VIEW, ("Ctrl+-",), "minus"),
    ActionSpec(
        "reset_layout", tr.later("Reset layout"), VIEW, (), "panel-left", said=tr.later("docks panels")
    ),
    ActionSpec(
        "scheme_system",
        tr.later("Colours as the system says"),
        APPEARANCE,
        (),
        "monitor",
        group="scheme",
        said=tr.later("theme"),
    ),
    ActionSpec(
        "scheme_light",
        tr.later("Light"),
        APPEARANCE,
        (),
        "sun",
        group="scheme",
        said=tr.later("theme colours"),
    ),
    ActionSpec(
        "scheme_dark",
        tr.later("Dark"),
        APPEARANCE,
        (),
        "moon",
        group="scheme",
        said=tr.later("theme colours"),
    ),
    ActionSpec(
        "scheme_high-contrast",
        tr.later("High contrast"),
        APPEARANCE,
        (),
        "contrast",
        group="scheme",
        said=tr.later("theme"),
    ),
    ActionSpec(
        "reduce_motion", tr.later("Reduce motion"), APPEARANCE, (), checkable=True, said=tr.later("animation")
    ),
    ActionSpec(
        "keys", tr.later("Keys…"), HELP, ("Ctrl+/", "F1"), "keyboard", said=tr.later("shortcuts help rebind")
    ),
    ActionSpec(
        "look_agents",
        tr.later("Look for agent programs"),
        HELP,
        (),
        "bot",
        said=tr.later("welcome first installed version claude codex gemini PATH"),
    ),
    *DOCTOR_SPECS,
    ActionSpec(
        "about",
        tr.later("About Quarterdeck"),
        HELP,
        (),
        "info",
        said=tr.later("version licence privacy telemetry"),
    ),
)
FIXED_KEYS: Mapping[str, str] = {
    "F10": tr.later("Menu"),
    "Tab": tr.later("Next part"),
    "Shift+Tab": tr.later("Previous part"),
}
"""Keys that cannot be given to an action, and what they do."""


def keys_of(rebound: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """{action id: keys in force}: those of the settings where an action has some there, else its own."""
    return {spec.id: rebound.get(spec.id, spec.keys) for spec in SPECS}


def conflict(action_id: str, key: str, rebound: Mapping[str, tuple[str, ...]]) -> str:
    """Title of what already has this key, as portable text; empty where it is free."""
    if key in FIXED_KEYS:
        return shown(FIXED_KEYS[key])
    in_force = keys_of(rebound)
    return next((spec.words for spec in SPECS if spec.id != action_id and key in in_force[spec.id]), "")


def is_bare(key: str) -> bool:
    """A key that types a character: it may act only while the canvas has the focus."""
    held = key.split("+")[:-1] if not key.endswith("++") else key[:-2].split("+")
    named = key.rsplit("+", 1)[-1]
    is_function = len(named) > 1 and named[0] == "F" and named[1:].isdigit()
    return not ({"Ctrl", "Alt", "Meta"} & set(held)) and not is_function and named != "Menu"
