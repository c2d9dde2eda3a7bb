"""Everything about this computer, in the order in which it is shown. Blocking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from quarterdeck.engine.doctor.display import examine_display
from quarterdeck.engine.doctor.findings import Finding
from quarterdeck.engine.doctor.machine import examine_machine
from quarterdeck.engine.doctor.programs import examine_programs
from quarterdeck.engine.doctor.sign_ins import SignIns, examine_sign_ins


def examine_computer(folder: Path, sign_ins: SignIns) -> Iterator[Finding]:
    """folder: the data folder. Starts the login shell, the agent programs that are found (for their versions) and a process that
    loads the display libraries; sends nothing anywhere.
    """
    yield from examine_machine(folder)
    yield examine_display()
    yield from examine_programs()
    yield from examine_sign_ins(sign_ins)
