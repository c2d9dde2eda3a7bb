"""What a desktop hears of the task bar's progress: a listener on a session bus of its own, and the product's own sender."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

NEEDED = ("dbus-run-session", "dbus-monitor")
pytestmark = [
    pytest.mark.display,
    pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason=f"needs {', '.join(NEEDED)}"),
]
WITHIN_S = 20
TALK = """
import subprocess, sys
from PySide6.QtCore import QCoreApplication
from quarterdeck.ui.taskbar import TaskBar, TaskProgress, desktop_sender

watch = "interface='com.canonical.Unity.LauncherEntry'"
with subprocess.Popen(["dbus-monitor", "--session", watch], stdout=sys.stdout, stderr=subprocess.PIPE) as listener:
    print("listening", flush=True)
    sys.stdin.readline()
    app = QCoreApplication([])
    bar = TaskBar(desktop_sender("quarterdeck"))
    for progress in (TaskProgress(1, 4), TaskProgress(1, 4), TaskProgress(3, 4)):
        bar.show(progress)
    bar.close()
    sys.stdin.readline()
    listener.terminate()
"""


def test_a_desktop_hears_each_change_once_and_the_end(tmp_path: Path) -> None:
    """OWN3: name of the icon, share, whether it is seen; as Unity's launcher protocol has it."""
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = ["dbus-run-session", "--", sys.executable, "-c", TALK]
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as talk:
        assert talk.stdin is not None
        assert talk.stdout is not None
        late = threading.Timer(WITHIN_S, talk.kill)
        late.start()
        try:
            heard = ""
            while "NameLost" not in heard:  # the listener has become a monitor
                heard += (line := talk.stdout.readline())
                assert line, "the listener ended"
            talk.stdin.write("go\n")
            talk.stdin.flush()
            while heard.count("progress-visible") < 3 or not heard.rstrip().endswith("]"):
                heard += (line := talk.stdout.readline())
                assert line, heard
            talk.stdin.write("end\n")
            talk.stdin.flush()
            talk.wait(WITHIN_S)
        finally:
            late.cancel()
    assert re.findall(r"double ([\d.]+)", heard) == ["0.25", "0.75", "0"]
    assert re.findall(r"boolean (true|false)", heard) == ["true", "true", "false"]
    assert heard.count('string "application://quarterdeck.desktop"') == 3
