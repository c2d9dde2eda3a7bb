"""How these scripts speak with Quarterdeck: one JSON object a line on stdout (docs/workflow-format.md).

Run by hand, without Quarterdeck, they print the same lines. Standard library only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

MODULE_CHECK_S = 30


def say(type_: str, **fields: object) -> None:
    """Write one line of the protocol."""
    line = json.dumps({"type": type_, **fields}, ensure_ascii=True)
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def progress(done: float, total: float, label: str) -> None:
    say("progress", done=done, total=total, label=label)


def text(words: str) -> None:
    say("text", text=words + "\n")


def output(value: object) -> None:
    say("output", value=value)


def context() -> dict:
    """What Quarterdeck tells this agent: outcome, inputs, prompt, outputs of earlier nodes."""
    path = os.environ.get("QUARTERDECK_CONTEXT")
    if not path:
        return {}
    return json.loads(Path(path).read_text(encoding="utf-8"))


def outputs_before() -> dict:
    """{node id: output} of the nodes before this one."""
    told = context()
    if isinstance(told.get("outputs"), dict):
        return told["outputs"]
    nodes = told.get("nodes")
    return {key: node.get("output") for key, node in nodes.items()} if isinstance(nodes, dict) else {}


def run_part(name: str, examine) -> None:
    """Run one examination. What goes wrong is said in the report, so that the other parts are not lost with it."""
    try:
        result = examine()
    except subprocess.TimeoutExpired as error:
        result = {"problem": f"{Path(error.cmd[0]).name} did not finish within {error.timeout:.0f} s."}
    except Exception as error:  # whatever it is, it belongs into the report
        traceback.print_exc()
        result = {"problem": f"This part failed: {type(error).__name__}: {error}"}
    if result.get("problem"):
        text(result["problem"])
    output({"part": name, **result})


def run_with_modules(*modules: str) -> str | None:
    """Make sure that this script runs in a Python that has the modules; None, or why there is none.

    The tools come with Quarterdeck, whose folder of programs is in PATH; `python3` may be another one.
    """
    from importlib.util import find_spec

    missing = [name for name in modules if find_spec(name) is None]
    if not missing:
        return None
    if os.environ.get("REPOSITORY_CHECK_PYTHON") != "chosen":
        for python in _pythons_beside(missing[0]):
            probe = [python, "-c", "import " + ", ".join(modules)]
            if subprocess.run(probe, capture_output=True, timeout=MODULE_CHECK_S).returncode == 0:
                os.environ["REPOSITORY_CHECK_PYTHON"] = "chosen"
                os.execv(python, [python, *sys.argv])
    return f"{' and '.join(missing)} could not be found: install it beside Quarterdeck."


def _pythons_beside(program: str):
    for folder in os.get_exec_path():
        if os.access(os.path.join(folder, program), os.X_OK):
            for name in ("python3", "python"):
                python = os.path.join(folder, name)
                if os.access(python, os.X_OK) and os.path.abspath(python) != os.path.abspath(sys.executable):
                    yield python
