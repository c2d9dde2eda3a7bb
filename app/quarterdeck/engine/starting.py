"""From a durable claim to a process: the launch specification is rendered, written, leased and handed to a shim.

Everything comes from pins and from reports of earlier attempts. Blocking; called from a worker thread. Faults that
belong to the workflow or the machine are `CannotStart`: the attempt then ends as failed(spawn), with its reason.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quarterdeck.agents.environment import agent_environment
from quarterdeck.agents.registry import Launch, UnknownKind, launch_of
from quarterdeck.domain.budget import Cap
from quarterdeck.domain.events import AttemptClaimed, RunLaunched
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.reports_fold import AttemptFold, Baseline, baseline_of
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.agent_secrets import SecretMissing, read_secrets
from quarterdeck.engine.node_values import DecidedNode, node_values
from quarterdeck.engine.pinning import agent_of, read_attachment
from quarterdeck.engine.price_table import earlier_prices, prices_for
from quarterdeck.engine.program_files import program_files
from quarterdeck.engine.programs import ProgramProblem, agent_path, find_folder, find_program, host_path
from quarterdeck.engine.recalled import recall_effects
from quarterdeck.engine.report_folds import report_fold
from quarterdeck.engine.resume_file import EarlierAttempt, resume_file
from quarterdeck.engine.run_plan import RunPlan
from quarterdeck.engine.templates import TemplateProblem, render, render_argv
from quarterdeck.shim.client import ForkServer, ShimHandle, ShimStart
from quarterdeck.store.data_folder import Store

LAUNCH_SCHEMA = 1
GRACE_S = 4.0


class CannotStart(Exception):
    """The agent cannot be started; the text is one sentence for a person."""


@dataclass(frozen=True, slots=True)
class Start:
    """What `start_attempt` needs of the run, taken at the moment of the claim; nothing in it changes."""

    header: RunLaunched
    plan: RunPlan
    claim: AttemptClaimed
    before: tuple[DecidedNode, ...]
    earlier: tuple[EarlierAttempt, ...]
    reason: str
    """The reason that a person gave for re-opening the slot; empty otherwise."""
    cap: Cap
    continue_session: bool = True
    """Whether a resumed attempt may take up the agent's own session."""


@dataclass(frozen=True, slots=True)
class Started:
    """A running shim and the secrets that go to it first, over its socket."""

    handle: ShimHandle
    secrets: dict[str, str]


def start_attempt(store: Store, fork_server: ForkServer, start: Start) -> Started:
    """Make the attempt's folder, lease and shim. Raises CannotStart, StoreDown, PinMissing, OSError."""
    spec = start.plan.specs[start.claim.spec]
    folder = store.attempts.folder(start.header.run_id, start.claim.attempt_id)
    values = node_values(start.header.run_id, start.before, store.attempts)
    context = _template_context(start, values)
    before = _folds_before(store, start)
    try:
        launch = _launch(start, spec, context, folder.path, baseline_of(before))
    except TemplateProblem as problem:
        raise CannotStart(str(problem)) from problem
    agent = agent_of(spec)
    try:
        secrets = read_secrets(agent, os.environ)
    except SecretMissing as missing:
        raise CannotStart(str(missing)) from missing
    launch["secret_names"] = sorted(secrets)
    launch["prices"] = _prices(store, start, agent)
    made = store.attempts.create(start.header.run_id, start.claim.attempt_id, launch)
    files = [_write_attachment(store, made, index, item) for index, item in enumerate(spec["attachments"])]
    made.write_file("context.json", _json(_context_file(start, values, launch["prompt"], files)))
    if launch["resume_path"] is not None:
        left = resume_file(
            store,
            start.header.run_id,
            start.claim.slot_id,
            start.earlier,
            before,
            start.reason,
            continue_session=start.continue_session,
        )
        made.write_file("resume.json", _json(left))
    lease = made.create_lease()
    try:
        return Started(fork_server.spawn(ShimStart(made.launch_path, lease)), secrets)
    finally:
        os.close(lease)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str).encode("utf-8", "surrogatepass")


def _template_context(start: Start, values: Mapping[str, Any]) -> dict[str, Any]:
    header = start.header
    run = {"id": header.run_id, "workflow": header.workflow_name, "outcome": header.outcome_asked}
    return {"inputs": start.plan.inputs, "nodes": values, "run": run}


