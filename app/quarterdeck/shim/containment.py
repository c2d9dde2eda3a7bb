"""Starting the agent inside the strongest containment that is permitted (design §4).

`pid_namespace` and `user_namespace`: the agent lives in a PID namespace with a private /proc, below an init of ours
that reaps and hands up the leader's raw wait status; when the shim dies the kernel ends the init and with it everything
inside. `tree`: the agent is a direct child with the parent-death signal; its tree is found by parents. Runs on the main
thread, before any other thread exists. Writes no file.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.shim import kernel, processes
from quarterdeck.shim.errors import SpawnFailed
from quarterdeck.store.machine import process_identity

_CREDENTIALS = struct.Struct("3i")
_STATUS = struct.Struct("i")
CHILD_FAILED = 127


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """What is executed, with the three descriptors that become its streams and the lease that it inherits."""

    program: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    stdin_fd: int
    stdout_fd: int
    stderr_fd: int
    lease_fd: int
    autogroup_nice: int = kernel.AUTOGROUP_NICE


@dataclass(slots=True)
class AgentTree:
    """The started agent. `status` gives the leader's wait status where an init of ours reaps it."""

    leader: int
    start_ticks: int | None
    containment: str
    init: int | None = None
    status: socket.socket | None = None
    pid_ns: int | None = None

    def members(self) -> list[processes.ProcessStat]:
        """Living processes of the tree by parents; our init is none of them."""
        below = processes.descendants(os.getpid())
        return [stat for stat in below if stat.is_alive and stat.pid != self.init]


def start_agent(plan: AgentPlan, wanted: str) -> AgentTree:
    """Start the agent; `wanted` is `auto`, `user_namespace` or `tree`. Raises SpawnFailed."""
    if wanted == "user_namespace":
        tree = _start_in_namespace(plan, user=True)
    elif wanted == "auto" and os.geteuid() == 0:
        tree = _start_in_namespace(plan, user=False)
    else:
        tree = None
    return tree or _start_plainly(plan)


def find_program(argv0: str, env: Mapping[str, str], cwd: str) -> str:
    """The file that `argv0` names for the agent. Raises SpawnFailed with a sentence that says what was looked for."""
    if not os.path.isdir(cwd):
        raise SpawnFailed(cwd, f"The folder {cwd} does not exist, so {argv0} was not started there.")
    if "/" in argv0:
        path = os.path.join(cwd, argv0)
        if not os.path.exists(path):
            raise SpawnFailed(path, f"The program {path} does not exist.")
        return _executable(path)
    found = None
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(cwd, folder, argv0)
        if os.path.isfile(path):
            found = found or path
            if os.access(path, os.X_OK):
                return path
    if found is not None:
        return _executable(found)
    raise SpawnFailed(argv0, f"The program {argv0} was not found in PATH ({env.get('PATH', os.defpath)}).")


def _executable(path: str) -> str:
    if os.path.isdir(path):
        raise SpawnFailed(path, f"{path} is a folder, not a program.")
    if not os.access(path, os.X_OK):
        raise SpawnFailed(path, f"The program {path} is not executable.")
    return path


# ------------------------------------------------------------------------------------------- as a direct child


def _start_plainly(plan: AgentPlan) -> AgentTree:
    failed_r, failed_w = os.pipe2(os.O_CLOEXEC)
    shim = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(failed_r)
        _become_agent(plan, failed_w, parent=shim)
    os.close(failed_w)
    try:
        _raise_if_failed(plan, failed_r)
    except SpawnFailed:
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(failed_r)
    return _tree_of(pid, "tree")


def _tree_of(
    leader: int, containment: str, init: int | None = None, up: socket.socket | None = None
) -> AgentTree:
    stat, home = processes.stat_of(leader), process_identity(init or leader)
    return AgentTree(
        leader=leader,
        start_ticks=stat.start_ticks if stat else None,
        containment=containment,
        init=init,
        status=up,
        pid_ns=home.pid_ns if home else None,
    )


def _become_agent(
    plan: AgentPlan, failed_fd: int, parent: int | None, hello: socket.socket | None = None
) -> None:
    """In the forked child: never returns. What went wrong is written to `failed_fd`, which exec closes."""
    step = "session"
    try:
        os.setsid()
        kernel.set_autogroup(nice=plan.autogroup_nice)
        kernel.die_with_parent(signal.SIGKILL)
        if parent is not None and os.getppid() != parent:
            os._exit(CHILD_FAILED)
        _restore_signals()
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.dup2(plan.stdin_fd, 0)
        os.dup2(plan.stdout_fd, 1)
        os.dup2(plan.stderr_fd, 2)
        os.set_inheritable(plan.lease_fd, True)
        step = "cwd"
        os.chdir(plan.cwd)
        step = "hello"
        if hello is not None:
            hello.send(b"agent")
        step = "exec"
        os.execve(plan.program, list(plan.argv), dict(plan.env))
    except (OSError, ValueError) as error:
        errno = error.errno if isinstance(error, OSError) else None
        os.write(failed_fd, f"{errno or 0}\0{step}\0{error}".encode("utf-8", "replace")[:4000])
    finally:
        os._exit(CHILD_FAILED)  # whatever happens: a child must never go on with its parent's work


