"""What one attempt of a real program gave, as the product counts and judges it, and the records of it that are kept.

`tests/programs/seen/PROGRAM-VERSION.json` holds one record for each scenario. `QUARTERDECK_RECORD=1` writes what is seen;
otherwise what is seen must be what is kept.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quarterdeck.domain.endings import Ending, Evidence, facts_of, judge_end
from quarterdeck.domain.reports_fold import EMPTY, AttemptFold, Baseline
from quarterdeck.domain.retry import RetryContext
from tests.shim.harness import Running

FOLDER = Path(__file__).with_name("seen")
IS_RECORDING = bool(os.environ.get("QUARTERDECK_RECORD"))
"""Read when the tests are collected: each test has an environment of its own."""
Record = dict[str, Any]
KINDS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
EFFECT_WORDS = {"sent": "unknown", "intended": "not begun"}
"""What an effect that is open at the end of its attempt is then called."""


def fold_of(running: Running, baseline: Baseline = EMPTY) -> AttemptFold:
    """All its reports, counted as the product counts them."""
    fold = AttemptFold(baseline, reports_cost=True)
    for report in running.reports():
        fold.apply(report)
    return fold


def seen_of(running: Running, booked: Mapping[str, int], baseline: Baseline = EMPTY) -> Record:
    """What an ended attempt gave. booked: tokens that the service charged for it, by kind."""
    fold, end = fold_of(running, baseline), running.exit_file()
    judged = judge_end(facts_of(fold, Evidence.EXIT_FILE, exit_file=end), RetryContext())
    assert isinstance(judged, Ending), judged
    figures = fold.totals()
    tokens = {kind: getattr(figures.tokens, kind) for kind in booked}
    return {
        "end": judged.status.value,
        "exit": _exit(end),
        "errors": list(dict.fromkeys(map(_error, running.of_kind("error")))),
        "turns": fold.turns,
        "tokens": tokens,
        "booked": dict(booked),
        "cost_usd": None if figures.cost_usd is None else format(figures.cost_usd.normalize(), "f"),
        "cost_source": figures.cost_source,
        "cost_is_complete": figures.cost_is_complete,
        "effects": [f"{one.type} {EFFECT_WORDS.get(one.state, one.state)}" for one in fold.effects.values()],
        "questions": len(running.of_kind("approval")),
        "files": [one.name for one in fold.artifacts],
        "output": fold.has_output,
        "session": _session(fold),
    }


def _exit(end: Mapping[str, Any]) -> str:
    """Its own code or signal, where it ended by itself."""
    if end.get("after_ending"):
        return "stopped by a person"
    if end.get("over"):
        return "ended when its work was over"
    return f"exit {end['code']}" if end["signal"] is None else signal.Signals(end["signal"]).name


def _error(error: Mapping[str, Any]) -> str:
    more = [str(error[name]) for name in ("strength", "status") if error.get(name) is not None]
    passing = ["tries again"] if error.get("passing") else []
    told = ", ".join([*more, *passing])
    return f"{error['class']} ({told})" if told else str(error["class"])


def _session(fold: AttemptFold) -> str:
    if fold.session_id is None:
        return "none"
    return "kept" if fold.resumable else "begun"


# ------------------------------------------------------------------------------------------- what is kept


def path_of(program: str, version: str) -> Path:
    """The file of one program at one version."""
    return FOLDER / f"{program}-{version}.json"


def kept(path: Path) -> dict[str, Record]:
    """{scenario: record} of a file; nothing where there is none yet."""
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


BY_A_MOMENT = frozenset({("claude", "drop")})
"""Where it depends on a moment how much of an answer came before its connection broke: whether that is a turn, and whether it is tried again."""


def _settled(record: Record) -> Record:
    """Without what depends on it."""
    return {**record, "errors": record["errors"][-1:], "turns": None}


def keep_or_compare(path: Path, scenario: str, seen: Record) -> None:
    """Fails where what was seen is not what is kept; while recording it is kept from now on."""
    if not IS_RECORDING:
        known = kept(path).get(scenario)
        if known is not None and (path.name.split("-")[0], scenario) in BY_A_MOMENT:
            seen, known = _settled(seen), _settled(known)
        assert seen == known, f"QUARTERDECK_RECORD=1 keeps what is seen now in {path.name}"
        return
    FOLDER.mkdir(exist_ok=True)
    lock = os.open(FOLDER, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = {**kept(path), scenario: seen}
        path.write_text(json.dumps(dict(sorted(whole.items())), indent=1) + "\n", "utf-8")
    finally:
        os.close(lock)
