"""A start with 10,000 records and 50 interrupted runs opens no file of a run that had ended (REC1, STO3, STO4; strace)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.traced import can_trace, trace

ROOT = Path(__file__).parents[2]
ENDED, CUT_OFF = 10_000, 50
_OPENED = re.compile(r'open(?:at2?)?\(.*?"([^"]*runs/(r-[0-9a-f]+)/[^"]*)"')


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(bool(can_trace()), reason=can_trace())
def test_a_start_opens_only_what_a_dead_session_left(tmp_path: Path) -> None:
    """The runs that were cut off are settled, each from its own journal; the others are known from the list alone."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "app"),
        "QUARTERDECK_CONFIG_DIR": str(tmp_path / "config"),
    }
    program = [sys.executable, "-m", "tests.crash.many_records", str(tmp_path / "data")]
    made = subprocess.run([*program, str(ENDED), str(CUT_OFF)], cwd=ROOT, env=environment, check=False)
    assert made.returncode == 0
    log = tmp_path / "trace"
    started = trace(log, *program, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    told, _ = started.communicate(timeout=300)
    assert json.loads(told) == [ENDED + CUT_OFF, CUT_OFF]
    opened = [
        found.groups()
        for line in log.read_text(errors="replace").splitlines()
        if (found := _OPENED.search(line))
    ]
    touched = {run for _, run in opened}
    cut_off = {f"r-{number:032x}" for number in range(ENDED + 1, ENDED + CUT_OFF + 1)}
    assert touched == cut_off, f"files of {len(touched - cut_off)} ended runs were opened"
