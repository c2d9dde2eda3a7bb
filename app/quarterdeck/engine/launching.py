"""Launching: a request becomes a preview, or a durable run whose pins hold everything that it needs (A15 row 1).

Nothing is written before every check has passed. Blocking parts run in a worker thread.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.canonical import canonical_json, content_revision
from quarterdeck.domain.errors import BrokenInvariant
from quarterdeck.domain.events import Entry, RunLaunched, SlotSeed
from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.workflow import AgentSpec, Node
from quarterdeck.engine.agent_secrets import missing_secrets
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.inputs import CheckedInputs, check_inputs
from quarterdeck.engine.launch_preview import instructions_of, planned_grants, planned_servers
from quarterdeck.engine.minting import mint_run_id
from quarterdeck.engine.pinning import PinMissing, PinnedLaunch, PinProblems, build_pins
from quarterdeck.engine.planned import LaunchPreview, LoadedWorkflow, PlannedCommand, Problem
from quarterdeck.engine.program_settings import settings_found
from quarterdeck.engine.programs import ProgramProblem, find_folder, find_programs, host_path, used_agents
from quarterdeck.engine.run_plan import RunPlan, read_plan
from quarterdeck.engine.templates import TemplateProblem, render, render_argv
from quarterdeck.store.credentials_file import CredentialsNotKept, read_credentials
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError
from quarterdeck.store.journal import Journal
from quarterdeck.store.locks import HeldLock
from quarterdeck.store.workflow_file import BrokenFile, WorkflowFile, load_workflow, parse_workflow

log = logging.getLogger(__name__)
NOT_YET = "not known yet: it depends on what earlier agents give"


@dataclass(frozen=True, slots=True)
class Checked:
    """A launch that passed every check and has written nothing."""

    file: WorkflowFile
    folder: Path
    inputs: dict[str, Any]
    outcome: str
    programs: dict[str, str]


@dataclass(frozen=True, slots=True)
class Launched:
    """A durable run, its lock held by this session."""

    entry: Entry
    journal: Journal
    owner: HeldLock
    plan: RunPlan


def problems_of(file: BrokenFile | WorkflowFile) -> tuple[Problem, ...]:
    """Faults of a file in the door's words."""
    found = file.problems if isinstance(file, BrokenFile) else file.not_built
    return tuple(Problem(problem.place, problem.line, problem.message) for problem in found)


def loaded_of(path: Path, file: WorkflowFile) -> LoadedWorkflow:
    """The door's value of a file that loads."""
    warnings = tuple(Problem(p.place, p.line, p.message, warning=True) for p in file.warnings)
    revision = content_revision(canonical_json(file.document))
    return LoadedWorkflow(path, file.workflow, warnings, problems_of(file), revision)


def check_launch(request: LaunchRequest, config: Path) -> Checked | Refusal:
    """Everything that can be judged before anything is written; blocking. config: the folder of settings, with the list of sign-ins."""
    path = Path(os.path.abspath(request.path))
    if not _is_text(path):
        return Refusal(Code.E_WORKFLOW, _no_text("The path of the workflow", path))
    file = load_workflow(path) if request.content is None else parse_workflow(request.content, path.parent)
    if isinstance(file, BrokenFile):
        return _refuse_file(Code.E_WORKFLOW, path, problems_of(file))
    if file.not_built:
        return _refuse_file(Code.E_NOT_BUILT, path, problems_of(file))
    inputs = check_inputs(file.workflow.inputs, request.inputs, Path.cwd(), path.parent)
    if not isinstance(inputs, CheckedInputs):
        return Refusal(Code.E_INPUT, inputs.sentence(), tuple((p.name, p.message) for p in inputs.problems))
    for name, value in inputs.values.items():
        if isinstance(value, str) and not _is_text(value):
            message = _no_text(f"The input {name!r}", value)
            return Refusal(Code.E_INPUT, message, ((name, message),))
    programs, missing = find_programs(file.workflow, path.parent, host_path())
    if missing:
        return _refuse_file(Code.E_WORKFLOW, path, tuple(Problem(p.place, 0, p.message) for p in missing))
    unset = _unset(file, config)
    if unset:
        return _refuse_file(Code.E_WORKFLOW, path, unset)
    for name, program in programs.items():
        if not _is_text(program):
            message = _no_text("The path of the program", program)
            return _refuse_file(Code.E_WORKFLOW, path, (Problem(f"$.agents.{name}.argv[0]", 0, message),))
    folders = _folder_problems(file, path.parent, inputs.values)
    if folders:
        return _refuse_file(Code.E_WORKFLOW, path, folders)
    try:
        outcome = render(request.outcome or file.workflow.outcome, _context(inputs.values))
    except TemplateProblem as problem:
        return Refusal(
            Code.E_INPUT, f"The outcome cannot be worked out: {problem}", (("outcome", str(problem)),)
        )
    return Checked(file, path.parent, inputs.values, outcome, dict(programs))


