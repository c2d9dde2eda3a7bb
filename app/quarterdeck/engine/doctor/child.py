"""The examination in a process of its own, as the window asks for it: what it shows is what `quarterdeck doctor` says.

A window has threads and a store of its own; what is tried must touch neither.
"""

from __future__ import annotations

import asyncio
import json
import signal
from asyncio.subprocess import PIPE, Process
from contextlib import suppress

from quarterdeck.engine.doctor.findings import Examination, Part, examination_from_json
from quarterdeck.engine.doctor.force_quit import own_command

LEASH = "--leashed"
"""The option by which it ends with whoever started it."""
WITHIN_S = 90.0
END_WITHIN_S = 8.0
"""It ends its agents first."""


async def examine_apart(part: Part) -> Examination | str:
    """The examination, or in words why there is none. Where the caller goes away, the process is ended."""
    try:
        process = await asyncio.create_subprocess_exec(
            *own_command(),
            "doctor",
            "--only",
            part.value,
            "--json",
            LEASH,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
        )
    except OSError as error:
        return f"The examination did not start: {error.strerror or error}."
    try:
        async with asyncio.timeout(WITHIN_S):
            out, complaint = await _said(process)
    except TimeoutError:
        return f"The examination did not come to its end within {WITHIN_S:g} s."
    finally:
        await _end(process)
    try:
        return examination_from_json(json.loads(out))
    except (ValueError, KeyError, TypeError):
        last = complaint.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return f"The examination ended with exit {process.returncode}: {last[:300] or 'it said nothing'}."


async def _said(process: Process) -> tuple[bytes, bytes]:
    """Both of its streams to their ends. Its stdin stays open: the end of that is our end."""
    assert process.stdout is not None
    assert process.stderr is not None
    async with asyncio.TaskGroup() as group:
        reading = [group.create_task(one.read()) for one in (process.stdout, process.stderr)]
    await process.wait()
    return reading[0].result(), reading[1].result()


async def _end(process: Process) -> None:
    """Nothing of it is left: asked first, since it ends its own agents then."""
    if process.stdin is not None:
        process.stdin.close()
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(END_WITHIN_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
