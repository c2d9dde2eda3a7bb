"""What the nodes that follow are told of an output that is lost: never an empty one."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.engine.node_values import OutputLost, read_output
from quarterdeck.store.attempts import AttemptFolder
from tests.domain.build import reports


def test_an_output_that_could_not_be_kept_is_refused_in_words(tmp_path: Path) -> None:
    """A15 row 8: who reads it hears why it is not there."""
    fold = AttemptFold()
    told = {"kind": "output", "stored": None, "size_bytes": 300_000, "problem": "no space"}
    for report in reports(told):
        fold.apply(report)
    folder = AttemptFolder.__new__(AttemptFolder)
    with pytest.raises(OutputLost, match="300,000 bytes is lost: no space"):
        read_output(fold, folder)