def _unset(file: WorkflowFile, config: Path) -> tuple[Problem, ...]:
    """Secrets that are missing, by names alone: no keyring is asked before a claim."""
    try:
        found = missing_secrets(file.workflow, os.environ, lambda: read_credentials(config))
        return tuple(Problem(p.place, 0, p.message) for p in found)
    except CredentialsNotKept as error:
        return (Problem("$.agents", 0, str(error)),)


def _is_text(path: str | Path) -> bool:
    """Whether a path can be written down: what a run pins and journals is UTF-8."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _no_text(what: str, path: str | Path) -> str:
    shown = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    return f"{what} is not UTF-8 text, so no run can keep it: {shown}; rename it."


def _refuse_file(code: Code, path: Path, problems: tuple[Problem, ...]) -> Refusal:
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    name = path.name.encode("utf-8", "backslashreplace").decode("utf-8")
    message = f"{name}, {first.place}: {first.message.rstrip('.')}{more}."
    return Refusal(
        code,
        message,
        tuple((f"{p.place} (line {p.line})" if p.line else p.place, p.message) for p in problems),
    )


def _context(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"inputs": inputs, "nodes": {}, "run": {}}


def _folder_problems(file: WorkflowFile, folder: Path, inputs: dict[str, Any]) -> tuple[Problem, ...]:
    """Working folders that are known to be missing now; those that depend on earlier agents are judged at the claim."""
    problems = []
    for name, agent in file.workflow.agents.items():
        cwd = _known(agent.cwd, inputs)
        found = None if cwd is None else find_folder(cwd, folder)
        if isinstance(found, ProgramProblem):
            problems.append(Problem(f"$.agents.{name}.cwd", 0, found.message))
        elif found is not None and not _is_text(found):
            problems.append(Problem(f"$.agents.{name}.cwd", 0, _no_text("The working folder", found)))
    return tuple(problems)


def _known(text: str, inputs: dict[str, Any]) -> str | None:
    """The rendered text; None where it needs values that only the run will know."""
    if "{{" not in text:
        return text
    if "nodes" in text or "run" in text or "item" in text:
        return None
    try:
        return render(text, _context(inputs))
    except TemplateProblem:
        return None


def previewed(request: LaunchRequest, store: Store) -> LaunchPreview | Refusal:
    """What a launch would do, or why it would be refused; blocking."""
    checked = check_launch(request, store.config())
    return checked if isinstance(checked, Refusal) else preview_of(request, checked, store)


def preview_of(request: LaunchRequest, checked: Checked, store: Store) -> LaunchPreview:
    """What a launch would start, and where, and whether a person is asked first."""
    from quarterdeck.engine.launch_trust import trust_asked, trusted_content

    workflow = checked.file.workflow
    commands = tuple(
        _planned(node, workflow.agents[node.agent], checked) for node in workflow.nodes if node.agent
    )
    others = tuple(
        _planned(node, workflow.agents[name], checked)
        for node in workflow.nodes
        for name in node.alternatives
    )
    loaded = loaded_of(Path(os.path.abspath(request.path)), checked.file)
    asked = trust_asked(store, checked.folder, trusted_content(checked)) if request.asks_trust else None
    return LaunchPreview(
        loaded,
        checked.outcome,
        commands,
        checked.file.content,
        asked,
        servers=tuple(planned_servers(workflow)),
        instructions=tuple(instructions_of((*commands, *others))),
        alternatives=others,
        grants=tuple(planned_grants(workflow)),
        settings=settings_found((agent.kind, place) for agent, place in agent_folders(checked)),
    )


def agent_folders(checked: Checked) -> list[tuple[AgentSpec, Path]]:
    """(agent, folder) of every agent that a node may be given to, as far as its folder is known before the run."""
    found = []
    for name in used_agents(checked.file.workflow):
        agent = checked.file.workflow.agents[name]
        cwd = _known(agent.cwd, checked.inputs)
        place = None if cwd is None else find_folder(cwd, checked.folder)
        if isinstance(place, Path):
            found.append((agent, place))
    return found


def _planned(node: Node, agent: AgentSpec, checked: Checked) -> PlannedCommand:
    try:
        argv = tuple(render_argv(agent.argv, _context(checked.inputs), agent.allow_dash))
    except TemplateProblem:
        argv = agent.argv  # Shown as it is written: the rest is known only once earlier agents have ended.
    cwd = _known(agent.cwd, checked.inputs)
    shown = NOT_YET if cwd is None else str(find_folder(cwd, checked.folder) or cwd)
    return PlannedCommand(node.title, agent.name, agent.kind, argv, shown, checked.programs.get(agent.name))


def launch_run(context: EngineContext, checked: Checked, actor: str) -> Launched | Refusal:
    """Pin and journal the run; durable when it returns. Blocking; on the store's writer nothing else waits for it."""
    context.budgets.refresh()
    if context.budgets.fault:
        return Refusal(Code.E_BUDGET, f"The budgets cannot be told: {context.budgets.fault}")
    store = context.store
    run_id = mint_run_id()
    try:
        with store.objects.pinning():
            pinned = build_pins(
                checked.file,
                checked.inputs,
                checked.outcome,
                checked.folder,
                store.objects.put,
                checked.programs,
            )
            context.session.list_run(run_id)
            header = _header(context, checked, actor, run_id, pinned)
            plan = read_plan(store.objects.get, header)
            entry = Entry(1, context.now(), header)
            journal, owner = _make_run(store, run_id, entry)
    except PinProblems as error:
        return Refusal(Code.E_WORKFLOW, str(error), tuple((p.place, p.message) for p in error.problems))
    except (StoreError, PinMissing) as error:
        _undo(context, run_id)
        return Refusal(Code.E_STORE, f"Nothing was launched: {error}")
    return Launched(entry, journal, owner, plan)


