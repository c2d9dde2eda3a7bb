"""Trust at the first launch of a workflow in the window (ruling 26): by folder and content. It executes nothing itself; all but `launch_trusted` blocks.

The content is what a launch would pin: the workflow, what every agent of it is told and given, the programs found; and the settings
that these programs read where they work, since those start things too. Inputs are the person's own and are no part of it. Naming a file to `run` is trust for its content as it is then.
"""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarterdeck.domain.canonical import canonical_json, content_revision
from quarterdeck.domain.ids import Revision, RunId
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.launching import Checked, agent_folders, check_launch
from quarterdeck.engine.pinning import PinProblems, build_pins
from quarterdeck.engine.planned import TrustAsked
from quarterdeck.engine.program_files import file_now
from quarterdeck.engine.program_settings import settings_found
from quarterdeck.engine.programs import used_agents
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError
from quarterdeck.store.machine import now

if TYPE_CHECKING:
    from quarterdeck.engine.live_runs import LiveRuns

log = logging.getLogger(__name__)
CHANGED = (
    "The workflow, or a file that it attaches, is not what was shown. Read once more what it would start."
)


async def launch_trusted(store: Store, runs: LiveRuns, request: LaunchRequest) -> RunId | Refusal:
    """Check, ask for trust where it is to be asked for, launch, and keep that it is trusted."""
    checked = await asyncio.to_thread(lambda: check_launch(request, store.config()))
    if isinstance(checked, Refusal):
        return checked
    content = await asyncio.to_thread(trusted_content, checked)
    refused = await asyncio.to_thread(untrusted, store, request, checked, content)
    if refused is not None:
        return refused
    actor = request.actor or runs.actor
    run = await runs.launch(checked, actor)
    if not isinstance(run, Refusal):
        await asyncio.to_thread(keep_trust, store, checked.folder, content, actor, now().wall_ms)
    return run


def trust_asked(store: Store, folder: Path, content: Revision | None) -> TrustAsked | None:
    """What a person is asked before this starts; None where nothing is asked. content: of `trusted_content`."""
    if content is None:
        return None
    try:
        is_trusted = store.trusted.has(folder, content)
    except StoreError as error:
        log.warning("what is trusted cannot be read, so it is asked again: %s", error)
        is_trusted = False
    return None if is_trusted else TrustAsked(content, str(folder))


def untrusted(
    store: Store, request: LaunchRequest, checked: Checked, content: Revision | None
) -> Refusal | None:
    """Why this launch is refused (A15 row 1); None where it is not."""
    if not request.asks_trust:
        return None
    asked = trust_asked(store, checked.folder, content)
    if asked is None or asked.content == request.agreed:
        return None
    return Refusal(Code.E_UNTRUSTED, CHANGED, (("folder", asked.folder),))


def keep_trust(store: Store, folder: Path, content: Revision | None, actor: str, at_ms: int) -> None:
    """What was shown and launched is trusted from now on. A disk that does not keep it makes the question come again, and no more."""
    if content is None:
        return
    try:
        store.trusted.add(folder, content, actor, at_ms)
    except StoreError as error:
        log.warning("what is trusted in %s could not be kept: %s", folder, error)


def trusted_content(checked: Checked) -> Revision | None:
    """The revision of what is trusted; None where nothing is asked: it starts practice agents alone, or its attachments cannot be
    pinned, which the launch refuses with their names.
    """
    if _is_harmless(checked):
        return None
    try:
        pins = build_pins(checked.file, {}, "", checked.folder, content_revision, checked.programs).pins
    except PinProblems:
        return None
    folders = agent_folders(checked)
    settings = settings_found((agent.kind, place) for agent, place in folders)
    content: dict[str, Any] = {
        "workflow": pins.workflow,
        "binding": pins.binding,
        "settings": [[str(one.path), one.digest] for one in settings],
        "programs": [own_files(agent, place, checked) for agent, place in folders],
    }
    return content_revision(canonical_json(content))


def own_files(agent: AgentSpec, place: Path, checked: Checked) -> list[list[Any]]:
    """The files that its command names below the workflow's folder or its own: what they hold can be exchanged with the workflow.

    A program elsewhere on the machine is the person's own; its path is pinned.
    """
    words = [word for word in agent.argv[1:] if "{{" not in word]
    if program := checked.programs.get(agent.name):
        words.insert(0, program)
    inside = (str(checked.folder), str(place))
    found = [
        file_now(path)
        for path in dict.fromkeys(os.path.join(place, word) for word in words)
        if any(_is_below(one, top) for one in (path, os.path.realpath(path)) for top in inside)
    ]
    return [
        [one["path"], one["sha256"] or [one["size_bytes"], one["mtime_ms"]]]
        for one in found
        if one is not None
    ]


def _is_below(path: str, top: str) -> bool:
    return any(
        os.path.abspath(path).startswith(one.rstrip(os.sep) + os.sep) for one in (top, os.path.realpath(top))
    )


def _is_harmless(checked: Checked) -> bool:
    """It starts our own practice agents alone, as they are, in its own folder."""
    agents = [checked.file.workflow.agents[name] for name in used_agents(checked.file.workflow)]
    places = {agent.name: place for agent, place in agent_folders(checked)}
    return all(
        agent.kind == PRACTICE
        and not (agent.argv or agent.env or agent.secrets or agent.pass_env or agent.credential)
        and agent.name in places
        and _is_below(os.path.join(os.path.realpath(places[agent.name]), "x"), str(checked.folder))
        for agent in agents
    )
