"""Recorded transcripts as they lie on disk, and as they are shown: {program: (protocol, its recordings)}."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quarterdeck.engine.attempt_details import TranscriptLine, Way
from quarterdeck.engine.attempt_reading import page_as
from tests.ui.fake_details import BytesSource

RECORDED = Path(__file__).parent / "recorded"
WIRES = {
    "claude": "claude-*/*.jsonl",
    "acp": "gemini-*/*.jsonl",
    "codex": "codex/*.json",
    "opencode": "opencode/*.json",
}


def recordings(protocol: str) -> list[Path]:
    return sorted(path for path in RECORDED.glob(WIRES[protocol]) if ".books" not in path.name)


def transcript(path: Path) -> bytes:
    if path.suffix == ".jsonl":
        return path.read_bytes()
    return "".join(f"{line}\n" for line in json.loads(path.read_text())["stdout"]).encode()


def shown(protocol: str, content: bytes) -> tuple[TranscriptLine, ...]:
    """The last page; the recordings are shorter than one."""
    return page_as(protocol, BytesSource(content), 2**62, Way.BEFORE, False).lines


def items(protocol: str, content: bytes, kind: str) -> list[Any]:
    return [
        line.item for line in shown(protocol, content) if line.item is not None and line.item["kind"] == kind
    ]
