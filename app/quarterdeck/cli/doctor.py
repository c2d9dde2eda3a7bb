"""`doctor [--only machine|trust]`: this computer, and three promises of Quarterdeck tried with practice agents.

It opens no store of the person's: the trust checks have temporary ones, and a fork server of this process.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from quarterdeck import __version__
from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import escaped, padded
from quarterdeck.engine.doctor.findings import Examination, Finding, Health, Part, examination_to_json
from quarterdeck.engine.errors import StoreUnusable

if TYPE_CHECKING:
    from quarterdeck.engine.app_log import AppLog
    from quarterdeck.engine.door import Door
    from quarterdeck.shim.client import ForkServer

WORDS = {
    Health.FINE: "ok",
    Health.NOTE: "note",
    Health.BROKEN: "BROKEN",
    Health.UNCHECKED: "unchecked",
}
STATE_W, TITLE_W = 9, 20
NO_FORK_SERVER = "The process that starts agents did not come up, so nothing could be tried: {why}"


class TrialSource:
    """What the trust checks need of this process. `is_needed`: they are asked for."""

    def __init__(self, is_needed: bool) -> None:
        self._is_needed = is_needed
        self._log: AppLog | None = None
        self.fork_server: ForkServer | None = None
        self.why_not = ""

    def prepare(self) -> None:
        """Start the fork server while this process has one thread (design §4)."""
        from quarterdeck.engine.app_log import AppLog

        if self._is_needed:
            from quarterdeck.shim.client import ForkServer
            from quarterdeck.shim.errors import ForkServerFailed

            try:
                self.fork_server = ForkServer.start()
            except ForkServerFailed as error:
                self.why_not = str(error)
        self._log = AppLog.start()

    async def open(self, *, read_only: bool) -> Door:
        """None of the person's is opened here."""
        raise StoreUnusable("The doctor opens no store.")

    def close(self) -> None:
        """End the fork server and the log."""
        if self._log is not None:
            self._log.stop()
        if self.fork_server is not None:
            self.fork_server.close()


async def doctor(call: Call, source: TrialSource, only: Part | None, *, leashed: bool = False) -> int:
    """Exit 0 where nothing is broken, else 1. leashed: it ends, agents first, when its stdin does: whoever started it is gone."""
    if leashed:
        asyncio.get_running_loop().add_reader(0, _end_with_stdin)
    console, found = call.console, []
    async for finding in _findings(console, source, only):
        found.append(finding)
        if not console.as_json:
            console.print_text(finding_lines(finding))
    examination = Examination(__version__, tuple(found))
    if console.as_json:
        console.print_document(examination_to_json(examination))
    else:
        broken = [one.title for one in found if one.health is Health.BROKEN]
        console.say(escaped(f"Broken: {', '.join(broken)}." if broken else "Nothing is broken."))
    return exits.DONE if examination.is_healthy else exits.FAILED


def _end_with_stdin() -> None:
    """As SIGTERM does, whose handler is in force here."""
    if not os.read(0, 1_024):
        asyncio.get_running_loop().remove_reader(0)
        os.kill(os.getpid(), signal.SIGTERM)


async def _findings(console: Console, source: TrialSource, only: Part | None) -> AsyncIterator[Finding]:
    from quarterdeck.engine.doctor.examine import examine_computer
    from quarterdeck.engine.doctor.sign_ins import KeptSignIns
    from quarterdeck.engine.one_window import data_folder
    from quarterdeck.engine.secret_vault import SecretVault
    from quarterdeck.store.settings_part import config_folder

    if only is not Part.TRUST:
        console.say("Looking at this computer…")
        sign_ins = KeptSignIns(config_folder(), SecretVault())
        for finding in await asyncio.to_thread(lambda: list(examine_computer(data_folder(), sign_ins))):
            yield finding
    if only is Part.MACHINE:
        return
    if source.fork_server is None:
        said = NO_FORK_SERVER.format(why=source.why_not)
        yield Finding("trust", "Trust checks", Health.BROKEN, said)
        return
    from quarterdeck.engine.doctor.trust import examine_trust

    def begins(title: str) -> None:
        console.say(f"Trying with practice agents: {title}…")

    async for finding in examine_trust(source.fork_server, begins):
        yield finding


def finding_lines(finding: Finding) -> str:
    """One finding for a person: how it stands, what was found, what can be done."""
    head = f"{padded(WORDS[finding.health], STATE_W)}  {padded(escaped(finding.title), TITLE_W)}  {escaped(finding.said)}"
    indent = " " * (STATE_W + TITLE_W + 4)
    return f"{head}\n" + (f"{indent}→ {escaped(finding.to_do)}\n" if finding.to_do else "")