def _restore_signals() -> None:
    """Whatever the app, the fork server or the shim ignore, the agent starts with the ordinary meaning of each signal."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)


def _raise_if_failed(plan: AgentPlan, failed_r: int) -> None:
    said = os.read(failed_r, 4096)
    if not said:
        return
    number, step, detail = said.decode("utf-8", "replace").split("\0", 2)
    if step == "cwd":
        raise SpawnFailed(plan.cwd, f"The folder {plan.cwd} cannot be entered: {detail}", int(number))
    raise SpawnFailed(plan.program, f"The program {plan.program} could not be started: {detail}", int(number))


# ------------------------------------------------------------------------------------------- below an init of ours


@dataclass(slots=True)
class _Wires:
    """Between shim, init and agent. `go` stays open in the shim, so its end tells the init that the shim died."""

    up: socket.socket
    down: socket.socket
    go_r: int
    go_w: int
    failed_r: int
    failed_w: int


def _start_in_namespace(plan: AgentPlan, *, user: bool) -> AgentTree | None:
    """None where a namespace is not permitted here. Raises SpawnFailed where only the program is at fault."""
    up, down = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    up.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    wires = _Wires(up, down, *os.pipe2(os.O_CLOEXEC), *os.pipe2(os.O_CLOEXEC))
    first = os.fork()
    if first == 0:
        _enter_namespaces(plan, wires, user=user)
    down.close()
    os.close(wires.go_r)
    os.close(wires.failed_w)
    os.waitpid(first, 0)
    tree: AgentTree | None = None
    try:
        tree = _meet(plan, wires, user=user)
    finally:
        os.close(wires.failed_r)
        if tree is None:
            os.close(wires.go_w)
            up.close()
    return tree


def _meet(plan: AgentPlan, wires: _Wires, *, user: bool) -> AgentTree | None:
    word, init = _hear(wires.up)
    if word != b"init":
        return None
    os.write(wires.go_w, b"g")
    word, leader = _hear(wires.up)
    if word != b"agent":
        os.waitpid(init, 0)
        if word == b"refused":
            return None
        _raise_if_failed(plan, wires.failed_r)  # every other end of it is closed by now
        raise SpawnFailed(plan.program, f"The program {plan.program} could not be started: its init ended.")
    try:
        _raise_if_failed(plan, wires.failed_r)
    except SpawnFailed:
        os.kill(init, signal.SIGKILL)
        os.waitpid(init, 0)
        raise
    wires.up.setblocking(False)
    name = "user_namespace" if user else "pid_namespace"
    return _tree_of(leader, name, init, wires.up)


def _hear(up: socket.socket) -> tuple[bytes, int]:
    """One word and the pid of its sender as this process's namespace numbers it."""
    said, ancillary, _, _ = up.recvmsg(64, socket.CMSG_SPACE(_CREDENTIALS.size))
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return said, _CREDENTIALS.unpack(content[: _CREDENTIALS.size])[0]
    return said, 0


def _enter_namespaces(plan: AgentPlan, wires: _Wires, *, user: bool) -> None:
    """In the first child: leave the namespaces, fork the init into the new ones, and end. Never returns."""
    try:
        wires.up.close()
        os.close(wires.go_w)
        uid, gid = os.geteuid(), os.getegid()
        kernel.unshare((kernel.CLONE_NEWUSER if user else 0) | kernel.CLONE_NEWPID | kernel.CLONE_NEWNS)
        if user:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
            Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        if os.fork() == 0:
            _run_init(plan, wires)
    except OSError:
        wires.down.send(b"refused")
    finally:
        os._exit(0)


def _run_init(plan: AgentPlan, wires: _Wires) -> None:
    """Process 1 of the namespace: starts the agent, reaps everything, hands up the leader's status. Never returns."""
    try:
        kernel.set_process_name("quarterdeck-ini")
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        wires.down.send(b"init")
        if os.read(wires.go_r, 1) != b"g":
            os._exit(0)
        kernel.die_with_parent(signal.SIGKILL)
        if select.select([wires.go_r], [], [], 0)[0]:  # its end came before the line above took hold
            os._exit(0)
        kernel.mount_private_proc()
        leader = os.fork()
        if leader == 0:
            _become_agent(plan, wires.failed_w, parent=None, hello=wires.down)
        _let_go(plan, wires)
        _reap(leader, wires.down)
    except OSError:
        wires.down.send(b"refused")
    finally:
        os._exit(0)


def _let_go(plan: AgentPlan, wires: _Wires) -> None:
    """The init keeps nothing but its wires and the lease: an open end of a pipe would hide its end."""
    kernel.close_all_but({0, 1, 2, wires.down.fileno(), wires.go_r, plan.lease_fd})


def _reap(leader: int, down: socket.socket) -> None:
    while True:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            return
        if pid == leader:
            down.send(b"exit" + _STATUS.pack(status))


def leader_status(tree: AgentTree) -> int | None:
    """The raw wait status that the init handed up; None while there is none. Never blocks."""
    if tree.status is None:
        return None
    try:
        said = tree.status.recv(64)
    except BlockingIOError:
        return None
    if not said.startswith(b"exit"):
        return None
    return int(_STATUS.unpack(said[4:])[0])
