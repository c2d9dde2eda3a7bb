"""From a forked process to a kept agent: the order of section 4 of the design, told in `run_shim`."""

from __future__ import annotations

import os
import signal
import socket
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from quarterdeck.agents.error_reports import STRONG, error_report
from quarterdeck.agents.registry import adapter_for
from quarterdeck.domain import reports
from quarterdeck.domain.mcp_servers import filled
from quarterdeck.domain.states import ErrorClass
from quarterdeck.shim import kernel
from quarterdeck.shim.artifacts import ArtifactStore
from quarterdeck.shim.containment import AgentPlan, AgentTree, find_program, start_agent
from quarterdeck.shim.ending import End, publish_end
from quarterdeck.shim.errors import SpawnFailed
from quarterdeck.shim.exit_file import CRASH_FILE, ExitFile
from quarterdeck.shim.keeper import HELD_SIGNALS, Keeper
from quarterdeck.shim.launch import LaunchSpec, agent_marks, read_launch
from quarterdeck.shim.relay import Relay
from quarterdeck.shim.report_stream import ReportStream
from quarterdeck.shim.shares import nice_beside
from quarterdeck.shim.streams import InputPipe, OutputPipes, pipe_ends, stop_blocking
from quarterdeck.shim.writer import Writer
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.machine import own_identity

LAST_WORDS_S = 1.0


def run_shim(
    launch_path: str, lease_fd: int, app: socket.socket, io: DurableIO | None = None, beside: int = 0
) -> NoReturn:
    """Keep the agent of that launch until its end is told. Never returns: ends the process, 0 where all went well.

    First the process is made a shim (session, subreaper, mark, descriptors, scheduling), then it waits for the
    secrets; an app that went away before means that nothing was ever started and nothing is written.
    beside: how many other agents of the app live.
    """
    code, relay = 1, None
    try:
        become_shim(lease_fd, app.fileno(), beside)
        spec = replace(read_launch(Path(launch_path)), autogroup_nice=nice_beside(beside))
        kernel.mark_as_shim(spec.attempt)
        relay = Relay(app)
        _keep(spec, lease_fd, relay, io or DurableIO())
        code = 0
    except Exception:  # noqa: BLE001 - told in a file: there is nobody left to raise to
        _leave_last_words(Path(launch_path).parent)
        if relay is not None:
            relay.close(LAST_WORDS_S)
    finally:
        os._exit(code)


def become_shim(lease_fd: int, app_fd: int, beside: int) -> None:
    """A session of its own, orphans come here, no foreign descriptor, a smaller share of the processor."""
    os.setsid()
    kernel.become_subreaper()
    kernel.set_process_name("quarterdeck-shm")
    kernel.close_all_but({0, 1, 2, lease_fd, app_fd})
    for fd in (lease_fd, app_fd):
        os.set_inheritable(fd, False)
    os.nice(kernel.NICE_STEP)
    kernel.set_autogroup(nice=nice_beside(beside))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file-size limit is a full disk, not a reason to die


def _keep(spec: LaunchSpec, lease_fd: int, relay: Relay, io: DurableIO) -> None:
    asked = _asked(relay)
    if asked is None:
        return
    first, early = asked
    env = _environment(spec, first)
    adapter = adapter_for(spec.kind, spec.protocol, _wire(spec, env))
    wake_r, wake_w = pipe_ends()
    stop_blocking(wake_r)
    stop_blocking(wake_w)
    try:
        exit_file = ExitFile(io, spec.folder)
        writer = Writer(io, spec.folder, lambda: _poke(wake_w))
        stream = ReportStream(spec, writer, relay, ArtifactStore(io, spec.folder / "artifacts", spec.cwd))
        stream.add_first(_starting(spec))
        io.fsync_folder(spec.folder)
    except OSError as error:  # an intent that is not durable starts nothing (JNL4)
        relay.say({"recording": False, "errno": error.errno})
        relay.close(LAST_WORDS_S)
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, HELD_SIGNALS)
    try:
        program, tree, output, stdin = _start(spec, env, lease_fd, writer)
    except SpawnFailed as error:
        _tell_spawn_failure(spec, stream, writer, relay, exit_file, error)
        _take_leave(writer, relay, lease_fd)
        return
    try:
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_w, warn_on_full_buffer=False)
        writer.start()
        stream.add(_started(spec, tree, program))
        keeper = Keeper(spec, tree, adapter, stream, writer, relay, output, stdin, exit_file, wake_r)
        keeper.run(early)
    except BaseException:
        _kill_all(tree)
        raise
    _take_leave(writer, relay, lease_fd)


