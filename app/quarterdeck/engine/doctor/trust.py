"""The three trust checks: each in a temporary data folder of its own, bounded in time, judged one after the other."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from quarterdeck.engine.doctor import dead_sign_in, force_quit, twin_runs
from quarterdeck.engine.doctor.findings import Finding, Health
from quarterdeck.engine.doctor.ground import Ground, PromiseBroken
from quarterdeck.engine.errors import EngineError
from quarterdeck.shim.client import ForkServer

WITHIN_S = 19.0
"""One check; all three within a minute."""
Check = Callable[[Ground], Awaitable[str]]
TO_DO = "Do not trust what is shown of runs on this computer before this is understood: `quarterdeck doctor --json` has the figures."


async def examine_trust(
    fork_server: ForkServer, begins: Callable[[str], object] = lambda title: None
) -> AsyncIterator[Finding]:
    """The findings, each once it is known. begins: called with the title of each check before it is tried."""
    checks: tuple[tuple[str, str, Check], ...] = (
        ("trust.twin-runs", twin_runs.TITLE, twin_runs.twin_runs),
        ("trust.force-quit", force_quit.TITLE, force_quit.force_quit),
        ("trust.dead-sign-in", dead_sign_in.TITLE, dead_sign_in.dead_sign_in),
    )
    for name, title, check in checks:
        begins(title)
        yield await try_one(name, title, check, fork_server)


async def try_one(name: str, title: str, check: Check, fork_server: ForkServer) -> Finding:
    """Try one promise in a folder of its own, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="quarterdeck-doctor-", ignore_cleanup_errors=True) as folder:
        ground = Ground(Path(folder), fork_server)
        try:
            async with asyncio.timeout(WITHIN_S):
                said = await check(ground)
        except PromiseBroken as broken:
            return Finding(name, title, Health.BROKEN, str(broken), TO_DO, ground.facts)
        except TimeoutError:
            said = f"It did not come to its end within {WITHIN_S:g} s, so nothing is known."
            return Finding(
                name, title, Health.BROKEN, said, "Try again when the computer is less busy.", ground.facts
            )
        except (EngineError, OSError) as error:
            said = f"It could not be tried: {error}."
            return Finding(name, title, Health.BROKEN, said, TO_DO, ground.facts)
        return Finding(name, title, Health.FINE, said, facts=ground.facts)