def _header(
    context: EngineContext, checked: Checked, actor: str, run_id: RunId, pinned: PinnedLaunch
) -> RunLaunched:
    workflow = checked.file.workflow
    return RunLaunched(
        run_id=run_id,
        tenant=context.tenant,
        launch_seq=context.store.next_launch_seq(),
        workflow_id=workflow.id,
        workflow_name=workflow.name,
        workflow_folder=str(checked.folder),
        outcome_asked=checked.outcome,
        session_id=context.session_id,
        actor=actor,
        pins=pinned.pins,
        slots=tuple(SlotSeed(SlotId(node.id), node.id, node.title) for node in workflow.nodes),
        bindings=pinned.bindings,
        max_parallel=workflow.limits.max_parallel,
        budget_usd=workflow.limits.budget_usd,
    )


def _make_run(store: Store, run_id: RunId, entry: Entry) -> tuple[Journal, HeldLock]:
    journal = store.runs.create(run_id, entry)
    try:
        owner = store.runs.own(run_id)
        if owner is None:
            raise BrokenInvariant("I1", run_id, "somebody else owns a run that was minted here")
    except BaseException:
        journal.close()
        raise
    return journal, owner


def _undo(context: EngineContext, run_id: RunId) -> None:
    """Nothing was launched, so nothing may be left that looks like a run. What the disk keeps all the same stays listed
    by the session and is settled as interrupted.
    """
    io, folder = context.store.io, context.store.runs.folder(run_id)
    try:
        for path in [*folder.glob("journal*"), *folder.glob(".*"), folder / "owner.lock"]:
            if path.exists():
                io.unlink(path)
        for path in (folder / "attempts", folder):
            if path.exists():
                io.rmdir(path)
    except OSError as error:
        log.warning("run %s was not launched, and its folder could not be removed: %s", run_id, error)
        return
    context.session.forget_run(run_id)
