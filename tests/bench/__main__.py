"""`python -m tests.bench [--json] [NAME…]`: measure, and print the whole table (or only P4, P17, …).

Each goal is measured in a process of its own, one after the other; progress goes to stderr. Peers come with the extra
`bench-peers`, or with an environment made from `packaging/requirements-bench.lock`; where they are missing it is said.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.row import BenchRow
from tests.bench.table import as_document, as_text

TOP = Path(__file__).parents[2]
MODULES = {
    "p1": "store_bench", "p2": "store_bench", "p3": "store_bench", "p4": "store_bench", "p5": "store_bench",
    "p6": "peers_bench", "p7": "store_bench", "p10": "shim_bench", "p11": "shim_bench", "p12": "shim_bench",
    "p10_engine": "engine_bench", "p16": "shim_bench", "p17": "engine_bench",
    "p13": "canvas_bench", "p14": "canvas_bench", "p18": "canvas_bench",
    "p15": "window_bench", "p8": "flood_bench", "p9": "flood_bench", "p12_window": "flood_bench",
    "q3": "sign_in_bench",
}  # fmt: skip


def measure_here(name: str) -> list[BenchRow]:
    """One goal, in this process."""
    module = __import__(f"tests.bench.{MODULES[name]}", fromlist=[name])
    function: Callable[[], list[BenchRow]] = getattr(module, name)
    return function()


def measure(name: str) -> list[BenchRow]:
    """One goal, in a process of its own; a measuring that fails is a row without a ratio."""
    print(f"measuring {name} …", file=sys.stderr, flush=True)
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--here", name],
        cwd=TOP,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(TOP / "app"), os.environ.get("PYTHONPATH", "")]),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        return [BenchRow(name.upper(), "not measured", None, 0, "at most", {}, f"exit code {ran.returncode}")]
    rows: list[dict[str, Any]] = json.loads(ran.stdout.splitlines()[-1])["rows"]
    return [BenchRow(**{key: value for key, value in row.items() if key != "holds"}) for row in rows]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MODULES)}; default: all")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--hour", action="store_true", help="watch memory in an hour of flood (p12_window)")
    asked = parser.parse_args(argv)
    if asked.hour:
        os.environ["QUARTERDECK_BENCH_FLOOD_S"] = "3600"
    names = [name.lower() for name in asked.names] or list(MODULES)
    unknown = sorted(set(names) - MODULES.keys())
    if unknown:
        parser.error(f"no such goal: {', '.join(unknown)}")
    rows = [row for name in names for row in (measure_here(name) if asked.here else measure(name))]
    print(json.dumps(as_document(rows)) if asked.json or asked.here else as_text(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
