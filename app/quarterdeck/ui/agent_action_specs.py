"""What is done with the agent that is looked at, its transcript and its files: a part of the one table. No Qt.

No key allows a command of an agent, and none goes to a button that does.
"""

from __future__ import annotations

from quarterdeck.ui.action_spec import AGENT, ActionSpec
from quarterdeck.ui.language import Texts

tr = Texts("Actions")

AGENT_SPECS = (
    ActionSpec(
        "go_answer",
        tr.later("Go to the question"),
        AGENT,
        ("Ctrl+Shift+E",),
        "hand",
        said=tr.later("answer field approval reply"),
    ),
    ActionSpec(
        "say_agent",
        tr.later("Say something to the agent"),
        AGENT,
        (),
        "message-circle",
        said=tr.later("message tell chat send"),
    ),
    ActionSpec("pause_agent", tr.later("Pause agent"), AGENT, (), "pause", said=tr.later("hold")),
    ActionSpec(
        "continue_agent", tr.later("Continue agent"), AGENT, (), "play", said=tr.later("go on unpause")
    ),
    ActionSpec("stop_agent", tr.later("Stop agent…"), AGENT, (), "square", said=tr.later("end cancel kill")),
    ActionSpec(
        "resume_agent",
        tr.later("Resume the agent…"),
        AGENT,
        (),
        "rotate-cw",
        said=tr.later("again retry attempt reopen reassign claim"),
    ),
    ActionSpec(
        "switch_agent",
        tr.later("Switch agent…"),
        AGENT,
        (),
        "git-branch",
        said=tr.later("alternative other reassign limit waiting"),
    ),
    ActionSpec(
        "raise_limit",
        tr.later("Raise limit…"),
        AGENT,
        (),
        "coins",
        said=tr.later("budget spend cap money"),
    ),
    ActionSpec(
        "copy_error", tr.later("Copy error"), AGENT, (), "copy", said=tr.later("failure problem clipboard")
    ),
    ActionSpec(
        "error_details",
        tr.later("Details of the error"),
        AGENT,
        (),
        "circle-alert",
        checkable=True,
        said=tr.later("raw text"),
    ),
    ActionSpec(
        "previous_attempt",
        tr.later("Previous attempt"),
        AGENT,
        ("Alt+Shift+Up",),
        "chevron-up",
        said=tr.later("earlier retry"),
    ),
    ActionSpec(
        "next_attempt",
        tr.later("Next attempt"),
        AGENT,
        ("Alt+Shift+Down",),
        "chevron-down",
        said=tr.later("later retry"),
    ),
    ActionSpec(
        "newest_attempt", tr.later("Newest attempt"), AGENT, (), "rotate-cw", said=tr.later("latest last")
    ),
    ActionSpec("open_transcript", tr.later("Open transcript"), AGENT, ("Ctrl+Shift+T",), "file-text"),
    ActionSpec("find_transcript", tr.later("Find in the transcript"), AGENT, (), "file-search"),
    ActionSpec(
        "raw_view",
        tr.later("Raw view of the transcript"),
        AGENT,
        (),
        "file-text",
        checkable=True,
        said=tr.later("plain output"),
    ),
    ActionSpec(
        "copy_transcript",
        tr.later("Copy transcript as Markdown"),
        AGENT,
        (),
        "copy",
        said=tr.later("clipboard export"),
    ),
    ActionSpec(
        "jump_newest", tr.later("Jump to newest"), AGENT, (), "arrow-down", said=tr.later("end follow")
    ),
    ActionSpec("copy_prompt", tr.later("Copy prompt"), AGENT, (), "copy", said=tr.later("clipboard")),
    ActionSpec(
        "copy_file_path", tr.later("Copy path of the file"), AGENT, (), "copy", said=tr.later("clipboard")
    ),
    ActionSpec("file_folder", tr.later("Open folder of the file"), AGENT, (), "folder-open"),
)