def _asked(relay: Relay) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """The secrets, and commands that came with them; None where the app went away before, or stopped it: never started."""
    first = relay.wait_command()
    if first is None or first.get("do") != "secrets":
        return None
    early = list(relay.commands())
    if relay.closed or any(command.get("do") == "stop" for command in early):
        relay.close(LAST_WORDS_S)
        return None
    return first, early


def _take_leave(writer: Writer, relay: Relay, lease_fd: int) -> None:
    """The lease is free before the app sees the end of its socket."""
    writer.close(LAST_WORDS_S)
    os.close(lease_fd)
    relay.close(LAST_WORDS_S)


def _wire(spec: LaunchSpec, env: Mapping[str, str]) -> Mapping[str, Any]:
    """With the references of MCP servers filled in, in memory alone; the engine has seen that each is there."""
    servers = spec.wire.get("mcp_servers")
    return {**spec.wire, "mcp_servers": filled(servers, env)} if servers else spec.wire


def _environment(spec: LaunchSpec, secrets: dict[str, Any]) -> dict[str, str]:
    values = {str(name): str(value) for name, value in secrets.get("values", {}).items()}
    return {**spec.env, **values, **agent_marks(spec)}


def _poke(wake_w: int) -> None:
    try:
        os.write(wake_w, b"w")
    except BlockingIOError:  # the loop is being woken already
        return


def _start(
    spec: LaunchSpec, env: dict[str, str], lease_fd: int, writer: Writer
) -> tuple[str, AgentTree, OutputPipes, InputPipe | None]:
    if not spec.argv:
        raise SpawnFailed("", "The agent has no command.")
    program = find_program(spec.argv[0], env, spec.cwd)
    out_r, out_w = pipe_ends()
    err_r, err_w = pipe_ends()
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    in_r, in_w = (null, None) if spec.stdin == "null" else pipe_ends()
    plan = AgentPlan(program, spec.argv, env, spec.cwd, in_r, out_w, err_w, lease_fd, spec.autogroup_nice)
    try:
        tree = start_agent(plan, spec.containment)
    except OSError as error:  # no process could be made at all
        raise SpawnFailed(program, f"The program {program} could not be started: {error}") from error
    finally:
        for fd in {in_r, out_w, err_w, null}:
            os.close(fd)
    output = OutputPipes(
        {"stdout": out_r, "stderr": err_r}, spec.limits, lambda: writer.waiting_bytes, time.monotonic()
    )
    if in_w is None:
        return program, tree, output, None
    stdin = InputPipe(in_w, keep_open=spec.stdin == "open")
    stdin.put(spec.prompt.encode("utf-8", "surrogateescape") if spec.stdin == "prompt" else b"")
    return program, tree, output, stdin


def _starting(spec: LaunchSpec) -> reports.Report:
    own = own_identity()
    return {
        "kind": reports.STARTING,
        "run": spec.run,
        "slot": spec.slot,
        "attempt": spec.attempt,
        "boot": own.boot,
        "shim_pid": own.pid,
        "shim_start_ticks": own.start_ticks,
        "shim_pid_ns": own.pid_ns,
    }


def _started(spec: LaunchSpec, tree: AgentTree, program: str) -> reports.Report:
    return {
        "kind": reports.STARTED,
        "pid": tree.leader,
        "start_ticks": tree.start_ticks,
        "pid_ns": tree.pid_ns,
        "containment": tree.containment,
        "program": program,
        "program_version": spec.program_version,
        "cwd": spec.cwd,
    }


def _tell_spawn_failure(
    spec: LaunchSpec,
    stream: ReportStream,
    writer: Writer,
    relay: Relay,
    exit_file: ExitFile,
    error: SpawnFailed,
) -> None:
    writer.start()
    stream.add({**error_report(ErrorClass.SPAWN, str(error), STRONG), "path": error.path})
    publish_end(spec, stream, writer, exit_file, End(None, None, tree_is_empty=True, reason="spawn"))
    relay.durable(writer.durable_seq)


def _kill_all(tree: AgentTree) -> None:
    """The shim is about to die of a fault of ours: nothing of the agent may outlive it."""
    for _ in range(100):
        members: list[Any] = tree.members()
        if tree.init is not None:
            members.append(tree.init)
        for member in members:
            try:
                os.kill(member if isinstance(member, int) else member.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if not tree.members():
            return
        time.sleep(0.02)


def _leave_last_words(folder: Path) -> None:
    text = traceback.format_exc()
    try:
        (folder / CRASH_FILE).write_text(text, "utf-8")
    except OSError:
        os.write(2, text.encode("utf-8", "replace"))