def _launch(
    start: Start, spec: Mapping[str, Any], context: Mapping[str, Any], folder: Path, baseline: Baseline
) -> dict[str, Any]:
    """The content of `launch.json` (docs/architecture.md)."""
    claim = start.claim
    agent = agent_of(spec)
    host = host_path()
    argv, cwd = _argv(agent, spec, context, host), _cwd(agent, spec, context)
    kind = _kind(agent, argv)
    return {
        "schema": LAUNCH_SCHEMA,
        "run": start.header.run_id,
        "slot": claim.slot_id,
        "attempt": claim.attempt_id,
        "epoch": claim.epoch,
        "node_id": spec["node_id"],
        "title": spec["title"],
        "agent": claim.agent,
        "kind": agent.kind,
        "argv": list(kind.argv),
        "protocol": kind.protocol,
        "cwd": cwd,
        "env": _environment(agent, context, host),
        "secret_names": [],
        "success_codes": list(agent.success_codes),
        "stdin": kind.stdin,
        "prompt": render(spec["prompt"], context),
        "context_path": str(folder / "context.json"),
        "resume_path": str(folder / "resume.json") if start.earlier else None,
        "idempotency_key": f"{start.header.run_id}/{claim.slot_id}",
        "grace_s": GRACE_S,
        "cap_usd": usd_text(start.cap.usd),
        "cap_of": start.cap.of,
        "timeout_s": spec["timeout_s"],
        "max_turns": agent.max_turns,
        "containment": agent.containment,
        "baseline": baseline.to_json(),
        "version": {"files": program_files(argv, cwd)},
        "record_folder": str(folder),
    }


def _prices(store: Store, start: Start, agent: AgentSpec) -> dict[str, dict[str, Any]]:
    before = [one.attempt_id for one in start.earlier]
    earlier = earlier_prices(store.attempts, start.header.run_id, start.claim.agent, before)
    return prices_for(agent, earlier, dt.datetime.now(dt.UTC).date())


def _kind(agent: AgentSpec, argv: list[str]) -> Launch:
    try:
        return launch_of(agent, argv)
    except UnknownKind as error:
        raise CannotStart(f"Agents of the kind “{agent.kind}” cannot be started by this version.") from error


def _argv(agent: AgentSpec, spec: Mapping[str, Any], context: Mapping[str, Any], host: str) -> list[str]:
    """The command with its program as an absolute path; empty for kinds that bring their own."""
    if not agent.argv:
        return []
    rendered = render_argv(agent.argv, context, agent.allow_dash)
    found = find_program(spec["program"] or rendered[0], Path(spec["folder"]), host)
    if isinstance(found, ProgramProblem):
        raise CannotStart(found.message)
    return [str(found), *rendered[1:]]


def _cwd(agent: AgentSpec, spec: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    found = find_folder(render(agent.cwd, context), Path(spec["folder"]))
    if isinstance(found, ProgramProblem):
        raise CannotStart(found.message)
    return str(found)


def _environment(agent: AgentSpec, context: Mapping[str, Any], host: str) -> dict[str, str]:
    rendered = tuple((name, render(value, context)) for name, value in agent.env)
    env = agent_environment(os.environ, replace(agent, env=rendered))
    if "PATH" not in dict(rendered):
        env["PATH"] = agent_path(host)
    return env


def _folds_before(store: Store, start: Start) -> list[AttemptFold]:
    """Folds of the slot's earlier attempts from their report files: turns and usage do not reach the app."""
    run = start.header.run_id
    folds = {
        one.attempt_id: report_fold(store.attempts, run, one.attempt_id, one.upto) for one in start.earlier
    }
    recall_effects(store, run, folds)
    return list(folds.values())


def _write_attachment(store: Store, folder: Any, index: int, item: Mapping[str, Any]) -> dict[str, Any]:
    """Put one pinned attachment beside the launch; the agent finds it by the path in its context."""
    content = read_attachment(store.objects.get, item)
    suffix = Path(item["path"]).suffix
    name = f"attachment-{index}{suffix if suffix.isascii() and len(suffix) <= 10 else ''}"
    return {**item, "file": str(folder.write_file(name, content))}


def _context_file(
    start: Start, values: Mapping[str, Any], prompt: str, attachments: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "outcome": start.header.outcome_asked,
        "inputs": dict(start.plan.inputs),
        "prompt": prompt,
        "nodes": values,
        "attachments": attachments,
        "run": {"id": start.header.run_id, "workflow": start.header.workflow_name},
    }
