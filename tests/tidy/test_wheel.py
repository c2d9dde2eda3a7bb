"""The wheel is whole: the package and the resources it reads, and nothing of the project's other folders."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.tidy.source import PACKAGE, TOP, tracked_files


def test_wheel_ships_every_module_and_every_resource(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    ran = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stderr
    (wheel,) = tmp_path.glob("quarterdeck-*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    modules = {f"quarterdeck/{p.relative_to(PACKAGE)}" for p in tracked_files() if p.is_relative_to(PACKAGE)}
    resources = {
        f"quarterdeck/_resources/{p.relative_to(TOP / 'resources')}"
        for p in tracked_files()
        if p.is_relative_to(TOP / "resources")
    }
    assert resources
    assert modules | resources <= shipped
    assert all(name.startswith("quarterdeck/") for name in shipped)
