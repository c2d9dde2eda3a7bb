"""The fork server: forks shims on request. One per app, started before any thread, ends with its control socket.

Its shims outlive it. Protocol (SOCK_SEQPACKET): request `{"launch": path}` with two descriptors (lease, app's socket);
answer `{"pid": n}` with one descriptor (a pidfd of the shim), or `{"error": text}`.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
from typing import NoReturn

from quarterdeck.shim import kernel
from quarterdeck.shim.shim_main import run_shim

REQUEST_BYTES_MAX = 64 * 1024
_living: set[int] = set()
"""Shims that this process forked and that have not ended."""


def serve(control: socket.socket) -> None:
    """Until the other end of `control` closes."""
    kernel.set_process_name("quarterdeck-frk")
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the thread that called us may have held some back
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, _reap)
    gc.collect()
    gc.freeze()
    while True:
        message, fds, _, _ = socket.recv_fds(control, REQUEST_BYTES_MAX, 2, socket.MSG_CMSG_CLOEXEC)
        if not message:
            return
        try:
            _answer(control, message, fds)
        except BrokenPipeError:
            return
        finally:
            for fd in fds:
                os.close(fd)


def _answer(control: socket.socket, message: bytes, fds: list[int]) -> None:
    launch = json.loads(message)["launch"]
    if len(fds) != 2:
        control.send(json.dumps({"error": f"{len(fds)} descriptors came instead of 2"}).encode())
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    try:
        pid = os.fork()
        if pid == 0:
            _become_shim(launch, fds, len(_living))
        _living.add(pid)
        pidfd = os.pidfd_open(pid)
    except OSError as error:
        control.send(json.dumps({"error": str(error)}).encode())
        return
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    try:
        socket.send_fds(control, [json.dumps({"pid": pid}).encode()], [pidfd])
    finally:
        os.close(pidfd)


def _become_shim(launch: str, fds: list[int], beside: int) -> NoReturn:
    try:
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        run_shim(launch, fds[0], socket.socket(fileno=fds[1]), beside=beside)
    finally:
        os._exit(1)  # whatever happens: a shim must never go on as a second fork server


def _reap(_number: int, _frame: object) -> None:
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _living.discard(pid)


def main(argv: list[str]) -> int:
    """`argv[-1]` is the number of the inherited control socket."""
    serve(socket.socket(fileno=int(argv[-1])))
    return 0
