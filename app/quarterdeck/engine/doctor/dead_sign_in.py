"""Dead sign-in: many agents with one sign-in that fails. The first failure is remembered, and the others are not launched (Q3, AUT3,
AUT4).

The agents are practice agents called as any program, since a practice agent has no sign-in. Each leaves a file where it was launched:
how many were is counted by these.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from quarterdeck.agents.practice import practice_argv
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.doctor.ground import Ground, launch, require

TITLE = "Dead sign-in"
AGENTS = 8
VARIABLE = "DOCTOR_SIGN_IN"
SCRIPT = "quiet\nwrite launched-{number}: here\nfail after 100ms as auth: The sign-in has expired."
END_WITHIN_S = 16.0


async def dead_sign_in(ground: Ground) -> str:
    """What was seen, in a sentence. Raises PromiseBroken."""
    agent = {
        "kind": "command",
        "protocol": "lines",
        "argv": list(practice_argv()),
        "credential": f"env:{VARIABLE}",
    }
    nodes = [
        {
            "id": f"agent_{number}",
            "title": f"Agent {number}",
            "agent": "same",
            "prompt": SCRIPT.format(number=number),
        }
        for number in range(1, AGENTS + 1)
    ]
    path = ground.workflow(nodes, {"same": agent})
    with _one_secret():
        async with ground.engine() as engine:
            run = await launch(engine, path)
            try:
                async with asyncio.timeout(END_WITHIN_S):
                    view = await engine.wait_ended(run)
            finally:
                _launched(ground)
    launched = _launched(ground)
    attempts = sum(len(slot.attempts) for slot in view.slots)
    ground.facts["attempts"] = attempts
    require(
        launched == 1,
        f"{launched} of {AGENTS} agents were launched with a sign-in that had failed; one is what it takes to know.",
    )
    require(attempts == 1, f"{attempts} attempts were recorded, and one agent was launched.")
    told = [slot for slot in view.slots if not slot.attempts and slot.reason]
    require(len(told) == AGENTS - 1, "An agent that was not launched does not say why.")
    require(view.outcome is Outcome.FAILED, f"The run is told as {view.outcome}, not as failed.")
    return f"Of {AGENTS} agents with one dead sign-in one was launched; {len(told)} were told that it had failed, and cost nothing."


def _launched(ground: Ground) -> int:
    """How many were launched by now; among the figures, also where the run does not end in time."""
    launched = len(list(ground.folder.glob("launched-*")))
    ground.facts |= {"agents": AGENTS, "launched": launched}
    return launched


@contextmanager
def _one_secret() -> Iterator[None]:
    """A value that no sign-in of the person has, for the time of the check, in the memory of this process alone."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = secrets.token_hex(16)
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
