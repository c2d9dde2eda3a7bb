"""What a successor can go on from, and what it must do again (CON1–CON4). Blocking: every saved file is checked by its hash.

Saved progress guides, it is no proof (EFF5): a step counts as kept where what was saved for it is there, unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.reports import Report
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.views import ArtifactView
from quarterdeck.engine.attempt_details import KeptFile, KeptState
from quarterdeck.engine.attempt_reading import kept_file
from quarterdeck.engine.recovery import RepeatStep
from quarterdeck.store.attempts import AttemptFolder

_WHY = {
    KeptState.NOT_KEPT: "what was saved for it was not kept: {problem}",
    KeptState.MISSING: "what was saved for it is missing",
    KeptState.DAMAGED: "what was saved for it is not what it was any more",
}


@dataclass(frozen=True, slots=True)
class KeptStep:
    """A saved step that can be gone on from: by a file, or by data that stood in its line."""

    step: str
    path: str | None
    data: Any


@dataclass(frozen=True, slots=True)
class Progress:
    """By step, in the order in which they were first saved. repeat: also saved files that are missing or damaged."""

    kept: tuple[KeptStep, ...]
    repeat: tuple[RepeatStep, ...]
    saved: tuple[KeptFile, ...]


def saved_progress(attempts: Iterable[tuple[AttemptFold, AttemptFolder]]) -> Progress:
    """Of a slot's attempts, oldest first: the newest whole copy of a step or file counts."""
    kept: dict[str, KeptStep] = {}
    lost: dict[str, RepeatStep] = {}
    files: dict[str, KeptFile] = {}
    for fold, folder in attempts:
        for report in fold.checkpoints.values():
            step = str(report.get("step") or "")
            found = _step(step, report, folder)
            if isinstance(found, KeptStep):
                kept[step] = found
                lost.pop(step, None)
            elif step not in kept:
                lost[step] = found
        for artifact in fold.artifacts:
            now = kept_file(folder.path / "artifacts", artifact)
            if now.state is KeptState.KEPT or artifact.name not in files:
                files[artifact.name] = now
    for name, now in files.items():
        if now.state in (KeptState.MISSING, KeptState.DAMAGED) and name not in kept:
            lost.setdefault(name, RepeatStep(name, _WHY[now.state]))
    return Progress(tuple(kept.values()), tuple(lost.values()), tuple(files.values()))


def _step(step: str, report: Report, folder: AttemptFolder) -> KeptStep | RepeatStep:
    if "stored" not in report:
        return KeptStep(step, None, report.get("data"))
    view = ArtifactView(
        step,
        str(report.get("sha256") or ""),
        int(report.get("size_bytes") or 0),
        report.get("path"),
        report.get("stored"),
    )
    now = kept_file(folder.path / "artifacts", view)
    if now.state is KeptState.KEPT:
        return KeptStep(step, now.path, None)
    problem = str(report.get("problem") or "only its hash is known")
    return RepeatStep(step, _WHY[now.state].format(problem=problem))
