"""The checks of tests/conftest.py are themselves checked: each kind of leak fails the test that caused it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

LEAKY = """
import asyncio, os, subprocess, threading, time

def test_child():
    subprocess.Popen(["sleep", "60"], start_new_session=True).returncode = 0

def test_daemon(tmp_path):
    env = {**os.environ, "MARK": str(tmp_path / "x")}
    subprocess.run(["sh", "-c", "(setsid sleep 60 >/dev/null 2>&1 &)"], env=env, check=True)

def test_descriptor(tmp_path):
    os.open(tmp_path / "x", os.O_CREAT | os.O_WRONLY)

def test_thread():
    threading.Thread(target=time.sleep, args=(1.5,), daemon=True).start()

async def test_task():
    asyncio.get_running_loop().create_task(asyncio.sleep(60))

def test_timer(qtbot):
    from PySide6.QtCore import QTimer
    global timer
    timer = QTimer()
    timer.start(60000)

def test_widget(qtbot):
    from PySide6.QtWidgets import QLabel
    global label
    label = QLabel("left")

def test_qt_warning(qtbot):
    from PySide6.QtCore import qWarning
    qWarning("unexpected")

def test_clean_window(qtbot):
    from PySide6.QtWidgets import QDialog
    dialog = QDialog()
    qtbot.addWidget(dialog)
    dialog.show()

async def test_clean_tasks():
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(0))
"""


def test_every_kind_of_leak_fails_its_test_and_clean_tests_pass(tmp_path: Path) -> None:
    conftest = (TESTS / "conftest.py").read_text(encoding="utf-8")
    short = re.sub(r"^(LEAK|PROCESS)_DEADLINE_S = [\d.]+", r"\1_DEADLINE_S = 0.2", conftest, flags=re.M)
    (tmp_path / "conftest.py").write_text(short, encoding="utf-8")
    (tmp_path / "test_leaky.py").write_text(LEAKY, encoding="utf-8")
    (tmp_path / "pytest.toml").write_text(
        '[pytest]\nasyncio_mode = "auto"\nqt_api = "pyside6"\nqt_log_level_fail = "WARNING"\n'
        'markers = ["qt_loop: q", "leaves_tasks: l"]\n',
        encoding="utf-8",
    )
    outer = ("PYTEST_", "QUARTERDECK_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(outer)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rfE",
        "-p",
        "no:cacheprovider",
        "--tb=line",
        str(tmp_path),
    ]
    ran = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    blamed = set(re.findall(r"^(?:ERROR|FAILED) test_leaky\.py::(\w+)", ran.stdout, flags=re.M))
    kinds = {"child", "daemon", "descriptor", "thread", "task", "timer", "widget", "qt_warning"}
    assert blamed == {f"test_{kind}" for kind in kinds}, ran.stdout
