"""Real agents that do what they are told by a file, and keep a log of their own. Imports nothing of the product.

An agent of run R at node N does, one after the other, the lines of `R.N.todo`: `["turn"]`, `["usage", cost, message id]`,
`["ask"]`, `["exit", code]`. It notes each in its log after it was done. A stop is noted too: it ends at once, by itself.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.works import LOGGING, python, write_workflow
from tests.scenarios.naive_runs import Fact

DOES = (
    """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])  # whoever has begun notes its end as well
"""
    + LOGGING
    + """
import select
def over(why, code):
    note("ended", why=why, code=code)
    os._exit(code)
signal.signal(signal.SIGTERM, lambda *_: over("told", 143))
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
path, done, heard, asked = os.path.join(os.environ["LOGS"], f"{run}.{node}.todo"), 0, b"", None
while True:
    if asked is not None and select.select([0], [], [], 0.01)[0]:
        heard += os.read(0, 65536)
        if heard.endswith(b"\\n"):
            note("answered", id=asked)
            heard, asked = b"", None
    lines = open(path).read().split("\\n")[:-1] if os.path.exists(path) else []
    if len(lines) == done or asked is not None:
        time.sleep(0.01)
        continue
    what, *more = json.loads(lines[done])
    done += 1
    if what == "turn":
        say("turn")
    elif what == "usage":
        say("usage", cost_usd=more[0], message_id=more[1], input_tokens=1)
    elif what == "ask":
        asked = f"q{done}"
        say("approval", id=asked, question="May I?", options=["Yes", "No"])
    else:
        say("output", value="worked")
        over("exit", more[0])
"""
)

SHAPES = (("Chain", (("one", "two"),)), ("Pair", ()))


def write_flows(home: Path) -> list[Fact]:
    """Two workflows of two agents each: one after the other, and side by side. Returns the documents, in the folder's order."""
    flows = []
    for number, (name, edges) in enumerate(SHAPES, 1):
        agents = {node: python(DOES, env={"LOGS": str(home)}) for node in ("one", "two")}
        path = write_workflow(home, agents, *edges, name=name, number=number)
        flows.append({**json.loads(path.read_text()), "path": path})
    return flows


def tell(home: Path, run: str, node: str, *what: object) -> None:
    """One more line for an agent to do."""
    with (home / f"{run}.{node}.todo").open("a") as todo:
        todo.write(json.dumps(what) + "\n")


def told(home: Path, run: str, node: str) -> int:
    """How many lines it was given."""
    todo = home / f"{run}.{node}.todo"
    return todo.read_text().count("\n") if todo.exists() else 0
