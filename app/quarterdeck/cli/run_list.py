"""`runs --json` into a file or a pipe, without the machinery of the other verbs: what that loads would be most of its cost.

It answers only what it can answer exactly as `history.list_runs` does; for everything else (a terminal, a table, a call
that is wrong, a run that lives) `printed` says None and has written nothing, and the program takes its usual way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from quarterdeck.engine.run_lines import RunLine, outcome_of, run_lines, workflow_of

DATA_DIR_VARIABLE = "QUARTERDECK_DATA_DIR"
PIECE_LINES = 200
SHORTEST_SECRET = 6
_REASON = re.compile(rb'"reason":"((?:[^"\\]|\\.)+)"')
_OPTIONS = ("--workflow", "--state")
_STATES = ("live", "ended", "interrupted")


def printed(argv: Sequence[str], out: int = 1) -> int | None:
    """The exit code of a call that was answered on the descriptor `out`; None where this is not for here."""
    asked = _asked(argv)
    folder = os.environ.get(DATA_DIR_VARIABLE) or _default_folder()
    if asked is None or os.isatty(out) or os.path.exists(f"{folder}/damaged"):
        return None
    found = run_lines(folder)
    if found is None:
        return None
    workflow, state = asked.get("--workflow"), asked.get("--state")
    chosen = found if not asked else [line for line in found if _fits(line, workflow, state)]
    texts = [text for _, _, text in chosen]
    if _may_tell_secrets(texts):
        return None
    try:
        _write_list(out, texts)
    except BrokenPipeError:  # who read it has seen enough
        return 0
    except OSError as fault:
        return _told_lost(fault)
    return 0


def _may_tell_secrets(texts: list[bytes]) -> bool:
    """Whether the value of a variable stands in some run's words: what is a secret of that is known by the usual way."""
    reasons = b"\n".join(found for text in texts for found in _REASON.findall(text))
    values = (value for value in os.environ.values() if len(value) >= SHORTEST_SECRET)
    return any(_as_json(value) in reasons for value in values)


def _as_json(value: str) -> bytes:
    return value.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogateescape")


def _told_lost(fault: OSError) -> int:
    from quarterdeck.cli.console import Console, FdSink
    from quarterdeck.cli.failures import tell

    return tell(Console(FdSink(1, "utf-8"), FdSink(2, "utf-8"), None), fault)


def _asked(argv: Sequence[str]) -> dict[str, str] | None:
    words = iter(argv)
    if next(words, None) != "runs" or "--json" not in argv:
        return None
    asked: dict[str, str] = {}
    for word in words:
        if word in _OPTIONS and word not in asked:
            value = next(words, "-")
            if value.startswith("-"):
                return None
            asked[word] = value
        elif word != "--json":
            return None
    return asked if asked.get("--state", "ended") in _STATES else None


def _default_folder() -> str:
    import platformdirs

    return platformdirs.user_data_dir("quarterdeck", appauthor=False)


def _fits(line: RunLine, workflow: str | None, state: str | None) -> bool:
    """As `history` chooses, among runs that have ended."""
    if workflow is not None:
        found, name = workflow_of(line)
        if workflow != found and workflow.casefold() != name.casefold():
            return False
    return state != "live" and (state != "interrupted" or outcome_of(line) == "interrupted")


def _write_list(out: int, texts: list[bytes]) -> None:
    """In pieces: the whole list once more in memory would cost more than writing it. Raises BrokenPipeError and OutputLost."""
    before = b'{"runs":['
    for start in range(0, len(texts), PIECE_LINES):
        _write(out, before + b",".join(texts[start : start + PIECE_LINES]))
        before = b","
    _write(out, b'],"unreadable":[]}\n' if texts else b'{"runs":[],"unreadable":[]}\n')


def _write(out: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        try:
            view = view[os.write(out, view) :]
        except OSError:  # whatever it is, it is told or waited out as by the other verbs
            from quarterdeck.cli.console import FdSink

            FdSink(out, "utf-8").write(bytes(view))
            return
