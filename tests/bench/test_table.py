"""The table itself; what it shows is measured by a person, never asserted here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.bench.row import BenchRow
from tests.bench.table import as_document, as_text

TOP = Path(__file__).parents[2]
ROWS = [
    BenchRow("P1 bytes", "end of a run", 1.02, 1.1, "at most", {"few_ms": 0.51234, "peer": "not installed"}),
    BenchRow("P4", "groups", 24.0, 25, "at least", {"grouped_per_s": 123456.7}),
    BenchRow("P6", "a peer", None, 20, "at least", {}, "the peer is not installed"),
]


def test_each_row_has_its_ratio_its_goal_and_whether_it_is_met() -> None:
    lines = as_text(ROWS).splitlines()
    assert [line.split()[:2] for line in lines[1::2]] == [["P1", "bytes"], ["P4", "24.00×"], ["P6", "–"]]
    assert ["met" in lines[1], "MISSED" in lines[3], "–" in lines[5]] == [True] * 3
    assert "few_ms 0.512; peer not installed" in lines[2]
    assert "grouped_per_s 123,457" in lines[4]
    assert "the peer is not installed" in lines[6]


def test_the_document_says_the_same_and_names_the_machine() -> None:
    document = json.loads(json.dumps(as_document(ROWS)))
    assert [row["holds"] for row in document["rows"]] == [True, False, None]
    assert document["rows"][0]["figures"] == {"few_ms": 0.51234, "peer": "not installed"}
    assert document["machine"]["cores"] >= 1


def test_a_goal_that_does_not_exist_is_a_usage_error() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.bench", "p99"], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert told.returncode == 2
    assert "p99" in told.stderr
