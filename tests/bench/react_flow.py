"""React Flow in Chromium beside our canvas: the same grid of nodes, bundled by esbuild, measured by the page itself.

`QUARTERDECK_BENCH_NODE` names a folder in which `npm install @xyflow/react react react-dom esbuild` was done; `chromium` comes
from the system. The page sends its figures to a server on this machine's loop-back address. Only what the page's main
thread does until the frame is handed over is counted, not the rasterising behind it; vertical sync is off.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.bench.row import own_folder

WITHIN_S = 90.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAGE = b"""<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="page.css">
<style>html,body,#root{margin:0;width:1400px;height:800px}</style><div id="root"></div><script src="page.js"></script>"""
SOURCE = """
import React from 'react';
import {createRoot} from 'react-dom/client';
import {flushSync} from 'react-dom';
import {ReactFlow} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
const COUNT = %(count)d, ACROSS = 32, STEPS = 10;
const label = (i, k) => ({label: `Agent ${i} · running ${k}:07 · $0.${10 + k}`});
const nodes = [...Array(COUNT).keys()].map(i => ({id: `${i}`, data: label(i, 0), sourcePosition: 'right', targetPosition: 'left',
  position: {x: 300 * (i %% ACROSS), y: 190 * Math.floor(i / ACROSS)}}));
const edges = nodes.slice(0, -1).filter((n, i) => (i + 1) %% ACROSS).map((n, i) => ({id: `e${n.id}`, source: n.id, target: `${+n.id + 1}`}));
const frame = () => new Promise(done => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }));
const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] / 1000;
let flow, setAll;
function Page() {
  const [shown, setShown] = React.useState(nodes);
  setAll = setShown;
  return <ReactFlow nodes={shown} edges={edges} minZoom={0.01} fitView onInit={made => { flow = made; }} />;
}
async function measure() {
  const begun = performance.now();
  flushSync(() => createRoot(document.getElementById('root')).render(<Page />));
  while (!flow || document.querySelectorAll('.react-flow__node').length < COUNT || document.querySelectorAll('.react-flow__edge').length < edges.length) await frame();
  await frame();
  const build = performance.now() - begun, fits = [], updates = [];
  await flow.fitView();
  for (let step = 0; step < STEPS; step++) {
    const view = flow.getViewport();
    let from = performance.now();
    await flow.setViewport({...view, x: view.x + (step %% 2 ? -1 : 1)});
    await frame();
    fits.push(performance.now() - from);
    from = performance.now();
    flushSync(() => setAll(all => all.map((n, i) => Math.floor(i / 40) === step ? {...n, data: label(i, step + 1)} : n)));
    await frame();
    updates.push(performance.now() - from);
  }
  await fetch('/found', {method: 'POST', body: JSON.stringify({build_s: build / 1000, fit_s: median(fits), update_s: median(updates)})});
}
measure().catch(error => fetch('/found', {method: 'POST', body: JSON.stringify({error: String(error)})}));
"""


class _Serving(BaseHTTPRequestHandler):
    """The page's files, and the one answer that it gives."""

    def __init__(self, folder: Path, found: list[bytes], done: threading.Event, *rest: object) -> None:
        self._folder, self._found, self._done = folder, found, done
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        name = self.path.strip("/") or "index.html"
        file = self._folder / name
        if name not in {"index.html", "page.js", "page.css"}:
            self.send_error(404)
            return
        kind = {"html": "text/html", "js": "text/javascript", "css": "text/css"}[name.rsplit(".", 1)[1]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(file.read_bytes())

    def do_POST(self) -> None:
        self._found.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self._done.set()

    def log_message(self, *_: object) -> None:
        """Nothing: stdout is the table's."""


def react_flow(count: int) -> dict[str, float] | str:
    """Build, fit repaint and update in seconds; in words why there are none."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    modules = Path(os.environ.get("QUARTERDECK_BENCH_NODE", "."))
    if browser is None:
        return "no Chromium is installed"
    if not (modules / "node_modules" / "@xyflow").is_dir():
        return "React Flow is not installed (QUARTERDECK_BENCH_NODE)"
    with own_folder() as folder:
        (folder / "index.html").write_bytes(PAGE)
        (folder / "page.jsx").write_text(SOURCE % {"count": count}, encoding="utf-8")
        bundled = subprocess.run(
            [
                modules / "node_modules/.bin/esbuild", folder / "page.jsx", "--bundle", "--minify", f"--outfile={folder / 'page.js'}",
                '--define:process.env.NODE_ENV="production"',
            ],
            env={**os.environ, "NODE_PATH": str((modules / "node_modules").resolve())},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if bundled.returncode != 0:
            return f"esbuild: {bundled.stderr.strip()[:200]}"
        return _measured_by(browser, folder)


def _measured_by(browser: str, folder: Path) -> dict[str, float] | str:
    found: list[bytes] = []
    done = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Serving, folder, found, done))
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    flags = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-gpu-vsync", "--disable-frame-rate-limit", "--no-first-run",
        "--disable-background-networking", f"--user-data-dir={folder / 'profile'}", "--window-size=1400,800",
    ]  # fmt: skip
    page = f"http://127.0.0.1:{server.server_port}/"
    with subprocess.Popen(
        [browser, *flags, page], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as child:
        done.wait(WITHIN_S)
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
    server.shutdown()
    serving.join()
    server.server_close()
    told = json.loads(found[0]) if found else {"error": f"no answer within {WITHIN_S:.0f} s"}
    return str(told["error"]) if "error" in told else {name: float(value) for name, value in told.items()}
