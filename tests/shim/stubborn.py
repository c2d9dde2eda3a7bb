"""Eight agents that do not want to end (ID5). Each prints `ready` once it is as stubborn as it gets."""

from __future__ import annotations

IGNORES_TERM = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready")
while True: time.sleep(0.05)
"""

GRANDCHILD_KEEPS_STDOUT = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    print("ready")
while True: time.sleep(0.05)
"""

NEVER_READS_STDIN = IGNORES_TERM

FORKS_WHILE_DYING = """
import os, signal, time
def fork(*_):
    for _ in range(3):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for _ in range(200):
                if os.fork() == 0: time.sleep(0.02); os._exit(0)
                time.sleep(0.01)
signal.signal(signal.SIGTERM, fork)
print("ready")
while True: time.sleep(0.05)
"""

CHILD_IN_ANOTHER_SESSION = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready")
while True: time.sleep(0.05)
"""

DAEMON = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready")
while True: time.sleep(0.05)
"""

STOPS_ITSELF = """
import os, signal, time
print("ready")
os.kill(os.getpid(), signal.SIGSTOP)
while True: time.sleep(0.05)
"""

CLEARS_ENVIRONMENT = """
import os, sys
source = '''
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    print("ready")
while True: time.sleep(0.05)
'''
os.execve(sys.executable, [sys.executable, "-I", "-S", "-u", "-c", source], {"X": "1"})
"""

ALL = {
    "ignores TERM": IGNORES_TERM,
    "its grandchild keeps stdout open": GRANDCHILD_KEEPS_STDOUT,
    "never reads its stdin": NEVER_READS_STDIN,
    "forks while it dies": FORKS_WHILE_DYING,
    "has a child in another session": CHILD_IN_ANOTHER_SESSION,
    "has a daemon": DAEMON,
    "stops itself": STOPS_ITSELF,
    "clears its environment": CLEARS_ENVIRONMENT,
}
