"""Programs of others from npm, each installed once into a folder that stays, by whichever test process needs it first."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

BASE = Path(os.environ.get("QUARTERDECK_AGENTS_CACHE") or Path.home() / ".cache" / "quarterdeck-agents")
INSTALL_S = 240


def installed(title: str, name: str, package: str, version: str) -> Path | str:
    """The program `name` of that package, or why there is none, in words. It lies in its place whole or not at all."""
    folder = BASE / f"{name}-{version}"
    program = folder / "node_modules" / ".bin" / name
    BASE.mkdir(parents=True, exist_ok=True)
    with (BASE / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.exists():
            return program
        npm = shutil.which("npm")
        if npm is None:
            return f"{title} {version} is not in {folder}, and npm is not installed"
        return _install(npm, folder, program, f"{package}@{version}", f"{title} {version}")


def _install(npm: str, folder: Path, program: Path, package: str, title: str) -> Path | str:
    made = folder.with_name(f"{folder.name}.new")
    for old in (made, folder):
        shutil.rmtree(old, ignore_errors=True)
    made.mkdir()
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(made), package]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        return f"npm did not install {title} within {INSTALL_S} s"
    made.rename(folder)
    if program.exists():
        return program
    last = (done.stderr.strip() or "nothing").splitlines()[-1]
    return f"npm could not install {title}: {last}"
