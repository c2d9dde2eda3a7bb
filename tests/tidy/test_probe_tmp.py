import asyncio, subprocess, threading, os, time
import pytest
from hypothesis import given, strategies as st

def test_proc(): subprocess.Popen(["sleep","100"], start_new_session=True, close_fds=True).returncode=0
def test_daemon(tmp_path): subprocess.run("(setsid sleep 101 >/dev/null 2>&1 &)", shell=True, env={**os.environ,"X":str(tmp_path)+"/a"})
def test_thread(): threading.Thread(target=time.sleep,args=(5,), daemon=True).start()
async def test_task(): asyncio.get_running_loop().create_task(asyncio.sleep(100)); await asyncio.sleep(0)
@pytest.mark.qt_loop
async def test_q():
    p = await asyncio.create_subprocess_exec("echo","x",stdout=-1); out=await p.communicate(); assert out[0]==b"x\n"
    assert "qasync" in repr(asyncio.get_running_loop()).lower() or "QEventLoop" in type(asyncio.get_running_loop()).__name__
@given(st.integers())
def test_h(x): assert x==x
def test_widget(qtbot):
    from PySide6.QtWidgets import QLabel
    global L; L = QLabel("x"); L.show()
def test_timer(qtbot):
    from PySide6.QtCore import QTimer
    global T; T = QTimer(); T.start(1000)
def test_ok_widget(qtbot):
    from PySide6.QtWidgets import QDialog, QComboBox
    w = QDialog(); c=QComboBox(w); c.addItems(["a"]); qtbot.addWidget(w); w.show(); c.showPopup()
def test_qtwarn(qtbot):
    from PySide6.QtCore import qWarning
    qWarning("hello")
@pytest.fixture(scope="module")
def child():
    p = subprocess.Popen(["sleep","50"]); yield p; p.kill(); p.wait()
def test_mod(child): pass
def test_last(): pass
