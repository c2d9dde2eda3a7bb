"""The libraries of the system that the window needs, tried in a process of its own before any QApplication exists: Qt aborts the
process where one is missing. Blocking.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from quarterdeck.engine.bounded_program import ask
from quarterdeck.engine.doctor.findings import Finding, Health
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular

PACKAGES: Mapping[str, str] = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
"""{library: Debian package}, as `packaging/setup.sh` installs them."""
TRY = """
import ctypes, json, sys
failed = {}
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
    except OSError as error:
        failed[name] = str(error)
print(json.dumps(failed))
"""
OS_RELEASE = Path("/etc/os-release")
WAIT_S = 20.0
_NAMED = re.compile(r"^(\S+\.so[.\d]*): cannot open shared object file")


def examine_display(environ: Mapping[str, str] = os.environ) -> Finding:
    """Whether the window can open here. Without a display nothing is broken: the terminal needs none of it."""
    plugin = qt_plugin()
    if plugin is None:
        said = "Qt for Python is not installed with Quarterdeck, so the window cannot open."
        return Finding("display", "Display libraries", Health.BROKEN, said, "Install Quarterdeck anew.")
    failed = try_to_load([*PACKAGES, str(plugin)])
    if failed is None:
        said = (
            "The display libraries could not be tried: the process that loads them did not come to its end."
        )
        return Finding("display", "Display libraries", Health.UNCHECKED, said)
    missing, other = missing_of(failed)
    has_display = bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
    facts = {"missing": missing, "display": has_display, "plugin": str(plugin)}
    shown = "" if has_display else " There is no display here; the terminal needs none."
    if not missing and not other:
        said = f"Everything that the window needs from the system is here.{shown}"
        return Finding("display", "Display libraries", Health.FINE, said, facts=facts)
    health = Health.BROKEN if has_display else Health.NOTE
    names = f"Missing: {', '.join(missing)}." if missing else ""
    said = " ".join(part for part in (names, *other) if part) + shown
    return Finding("display", "Display libraries", health, said, install_line(missing), facts)


def qt_plugin() -> Path | None:
    """The part of Qt that opens windows on X; None where Qt is not there. Nothing of Qt is imported."""
    found = importlib.util.find_spec("PySide6")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        for inside in ("Qt/plugins/platforms", "plugins/platforms"):
            if (plugin := Path(folder) / inside / "libqxcb.so").is_file():
                return plugin
    return None


def try_to_load(names: Sequence[str]) -> Mapping[str, str] | None:
    """{library: what the loader says} of those that do not load; None where that could not be tried."""
    if getattr(sys, "frozen", False):
        return _load_here(names)
    answer = ask((sys.executable, "-I", "-S", "-c", TRY, *names), dict(os.environ), WAIT_S)
    if not answer.is_whole:
        return None
    found = json.loads(answer.out)
    return found if isinstance(found, dict) else None


def _load_here(names: Sequence[str]) -> Mapping[str, str]:
    """A packaged program has no interpreter to ask; the terminal's process never opens a window."""
    import ctypes

    failed = {}
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError as error:
            failed[name] = str(error)
    return failed


def missing_of(failed: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """(libraries that are not there, each once; what else the loader said)."""
    missing: dict[str, None] = {}
    other = []
    for words in failed.values():
        named = _NAMED.match(words)
        if named is not None:
            missing[named[1]] = None
        else:
            other.append(words)
    return list(missing), other


def install_line(missing: Iterable[str], release: Path = OS_RELEASE, *, is_root: bool | None = None) -> str:
    """The exact line that installs these libraries on this system; in words where its way to install is not known."""
    missing = list(missing)
    if not missing:
        return ""
    sudo = "" if (os.geteuid() == 0 if is_root is None else is_root) else "sudo "
    system = _system(release)
    if system & {"debian", "ubuntu"}:
        known = list(dict.fromkeys(PACKAGES[name] for name in missing if name in PACKAGES))
        rest = [name for name in missing if name not in PACKAGES]
        line = f"{sudo}apt-get install --no-install-recommends {' '.join(known)}" if known else ""
        more = f"Install the package that holds {', '.join(rest)}." if rest else ""
        return " ; then: ".join(part for part in (line, more) if part)
    provided = " ".join(shlex.quote(f"{name}()(64bit)" if sys.maxsize > 2**32 else name) for name in missing)
    if system & {"fedora", "rhel", "centos"}:
        return f"{sudo}dnf install {provided}"
    if system & {"suse", "opensuse"}:
        return f"{sudo}zypper install {provided}"
    return f"Install your system's packages that hold {', '.join(missing)}."


def _system(release: Path) -> frozenset[str]:
    """What the system is and is like, by `os-release`; empty where it does not say."""
    try:
        lines = read_regular(release, follow_links=True).decode("utf-8", "replace").splitlines()
    except (OSError, StoreDamaged):
        return frozenset()
    said = dict(line.split("=", 1) for line in lines if "=" in line)
    words = f"{said.get('ID', '')} {said.get('ID_LIKE', '')}".replace('"', " ").replace("'", " ")
    return frozenset(words.lower().split())
