"""Every action of the window as data: id, title, menu, keys, icon, where its keys act. No Qt.

Menus, buttons, shortcuts, the command palette and the list of keys are built from this table. No key allows a command
of an agent: that stays a press on a button that was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CANVAS = "canvas"
"""Scope of single-letter keys: they act only while the canvas has the focus."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action as data. `keys`: portable sequences, the first is shown. `group`: only one of a group is checked."""

    id: str
    title: str
    menu: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    scope: str = ""
    group: str = ""
    checkable: bool = False
    said: str = ""
    """More words for the search in the palette."""


SPECS = (
    ActionSpec("open_folder", "Open folder…", "File", ("Ctrl+O",), "folder-open", said="workspace workflow"),
    ActionSpec("open_practice", "Open Practice night", "File", (), "graduation-cap", said="example demo try"),
    ActionSpec("reload", "Reload workflows", "File", ("F5",), "refresh-cw"),
    ActionSpec("export_csv", "Export the run list as CSV…", "File", (), "download", said="save runs"),
    ActionSpec("export_json", "Export the run list as JSON…", "File", (), "download", said="save runs"),
    ActionSpec(
        "settings", "Settings…", "File", ("Ctrl+,",), "settings", said="preferences theme scale notices"
    ),
    ActionSpec("quit", "Quit", "File", ("Ctrl+Q",), "log-out", said="exit close"),
    ActionSpec("run", "Run…", "Control", ("Ctrl+Return", "Ctrl+Enter"), "play", said="launch start"),
    ActionSpec("stop", "Stop…", "Control", ("Ctrl+.",), "square", said="end cancel kill"),
    ActionSpec(
        "next_waiting", "Next that needs you", "Control", ("Ctrl+Shift+A",), "hand", said="question approval"
    ),
    ActionSpec("previous_run", "Previous live run", "Control", ("[",), scope=CANVAS),
    ActionSpec("next_run", "Next live run", "Control", ("]",), scope=CANVAS),
    ActionSpec("palette", "Search or run a command", "View", ("Ctrl+K",), "search", said="palette find"),
    ActionSpec("find", "Find here", "View", ("Ctrl+F",), "file-search", said="search filter"),
    ActionSpec("go_runs", "Go to runs", "View", ("Ctrl+1",), "history"),
    ActionSpec("go_canvas", "Go to canvas", "View", ("Ctrl+2",), "workflow", said="workflow"),
    ActionSpec("go_inspector", "Go to inspector", "View", ("Ctrl+3",), "panel-right"),
    ActionSpec("go_agents", "Go to agents", "View", ("Ctrl+4",), "bot", said="outline"),
    ActionSpec(
        "go_timeline", "Timeline and spend", "View", ("Ctrl+T",), "chart-gantt", said="analytics cost runs"
    ),
    ActionSpec("go_activity", "Go to activity", "View", ("Ctrl+5",), "activity", said="events feed"),
    ActionSpec("go_run_timeline", "Go to the run's timeline", "View", ("Ctrl+6",), "chart-column"),
    ActionSpec("go_problems", "Go to problems", "View", ("Ctrl+7",), "triangle-alert", said="errors failed"),
    ActionSpec("go_log", "Go to the app log", "View", ("Ctrl+8",), "scroll-text", said="faults"),
    ActionSpec("toggle_bottom", "Show or hide the bottom panel", "View", ("Ctrl+J",), "panel-bottom"),
    ActionSpec("open_transcript", "Open transcript", "View", ("Ctrl+Shift+T",), "file-text"),
    ActionSpec("go_files", "Go to files of the agent", "View", (), "folder-open", said="artifacts outputs"),
    ActionSpec("fit", "Fit the workflow", "View", ("Shift+1",), "maximize", scope=CANVAS),
    ActionSpec("fit_chosen", "Fit the chosen node", "View", ("Shift+2",), "scan", scope=CANVAS),
    ActionSpec("zoom_full", "100 %", "View", ("Ctrl+0",), "scan", said="zoom"),
    ActionSpec("zoom_in", "Zoom in", "View", ("Ctrl++", "Ctrl+="), "plus"),
    ActionSpec("zoom_out", "Zoom out", "View", ("Ctrl+-",), "minus"),
    ActionSpec("reset_layout", "Reset layout", "View", (), "panel-left", said="docks panels"),
    ActionSpec(
        "scheme_system",
        "Colours as the system says",
        "Appearance",
        (),
        "monitor",
        group="scheme",
        said="theme",
    ),
    ActionSpec("scheme_light", "Light", "Appearance", (), "sun", group="scheme", said="theme colours"),
    ActionSpec("scheme_dark", "Dark", "Appearance", (), "moon", group="scheme", said="theme colours"),
    ActionSpec(
        "scheme_high-contrast", "High contrast", "Appearance", (), "contrast", group="scheme", said="theme"
    ),
    ActionSpec("reduce_motion", "Reduce motion", "Appearance", (), checkable=True, said="animation"),
    ActionSpec("keys", "Keys…", "Help", ("Ctrl+/", "F1"), "keyboard", said="shortcuts help rebind"),
    ActionSpec("about", "About Quarterdeck", "Help", (), "info", said="version licence privacy telemetry"),
)
MENUS = ("File", "Control", "View", "Appearance", "Help")
FIXED_KEYS: Mapping[str, str] = {"F10": "Menu", "Tab": "Next part", "Shift+Tab": "Previous part"}
"""Keys that cannot be given to an action, and what they do."""


def keys_of(rebound: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """{action id: keys in force}: those of the settings where an action has some there, else its own."""
    return {spec.id: rebound.get(spec.id, spec.keys) for spec in SPECS}


def conflict(action_id: str, key: str, rebound: Mapping[str, tuple[str, ...]]) -> str:
    """Title of what already has this key, as portable text; empty where it is free."""
    if key in FIXED_KEYS:
        return FIXED_KEYS[key]
    in_force = keys_of(rebound)
    return next((spec.title for spec in SPECS if spec.id != action_id and key in in_force[spec.id]), "")


def is_bare(key: str) -> bool:
    """A key that types a character: it may act only while the canvas has the focus."""
    held = key.split("+")[:-1] if not key.endswith("++") else key[:-2].split("+")
    named = key.rsplit("+", 1)[-1]
    is_function = len(named) > 1 and named[0] == "F" and named[1:].isdigit()
    return not ({"Ctrl", "Alt", "Meta"} & set(held)) and not is_function
